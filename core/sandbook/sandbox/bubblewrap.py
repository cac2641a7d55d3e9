"""Sandboxes made of Linux namespaces by the program `bwrap`: no engine, no image, quick."""

import asyncio
import json
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryFile
from typing import ClassVar

from traitlets import Bool, Enum

from sandbook.errors import BackendUnavailableError, SandboxStartError
from sandbook.sandbox import limits
from sandbook.sandbox.base import DIRECTORY, WORKSPACE, Sandbox, SandboxInfo, SandboxRequest
from sandbook.sandbox.cgroups import Group, find_group, make_group
from sandbook.sandbox.descriptors import held_in_memory, pipe_above_scripts
from sandbook.sandbox.guard import guard_argv, order_for
from sandbook.sandbox.identity import ROOT, UserName, home_of, lists_of, variables_of
from sandbook.sandbox.lease import Lease
from sandbook.sandbox.lending import LentPython, mounted_python, mounts
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.process_backend import ProcessBackend
from sandbook.sandbox.processes import Inside, ProcessSandbox
from sandbook.sandbox.protection import Protection, opened
from sandbook.sandbox.records import Record
from sandbook.sandbox.scripts import namespaces_argv
from sandbook.sandbox.survey import protection_of
from sandbook.sandbox.syscall_filter import syscall_filter
from sandbook.sandbox.writable import warn_unless_writable

USER = 1000
NAME = "sandbox"
HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost\n"
TOP_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
SYSTEM_FILES = (
    *("alternatives", "bash_completion.d", "ca-certificates.conf", "inputrc", "ld.so.cache"),
    *("ld.so.conf", "ld.so.conf.d", "localtime", "magic", "mime.types", "nsswitch.conf"),
    *("os-release", "profile.d", "protocols", "resolv.conf", "services", "terminfo"),
    *("pki/ca-trust", "pki/tls/cert.pem", "pki/tls/certs", "pki/tls/openssl.cnf", "ssl/cert.pem"),
    *("ssl/certs", "ssl/openssl.cnf"),  # not ssl/private, which root may read
)
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "SHELL": "/bin/bash",
}
MIB = 1 << 20
NO_ROOT = (
    "A sandbox of bubblewrap has no root and no sudo, only one user. "
    "Give that user another name, or use docker: SANDBOOK_BACKEND=docker."
)
HARDENED = ("--unshare-all", "--unshare-user", "--disable-userns")
"""No namespace is shared, and nobody inside can make further ones to be root in."""
TOO_OLD = "This bwrap is too old: sandboxes need version 0.8 or newer. It said: {}"
MISSING = (
    "The bubblewrap backend needs the program bwrap. "
    "Install it (Debian/Ubuntu: apt-get install bubblewrap), or start a Docker engine."
)


def _system() -> Iterator[str]:
    """Give the read-only part: programs and libraries, and the few settings they look for."""
    yield from ("--ro-bind", "/usr", "/usr")
    for name in TOP_FOLDERS:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    for name in SYSTEM_FILES:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


def _private(sizes: Mapping[str, int]) -> Iterator[str]:
    """Give the part that is the sandbox's own and starts empty: folders with their sizes in MiB.

    For a root outside, the settings of the whole machine in /proc would be writable: bwrap itself
    looks only whether the folders are. What bwrap makes beside these folders is memory without a
    limit, so it is closed at last (`_closed`).
    """
    yield from ("--proc", "/proc", "--dev", "/dev", "--dir", "/run")
    yield from ("--symlink", "../tmp", "/var/tmp")  # noqa: S108 -- inside the sandbox
    yield from ("--ro-bind", "/proc/sys", "/proc/sys")
    for file in ("kcore", "keys", "kmsg", "latency_stats", "mtrr", "sched_debug", "timer_list"):
        if Path("/proc", file).exists():
            yield from ("--ro-bind", "/dev/null", f"/proc/{file}")
    for folder, size_mb in sizes.items():
        mode = "0755" if folder.startswith("/home/") else "1777"
        yield from ("--perms", mode, "--size", str(size_mb * MIB), "--tmpfs", folder)


def _lent() -> Iterator[str]:
    for source, target in mounts():
        yield from ("--ro-bind-try", source, target)


