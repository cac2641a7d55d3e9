"""A program, not a module: does one thing inside a sandbox and hands descriptors back.

    python -I -S enter.py SOCKET SPEC

Joining namespaces changes the whole process, so it cannot be done in a kernel or a server. Started
by `processes.py`, with the standard library only. SOCKET and SPEC are descriptors. SPEC holds JSON:

- `pid`: a process of the sandbox, whose namespaces are joined; null stays on this machine.
- `argv`, `environment`: a program to start. With `control`, it gets a new terminal and that FIFO
  for its commands, and the descriptors of both go back. Without, it gets our own input and output,
  and its exit code becomes ours.
- `rlimits`: what each process may use, by the names that the kernel has for it, such as `NOFILE`.
- `filter`: system calls that are refused, as a program for the kernel in hexadecimal digits.
- `groups`: the control groups of the sandbox, as folders, to be in from the start.

util-linux' nsenter cannot do this: bubblewrap makes two user namespaces, one in the other, and the
terminal must be made inside for its name to be right.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import sys
import termios
from pathlib import Path
from typing import Any

CLONE_NEWUSER = 0x10000000
NAMESPACES = {
    "ipc": 0x08000000,
    "uts": 0x04000000,
    "net": 0x40000000,
    "pid": 0x20000000,
    "mnt": 0x00020000,
}
NS_GET_USERNS = 0xB701
PR_CAPBSET_DROP = 24
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
LAST_CAPABILITY = 63
REMOUNT = 0x20 | 0x2 | 0x8
"""MS_REMOUNT, with MS_NOSUID and MS_NOEXEC, which the mount has and must keep."""
TERMINALS = 256
ORDINARY = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT),
    *(signal.SIGPIPE, signal.SIGTSTP, signal.SIGXFSZ),
)
"""What a program must hear, also where whoever started Jupyter does not (`nohup`)."""

libc = ctypes.CDLL(None, use_errno=True)


def set_namespace(descriptor: int, kind: int) -> None:
    """Join one namespace."""
    if libc.setns(descriptor, kind) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def join(pid: int) -> None:
    """Join the namespaces of a process and give up every privilege that leads out again."""
    inner = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    others = {
        kind: os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in NAMESPACES
    }
    # The other namespaces belong to the outer user namespace; only there have we the right to join.
    outer = fcntl.ioctl(others["mnt"], NS_GET_USERNS)
    set_namespace(outer, CLONE_NEWUSER)
    limit_inotify()
    for kind, descriptor in others.items():
        set_namespace(descriptor, NAMESPACES[kind])
    limit_terminals()
    if os.fstat(outer).st_ino != os.fstat(inner).st_ino:
        set_namespace(inner, CLONE_NEWUSER)
    for capability in range(LAST_CAPABILITY):  # joining a user namespace had given them all back
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def limit_inotify() -> None:
    """Leave half of what the user may watch to the programs outside, which share it."""
    for name in ("instances", "watches"):
        with contextlib.suppress(OSError):  # /proc may be read-only, where this is a container
            most = int(Path(f"/proc/sys/fs/inotify/max_user_{name}").read_text("ascii"))
            Path(f"/proc/sys/user/max_inotify_{name}").write_text(str(most // 2), "ascii")


def limit_terminals() -> None:
    """Leave some of this machine's terminals to the programs outside, which share them.

    It is a setting of the mount, which bubblewrap has made; whoever cannot change it has no limit.
    """
    options = f"newinstance,ptmxmode=0666,mode=620,max={TERMINALS}".encode()
    libc.mount(b"devpts", b"/dev/pts", None, REMOUNT, options)


class Program(ctypes.Structure):
    """How the kernel takes a filter: its length in lines of eight bytes, and where it is."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


def refuse_calls(program: bytes) -> None:
    """Refuse system calls from now on, here and in all that comes from here."""
    filters = Program(len(program) // 8, program)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filters), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def start(spec: dict[str, Any]) -> list[int]:
    """Start the program on a new terminal; give back the terminal and the control FIFO."""
    control = Path(spec["control"])
    control.parent.mkdir(mode=0o700, exist_ok=True)
    os.mkfifo(control, 0o600)
    commands = os.open(control, os.O_RDWR | os.O_CLOEXEC)
    master, terminal = os.openpty()
    child = os.fork()  # only a child of ours is in the new pid namespace
    if child == 0:
        if os.fork():  # and only an orphan of it is collected there, when it has ended
            os._exit(0)
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        for standard in (0, 1, 2):
            os.dup2(terminal, standard)
        become(spec)
    os.waitpid(child, 0)
    return [master, commands]


def run(spec: dict[str, Any]) -> int:
    """Run the program with our own input and output; give back its exit code."""
    child = os.fork()
    if child == 0:
        os.setsid()
        become(spec)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256


def become(spec: dict[str, Any]) -> None:
    """Turn this process into the program."""
    for number in ORDINARY:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for name, wanted in spec["rlimits"].items():
        limit(getattr(resource, f"RLIMIT_{name}"), wanted)
    os.chdir("/")
    if spec["filter"]:
        refuse_calls(bytes.fromhex(spec["filter"]))
    os.execvpe(spec["argv"][0], spec["argv"], spec["environment"])  # noqa: S606


def limit(kind: int, wanted: int) -> None:
    """Limit this process and all that come from it; what is lower already stays."""
    highest = resource.getrlimit(kind)[1]
    chosen = wanted if highest == resource.RLIM_INFINITY else min(wanted, highest)
    resource.setrlimit(kind, (chosen, chosen))


def main() -> None:
    """Do what the specification says."""
    door = socket.socket(fileno=int(sys.argv[1]))
    door.set_inheritable(False)
    with os.fdopen(int(sys.argv[2])) as written:
        spec = json.load(written)
    for group in spec.get("groups", ()):
        Path(group, "cgroup.procs").write_text(str(os.getpid()), "ascii")
    if spec["pid"] is not None:
        join(spec["pid"])
    if "control" in spec:
        socket.send_fds(door, [b"."], start(spec))
    else:
        sys.exit(run(spec))


if __name__ == "__main__":
    main()
