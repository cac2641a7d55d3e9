"""What a server answers, as objects. Each keeps the JSON that it came from in `raw`. Pure."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sandbook.client.errors import OK, ClientError

Json = dict[str, Any]
REFUSED = "ERROR:\n"


@dataclass(frozen=True, slots=True)
class RunResult:
    """How far a command is."""

    output: str
    """What it has said since the last turn, as a terminal would show it."""
    exit_code: int | None
    """Nothing while it runs."""
    cwd: str | None
    """Where the shell is now; not known while a command runs."""
    note: str
    """What else there is to say: how it ended, or how to go on with it."""
    raw: Json = field(repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Say whether it ended well."""
        return self.exit_code == 0

    @property
    def is_running(self) -> bool:
        """Say whether it goes on: `run("")` waits for more, `run("C-c", is_input=True)` stops."""
        return self.exit_code is None and bool(self.note)


@dataclass(frozen=True, slots=True)
class PythonResult:
    """What Python code said and showed; a traceback is output, too."""

    output: str
    images: tuple[str, ...]
    """Pictures as data URLs."""
    raw: Json = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What is in a file."""

    path: str
    text: str
    """A picture, PDF or film is a data URL."""
    raw: Json = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class EditResult:
    """What was changed."""

    path: str
    message: str
    """The place where it was changed, as agents are shown it."""
    diff: str
    raw: Json = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """How long the server runs, and what it uses."""

    uptime_s: float
    idle_s: float
    """Since the last action."""
    cpu_percent: float
    memory_bytes: int
    raw: Json = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class SandboxInfo:
    """What a sandbox is."""

    id: str
    backend: str
    isolation: str
    state: str
    started_at: datetime
    image: str | None
    notebook: str
    workspace: str
    raw: Json = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Made:
    """Where a new sandbox is reached, and the key to it."""

    id: str
    base_url: str
    key: str


def ran(told: Json) -> RunResult:
    """Read how a command went."""
    metadata = checked(told)["extras"].get("metadata", {})
    code = metadata.get("exit_code", -1)
    note = f"{metadata.get('prefix', '')}{metadata.get('suffix', '')}".strip()
    where = metadata.get("working_dir")
    return RunResult(told["content"], None if code < 0 else code, where, note, told)


def ran_python(told: Json) -> PythonResult:
    """Read what Python said."""
    extras = checked(told)["extras"]
    return PythonResult(told["content"], tuple(extras.get("image_urls") or ()), told)


def was_read(told: Json) -> ReadResult:
    """Read what is in a file."""
    return ReadResult(checked(told)["extras"]["path"], _not_refused(told), told)


def was_written(told: Json) -> str:
    """Read where a file was written."""
    return checked(told)["extras"]["path"]


def was_edited(told: Json) -> EditResult:
    """Read what an edit has changed."""
    extras = checked(told)["extras"]
    return EditResult(extras["path"], _not_refused(told), extras.get("diff") or "", told)


def checked(told: Json) -> Json:
    """See that the action was done.

    Raises:
        ClientError: It was not; what an agent is told about it is the `detail`.
    """
    if told["observation"] == "error":
        raise ClientError(told["content"], code="action-failed", status=OK)
    return told


def _not_refused(told: Json) -> str:
    content: str = told["content"]
    if told["extras"].get("impl_source") == "oh_aci" and content.startswith(REFUSED):
        raise ClientError(content.removeprefix(REFUSED), code="action-failed", status=OK)
    return content


def server_info(told: Json) -> ServerInfo:
    """Read how busy a server is."""
    used = told["resources"]
    return ServerInfo(
        told["uptime"], told["idle_time"], used["cpu_percent"], used["memory"]["rss"], told
    )


def sandbox_info(told: Json) -> SandboxInfo:
    """Read what a sandbox is."""
    names = ("id", "backend", "isolation", "state", "image", "notebook", "workspace")
    started_at = datetime.fromisoformat(told["started_at"])
    return SandboxInfo(**{name: told[name] for name in names}, started_at=started_at, raw=told)


def made(told: Json) -> Made:
    """Read where a new sandbox is."""
    return Made(told["id"], told["base_url"], told["session_api_key"])
