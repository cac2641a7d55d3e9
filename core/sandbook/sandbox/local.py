"""Sandboxes that isolate nothing: for machines that are sandboxes already."""

import os
import pwd
import signal
from pathlib import Path
from typing import ClassVar

from traitlets import Bool

from sandbook.errors import AgentsRefusedError, SandboxStartError
from sandbook.sandbox.base import DIRECTORY, Sandbox, SandboxRequest
from sandbook.sandbox.identity import UserName
from sandbook.sandbox.lease import Lease
from sandbook.sandbox.lending import LentPython, own_python
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.process_backend import ProcessBackend
from sandbook.sandbox.processes import Inside, ProcessSandbox
from sandbook.sandbox.records import Record

MARKERS = ("/.dockerenv", "/run/.containerenv")
KUBERNETES = "/var/run/secrets/kubernetes.io"
SOMEBODY_ELSE = (
    "Without isolation, programs run as {0!r}, who started them, and not as {1!r}. "
    "Leave `user` empty, or use docker: SANDBOOK_BACKEND=docker."
)
LAYERED = ("overlay", "aufs", "fuse", "virtiofs", "9p")


def is_container(root: str = "/") -> bool:
    """Say whether this machine is a container, going by more than a file that anybody can leave.

    A container engine leaves a marker, and puts the root on a layered file system or on a folder
    of another one. A marker alone may be left over from the image that a real machine was made of.
    """
    marked = any(Path(root + marker).exists() for marker in (*MARKERS, KUBERNETES))
    return marked and _is_container_root(Path(root, "proc/self/mountinfo").read_text("utf-8"))


def _is_container_root(mountinfo: str) -> bool:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        folder, mount_point = before.split()[3:5]
        if mount_point == "/":
            return after.startswith(LAYERED) or folder != "/"
    return False


def _own_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


class LocalSandbox(ProcessSandbox):
    """A shell on this machine, with its own keeper and nothing around it."""

    loss = "Variables and running programs are gone; files are as they were."

    @property
    def directory(self) -> str:
        """A folder for this sandbox alone: it shares the rest with all others."""
        return f"{DIRECTORY}-{self.info.sandbox_id}"

    @property
    def lent_python(self) -> LentPython:
        """Our own: it need not be on anybody's PATH."""
        return own_python()

    @property
    def workspace(self) -> str:
        """The notebook's folder itself."""
        return self.info.workspace


class LocalBackend(ProcessBackend):
    """Runs shells on this very machine."""

    name: ClassVar[str] = "local"
    isolation: ClassVar[str] = "none"
    end_signal = signal.SIGTERM  # the keeper ends every process of the sandbox, then itself

    allow_agents = Bool(
        default_value=False,
        help="""Let agents act although nothing isolates them from this machine. Inside a container,
        which isolates them already, they always may.""",
    ).tag(config=True)

    user = UserName(
        "", help="Who cells run as: that is always who started them, so only that name is taken."
    ).tag(config=True)

    async def check(self) -> None:
        """Nothing is needed beside bash."""

    def check_agents(self) -> None:
        """Let agents act only where something else isolates them, or somebody has allowed it."""
        if not (self.allow_agents or is_container()):
            raise AgentsRefusedError(self.name)

    async def create(self, request: SandboxRequest) -> Sandbox:
        """Start a keeper; shells follow."""
        if self.user and self.user != (name := _own_name()):
            raise SandboxStartError(SOMEBODY_ELSE.format(name, self.user))
        keeper = await Lease(request.sandbox_id).keep(
            (),
            folder=f"{DIRECTORY}-{request.sandbox_id}",
            life=self.max_life_s,
            sweep=request.sandbox_id,
        )
        return self.write_down(keeper, request, Limits())

    def sandbox_from(self, record: Record) -> Sandbox:
        """Say that there is nothing to get into: the sandbox is this machine."""
        return LocalSandbox(record, Inside({**os.environ, **self.environment}, namespaces=False))
