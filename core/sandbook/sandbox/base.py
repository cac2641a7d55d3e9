"""What every backend can do: the contract between sandboxes and the rest of the house."""

from abc import abstractmethod
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from traitlets.config import LoggingConfigurable

from sandbook.sandbox.stream import ShellStream

WORKSPACE = "/workspace"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a sandbox may use; `None` means that nothing limits it."""

    memory_mb: int | None = None
    cpus: float | None = None
    pids: int | None = None

    def __str__(self) -> str:
        parts = (
            f"{self.memory_mb} MiB memory" if self.memory_mb else "",
            f"{self.cpus:g} CPUs" if self.cpus else "",
            f"{self.pids} processes" if self.pids else "",
        )
        return ", ".join(part for part in parts if part) or "none"


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


@dataclass(frozen=True, slots=True)
class ShellRequest:
    """How a shell is to be started."""

    argv: tuple[str, ...]
    control: str
    """Path in the sandbox of the FIFO from which the shell takes its commands."""
    cwd: str
    environment: tuple[tuple[str, str], ...] = ()


class Sandbox:
    """One isolated machine that runs now."""

    def __init__(self, info: SandboxInfo) -> None:
        self.info = info

    @property
    def workspace(self) -> str:
        """The path inside the sandbox at which its shells start."""
        return WORKSPACE

    @abstractmethod
    async def open_shell(self, request: ShellRequest) -> ShellStream:
        """Start a program on a new terminal in the sandbox."""

    @abstractmethod
    async def release(self, grace_s: float) -> None:
        """Let go of the machine without removing it: it ends if nobody holds it again in time."""


class Backend(LoggingConfigurable):
    """A way to make sandboxes on this machine or through an engine."""

    name: ClassVar[str]
    isolation: ClassVar[str]

    @abstractmethod
    async def check(self) -> None:
        """Make sure that sandboxes can be made.

        Raises:
            BackendUnavailableError: They cannot; the message says what to install.
        """

    @abstractmethod
    async def create(self, request: SandboxRequest) -> Sandbox:
        """Make a new sandbox and hold it."""

    @abstractmethod
    async def find(self, sandbox_id: str) -> Sandbox:
        """Return a sandbox that runs.

        Raises:
            SandboxNotFoundError: There is none with this id.
        """

    @abstractmethod
    async def list_all(self) -> list[SandboxInfo]:
        """Tell about all sandboxes that this user has through this backend."""

    def close(self) -> None:
        """Give back what the backend itself holds; sandboxes live on."""

    @abstractmethod
    async def remove(self, sandbox_id: str) -> None:
        """End a sandbox and leave nothing of it; fine if it is gone already."""