def _closed() -> tuple[str, ...]:
    return ("--remount-ro", "/dev", "--remount-ro", "/")


def _group_name(sandbox_id: str) -> str:
    return f"sandbook-{sandbox_id}"


def _files(descriptors: Sequence[int]) -> Iterator[str]:
    *texts, calls = descriptors
    for descriptor, name in zip(texts, ("passwd", "group", "hosts"), strict=True):
        yield from ("--ro-bind-data", str(descriptor), f"/etc/{name}")
    if syscall_filter():
        yield from ("--seccomp", str(calls))  # for the first process, which others may look into


def _read_to_end(descriptor: int) -> bytes:
    with open(descriptor, "rb") as pipe:
        return pipe.read()


def _protected(places: Mapping[str, int], protection: Protection) -> Iterator[str]:
    for path, descriptor in places.items():
        how = "--ro-bind" if path in protection.read_only else "--bind"
        yield from (how, f"/proc/self/fd/{descriptor}", f"{WORKSPACE}/{path}")


class BubblewrapSandbox(ProcessSandbox):
    """This machine's programs, and nothing else of it."""

    def __init__(self, record: Record, inside: Inside, *, lends: bool) -> None:
        super().__init__(record, inside)
        self._lends = lends

    @property
    def lent_python(self) -> LentPython:
        """Our own, where it is shown to the sandbox."""
        return mounted_python() if self._lends else LentPython()

    async def warnings(self) -> list[str]:
        """Say that the workspace cannot be written to, where that is so."""
        return await warn_unless_writable(self)


