"""What every backend can do: the contract between sandboxes and the rest of the house."""

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, ClassVar

from traitlets import Dict, Int, TraitError, Unicode, validate
from traitlets.config import LoggingConfigurable

from sandbook.sandbox.lending import LentPython
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.progress import Progress
from sandbook.sandbox.protection import PROTECTED, ProtectedNames, Protection
from sandbook.sandbox.side import SideStream
from sandbook.sandbox.stream import ShellStream

WORKSPACE = "/workspace"
DIRECTORY = "/dev/shm/sandbook"  # noqa: S108 -- a path in the sandbox
OUTPUT_LIMIT = 4 << 20
LIFE_SLACK_S = 2.0
"""How much earlier than we think a keeper ends its sandbox: it counts whole seconds."""

_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
OnProgress = Callable[[Progress], None]


def _ignore(_: Progress) -> None:
    pass


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """What the owner of a new sandbox says about it."""

    sandbox_id: str
    workspace: Path
    """The folder of this machine that the sandbox sees as its workspace."""
    notebook: str = ""


@dataclass(frozen=True, slots=True)
class SandboxInfo:
    """What anybody may know about a sandbox."""

    sandbox_id: str
    backend: str
    isolation: str
    state: str
    started_at: datetime
    image: str | None = None
    notebook: str = ""
    workspace: str = ""
    limits: Limits = field(default_factory=Limits)
    max_life_s: int = 0
    user: str = ""
    """The name that its user was given; empty for the usual one of its backend."""
    sudo: bool = False
    """Its user may become root in it."""
    protection: Protection = field(default_factory=Protection)
    """What it may not change in its workspace."""
    kept: bool = False
    """It stays when its kernel has ended, for the next kernel of its notebook."""

    @property
    def remaining_s(self) -> float | None:
        """How many seconds the sandbox has left; `None` while nothing but its owner ends it."""
        if not self.max_life_s:
            return None
        age = datetime.now(timezone.utc) - self.started_at
        return max(0.0, self.max_life_s - age.total_seconds())


@dataclass(frozen=True, slots=True)
class ShellRequest:
    """How a shell is to be started."""

    argv: tuple[str, ...]
    control: str
    """Path in the sandbox of the FIFO from which the shell takes its commands."""
    environment: tuple[tuple[str, str], ...] = ()
    root: bool = False
    """Run as root, where the backend knows the difference."""


@dataclass(frozen=True, slots=True)
class SideResult:
    """How a command beside the shell ended, and the first megabytes of what it said."""

    exit_code: int
    output: bytes
    errors: bytes


@dataclass(frozen=True, slots=True)
class Stats:
    """What a sandbox uses now. CPU time adds up from its start; a rate is for the reader."""

    cpu_s: float
    memory_bytes: int
    pids: int


class Sandbox:
    """One isolated machine that runs now."""

    loss: ClassVar[str] = (
        "Variables, running programs, installed packages and /tmp are gone; "
        "the workspace is as it was."
    )
    """What its end means to its users."""

    def __init__(self, info: SandboxInfo) -> None:
        self.info = info

    @property
    def workspace(self) -> str:
        """The path inside the sandbox at which its shells start."""
        return WORKSPACE

    @property
    def superuser_for(self) -> str:
        """The numbers of its user and group, if that user may become root; else nothing."""
        return ""

    @property
    def directory(self) -> str:
        """The folder, inside the sandbox, of its own plumbing; gone when the sandbox ends."""
        return DIRECTORY

    @property
    def lent_python(self) -> LentPython:
        """A Python that can run IPython, for a sandbox that has none of its own; maybe nothing."""
        return LentPython()

    def plumbing(self, *, root: bool = False) -> str:
        """The folder, inside the sandbox, for the plumbing of one user: only he can look into it.

        What root's shell uses must not have been made by the user, who would be root with it.
        """
        return f"{self.directory}/{'root' if root else 'user'}"

    @abstractmethod
    async def open_shell(self, request: ShellRequest) -> ShellStream:
        """Start a program on a new terminal in the sandbox, and hold the sandbox from now on."""

    @abstractmethod
    async def run(self, *argv: str, data: bytes = b"", root: bool = False) -> SideResult:
        """Run a command beside the shell, without touching it; `data` is its input."""

    @abstractmethod
    async def open_side(self, *argv: str, root: bool = False) -> SideStream:
        """Start a program beside the shell that stays, and talk to it; this holds no lease."""

    @abstractmethod
    async def stats(self) -> Stats:
        """Tell what the sandbox uses now."""

    @abstractmethod
    async def pause(self) -> None:
        """Stop all processes where they are."""

    @abstractmethod
    async def resume(self) -> None:
        """Let all processes go on."""

    @abstractmethod
    async def release(self, grace_s: float) -> None:
        """Let go of the machine without removing it: it ends if nobody holds it again in time."""

    async def oom_kills(self) -> int:
        """Count the processes that were ended for want of memory, as far as that is known."""
        return 0

    async def why_lost(self) -> str:
        """Say why the shell is gone, in words that fit after 'Lost the shell:'."""
        return "it was ended"

    async def why_ended(self) -> str:
        """Say why the sandbox has ended, in a few words; nothing, if that is not known."""
        left = self.info.remaining_s
        is_over = left is not None and left < LIFE_SLACK_S
        return f"its life of {self.info.max_life_s} seconds is over (max_life_s)" if is_over else ""

    async def warnings(self) -> list[str]:
        """Tell what will not work in the sandbox as its users may expect it."""
        return []


