"""Sandboxes made of Linux namespaces by the program `bwrap`: no engine, no image, quick."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryFile
from typing import ClassVar

from traitlets import Enum, Float, Int

from sandbook.errors import BackendUnavailableError, SandboxStartError
from sandbook.sandbox.base import DIRECTORY, WORKSPACE, Limits, Sandbox, SandboxRequest
from sandbook.sandbox.cgroups import Group, find_group, make_group
from sandbook.sandbox.process_backend import ProcessBackend
from sandbook.sandbox.processes import Inside, ProcessSandbox, start_detached
from sandbook.sandbox.records import Record
from sandbook.sandbox.scripts import keeper_argv

USER = 1000
HOME = "/home/sandbox"
PASSWD = f"root:x:0:0:root:/root:/bin/bash\nsandbox:x:{USER}:{USER}:Sandbox:{HOME}:/bin/bash\n"
GROUP = f"root:x:0:\nsandbox:x:{USER}:\n"
HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost\n"
TOP_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
SYSTEM_FILES = (
    *("alternatives", "bash_completion.d", "ca-certificates.conf", "inputrc", "ld.so.cache"),
    *("ld.so.conf", "ld.so.conf.d", "localtime", "magic", "mime.types", "nsswitch.conf"),
    *("os-release", "pki", "profile.d", "protocols", "resolv.conf", "services", "ssl", "terminfo"),
)
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": HOME,
    "USER": "sandbox",
    "LOGNAME": "sandbox",
    "SHELL": "/bin/bash",
}
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


def _private() -> Iterator[str]:
    """Give the part that is the sandbox's own and starts empty.

    For a root outside, the settings of the whole machine in /proc would be writable: bwrap itself
    looks only whether the folders are.
    """
    yield from ("--proc", "/proc", "--dev", "/dev", "--dir", "/run", "--dir", "/var")
    yield from ("--ro-bind", "/proc/sys", "/proc/sys")
    for file in ("kcore", "keys", "kmsg", "latency_stats", "mtrr", "sched_debug", "timer_list"):
        if Path("/proc", file).exists():
            yield from ("--ro-bind", "/dev/null", f"/proc/{file}")
    for folder in ("/tmp", "/var/tmp", HOME):  # noqa: S108 -- inside the sandbox
        yield from ("--tmpfs", folder)


def _group_name(sandbox_id: str) -> str:
    return f"sandbook-{sandbox_id}"


def _files(descriptors: Sequence[int]) -> Iterator[str]:
    for descriptor, name in zip(descriptors, ("passwd", "group", "hosts"), strict=True):
        yield from ("--ro-bind-data", str(descriptor), f"/etc/{name}")


def _read_to_end(descriptor: int) -> bytes:
    with open(descriptor, "rb") as pipe:
        return pipe.read()


@contextlib.contextmanager
def _held_in_memory(*texts: str) -> Generator[list[int], None, None]:
    descriptors: list[int] = []
    try:
        for text in texts:
            descriptor = os.memfd_create("sandbook")
            descriptors.append(descriptor)
            os.write(descriptor, text.encode())
            os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


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

    memory_mb = Int(
        2048, min=64, help="Memory of a sandbox, in MiB. Needs control groups, which root has."
    ).tag(config=True)
    cpus = Float(
        2.0, min=0.01, help="How many CPUs a sandbox may keep busy. Needs control groups, too."
    ).tag(config=True)
    pids = Int(
        512,
        min=16,
        help="""How many processes and threads a sandbox may have; without control groups, all
        sandboxes of one user together.""",
    ).tag(config=True)

    async def check(self) -> None:
        """Try a sandbox that does nothing: only that shows whether the kernel allows one."""
        if which("bwrap") is None:
            raise BackendUnavailableError(self.name, MISSING)
        process = await asyncio.create_subprocess_exec(
            *("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "true"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, error = await process.communicate()
        if process.returncode != 0:
            message = f"bwrap does not work here: {error.decode('utf-8', 'replace').strip()}"
            raise BackendUnavailableError(self.name, message)

    async def create(self, request: SandboxRequest) -> Sandbox:
        """Start bwrap with a keeper inside; shells follow."""
        wanted = Limits(self.memory_mb, self.cpus, self.pids)
        groups = make_group(_group_name(request.sandbox_id), wanted) or Group()
        with _held_in_memory(PASSWD, GROUP, HOSTS) as descriptors, TemporaryFile() as errors:
            reader, writer = os.pipe()
            keeper = keeper_argv(DIRECTORY, life=self.max_life_s)
            argv = [*self._argv(request, descriptors, writer), *keeper]
            try:
                await start_detached(argv, errors, [*descriptors, writer], groups.folders)
            finally:
                os.close(writer)
            told = await asyncio.to_thread(_read_to_end, reader)
            if not told:
                errors.seek(0)
                reason = errors.read().decode("utf-8", "replace").strip()
                raise SandboxStartError(f"bwrap could not make the sandbox: {reason}")
        pid: int = json.loads(told)["child-pid"]
        return self.write_down(pid, request, self._limits(groups))

    def _argv(
        self, request: SandboxRequest, descriptors: Sequence[int], information: int
    ) -> list[str]:
        network = ["--share-net"] if self.network == "host" else []
        return [
            *("bwrap", "--unshare-all", *network, "--unshare-user"),
            *("--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox", "--clearenv"),
            *(*_system(), *_private(), *_files(descriptors)),
            *("--bind", str(request.workspace), WORKSPACE, "--chdir", WORKSPACE),
            *("--setenv", "PATH", ENVIRONMENT["PATH"], "--info-fd", str(information)),
        ]

    def _limits(self, groups: Group) -> Limits:
        """Tell what really limits a sandbox: without control groups, nothing limits root."""
        if groups.folders:
            return Limits(self.memory_mb, self.cpus, self.pids)
        return Limits() if os.getuid() == 0 else Limits(pids=self.pids)

    def sandbox_from(self, record: Record) -> Sandbox:
        """Say how to get into the namespaces and control groups of a sandbox."""
        groups = find_group(_group_name(record.info.sandbox_id))
        inside = Inside(ENVIRONMENT, namespaces=True, processes=self.pids, groups=groups)
        return ProcessSandbox(record, inside)