class BubblewrapBackend(ProcessBackend):
    """Makes a sandbox from this machine's own programs, read-only, and a private rest."""

    name: ClassVar[str] = "bubblewrap"
    isolation: ClassVar[str] = "namespaces"
    end_signal = signal.SIGKILL  # the first process of a namespace hears no other from outside

    network = Enum(
        ["none", "host"],
        "none",
        help="""Network of a sandbox: `none` has loopback only; `host` shares this machine's, so a
        cell can then reach everything that this machine can, Jupyter's own port included.""",
    ).tag(config=True)

    memory_mb = limits.memory_mb(
        """ That needs control groups, which root
        has; without them, it is the memory of each process."""
    )
    cpus = limits.cpus(" Needs control groups, too.")
    pids = limits.pids(
        """; without control groups and
        before Linux 5.14, all processes of one user together."""
    )
    open_files = limits.open_files()
    tmp_mb = limits.tmp_mb(", which is also /var/tmp")
    home_mb = limits.home_mb()
    shm_mb = limits.shm_mb()

    lend_python = Bool(
        default_value=True,
        help="""Show sandboxes the Python that Jupyter runs with and its packages, read-only, below
        /opt/sandbook. Python code of cells and agents runs with it where the system's own Python
        has no ipykernel.""",
    ).tag(config=True)

    user = UserName(
        "",
        help="""What the only user of a sandbox is called, with a home of that name; empty is
        `sandbox`. There is no root, and no `sudo`.""",
    ).tag(config=True)

    async def check(self) -> None:
        """Try a sandbox that does nothing: only that shows whether the kernel allows one.

        It shows the same folders as a real one. The whole machine would not do: below it, others
        mount and unmount (an engine its containers), and bwrap fails on a mount that vanishes.
        """
        if which("bwrap") is None:
            raise BackendUnavailableError(self.name, MISSING)
        process = await asyncio.create_subprocess_exec(
            *("bwrap", *HARDENED, *_system(), "--dev", "/dev"),
            *("--size", str(MIB), "--tmpfs", "/dev/shm", "true"),  # noqa: S108 -- inside
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=PIPE,
        )
        _, error = await process.communicate()
        if process.returncode != 0:
            said = error.decode("utf-8", "replace").strip()
            told = TOO_OLD if "Unknown option" in said else "bwrap does not work here: {}"
            raise BackendUnavailableError(self.name, told.format(said))

    async def create(self, request: SandboxRequest) -> Sandbox:
        """Start bwrap below a keeper; shells follow."""
        if self.user == ROOT:
            raise SandboxStartError(NO_ROOT)
        wanted = Limits(self.memory_mb, self.cpus, self.pids)
        name = _group_name(request.sandbox_id)
        groups = await asyncio.to_thread(make_group, name, wanted) or Group()
        texts = [text.encode() for text in (*lists_of(self.user or NAME, USER), HOSTS)]
        protection = await asyncio.to_thread(protection_of, request.workspace, self.protected)
        with (
            held_in_memory(*texts, syscall_filter()) as descriptors,
            held_in_memory(order_for(request.workspace, protection)) as (order,),
            opened(request.workspace, protection) as places,
            TemporaryFile() as errors,
        ):
            (reader, writer), (waiting, ready) = pipe_above_scripts(), pipe_above_scripts()
            argv = [
                *self._argv(request, descriptors, writer),
                *_protected(places, protection),
                *_closed(),
                *namespaces_argv(DIRECTORY, ready, self._rlimits(groups)),
            ]
            try:
                await Lease(request.sandbox_id).keep(
                    argv,
                    groups=groups.folders,
                    last=guard_argv(),
                    order=order,
                    errors=errors,
                    pass_fds=[*descriptors, *places.values(), writer, ready],
                    life=self.max_life_s,
                )
            finally:
                os.close(writer)
                os.close(ready)
            told = await asyncio.to_thread(_read_to_end, reader)
            # bwrap tells the number of a process that still has the files of the host.
            is_ready = await asyncio.to_thread(_read_to_end, waiting)
            if not (told and is_ready):
                errors.seek(0)
                reason = errors.read().decode("utf-8", "replace").strip()
                raise SandboxStartError(f"bwrap could not make the sandbox: {reason}")
        pid: int = json.loads(told)["child-pid"]
        return self.write_down(pid, request, self._limits(groups), self.user, protection)

    def _argv(
        self, request: SandboxRequest, descriptors: Sequence[int], information: int
    ) -> list[str]:
        network = ["--share-net"] if self.network == "host" else []
        return [
            *("bwrap", *HARDENED, *network, "--die-with-parent"),  # which is the keeper
            "--as-pid-1",  # only the first process cannot be killed from inside
            *("--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox", "--clearenv"),
            *(*_system(), *_private(self._sizes()), *_files(descriptors)),
            *(_lent() if self.lend_python else ()),
            *("--setenv", "PATH", ENVIRONMENT["PATH"], "--info-fd", str(information)),
            *("--bind", str(request.workspace), WORKSPACE, "--chdir", WORKSPACE),
        ]

    def _sizes(self) -> dict[str, int]:
        home = home_of(self.user or NAME)
        wanted = {"/tmp": self.tmp_mb, home: self.home_mb, "/dev/shm": self.shm_mb}  # noqa: S108
        return {folder: min(size, self.memory_mb // 4) for folder, size in wanted.items()}

    def _limits(self, groups: Group) -> Limits:
        """Tell what really limits a sandbox: the kernel counts no processes of root."""
        if groups.folders:
            return Limits(self.memory_mb, self.cpus, self.pids)
        pids = None if os.getuid() == 0 else self.pids
        return Limits(pids=pids, process_memory_mb=self.memory_mb)

    def limits_for(self, info: SandboxInfo) -> Limits:
        """Tell which limits a new sandbox would have in the place of this one."""
        return self._limits(find_group(_group_name(info.sandbox_id)))

    def _rlimits(self, groups: Group) -> dict[str, int]:
        """Limit each process.

        `DATA` is memory that a process can write, so it leaves alone those that only reserve a lot
        of addresses, as the runtimes of Go, Java and JavaScript do.
        """
        always = {"CORE": 0, "NOFILE": self.open_files, "NPROC": self.pids}
        return always if groups.folders else {**always, "DATA": self.memory_mb * MIB}

    def sandbox_from(self, record: Record) -> Sandbox:
        """Say how to get into the namespaces and control groups of a sandbox."""
        groups = find_group(_group_name(record.info.sandbox_id))
        inside = Inside(
            {**ENVIRONMENT, **variables_of(record.info.user or NAME), **self.environment},
            namespaces=True,
            rlimits=self._rlimits(groups),
            groups=groups,
            syscall_filter=syscall_filter(),
        )
        return BubblewrapSandbox(record, inside, lends=self.lend_python)