class Backend(LoggingConfigurable):
    """A way to make sandboxes on this machine or through an engine."""

    name: ClassVar[str]
    isolation: ClassVar[str]

    max_life_s = Int(
        0,
        min=0,
        help="""Seconds after which a sandbox ends by itself, whoever uses it; 0 is never.""",
    ).tag(config=True)

    environment = Dict(
        value_trait=Unicode(), key_trait=Unicode(), help="Further variables of a sandbox."
    ).tag(config=True)

    protected = ProtectedNames(
        list(PROTECTED),
        help="""Files and folders of a workspace that no sandbox may change, since programs of this
        machine run them, or what they name, by themselves: read-only where they are there, moved
        aside where they come to be. Those of `.git` are protected in each repository that is there
        when a sandbox starts. Without isolation, nothing is protected.""",
    ).tag(config=True)

    @validate("environment")
    def _check_environment(self, proposal: Any) -> dict[str, str]:
        for name, value in proposal.value.items():
            if not _VARIABLE.fullmatch(name) or "\0" in value:
                raise TraitError(f"{type(self).__name__}.environment has no place for {name!r}")
        return proposal.value

    on_progress: OnProgress = staticmethod(_ignore)
    """Told how far the image of a new sandbox is, from a thread; nobody by default."""

    @abstractmethod
    async def check(self) -> None:
        """Make sure that sandboxes can be made.

        Raises:
            BackendUnavailableError: They cannot; the message says what to install.
        """

    def check_agents(self) -> None:
        """Make sure that an agent may act in the sandboxes: always, where they isolate.

        Raises:
            AgentsRefusedError: It may not; the message says how to allow it.
        """

    @abstractmethod
    async def create(self, request: SandboxRequest) -> Sandbox:
        """Make a new sandbox; it ends soon unless somebody opens a shell in it."""

    @abstractmethod
    async def find(self, sandbox_id: str) -> Sandbox:
        """Return a sandbox that runs or is paused.

        Raises:
            SandboxNotFoundError: There is none with this id.
        """

    @abstractmethod
    async def list_all(self) -> list[SandboxInfo]:
        """Tell about all sandboxes that this user has through this backend."""

    def cancel(self) -> None:
        """Give up a `create` that is under way, as soon as that is possible."""

    def close(self) -> None:
        """Give back what the backend itself holds; sandboxes live on."""

    def limits_for(self, info: SandboxInfo) -> Limits:
        """Tell which limits a new sandbox would have in the place of this one."""
        return info.limits

    async def discard(self, sandbox_id: str) -> None:
        """End a sandbox whose owner makes another in its place, which gets its workspace."""
        await self.remove(sandbox_id)

    async def retire(self, sandbox_id: str) -> None:
        """Do what is to be done when the owner of a sandbox has ended: by default, remove it."""
        await self.remove(sandbox_id)

    @abstractmethod
    async def remove(self, sandbox_id: str) -> None:
        """End a sandbox and leave nothing of it; fine if it is gone already."""
