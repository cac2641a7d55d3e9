"""What a client asks of a server: each call is what to send, and how to read the answer. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from sandbook.client import results
from sandbook.client.results import Json
from sandbook.client.sources import Upload

T = TypeVar("T")
ANSWER_S = 60.0
"""How long a server may take for what is quick."""
MARGIN_S = 15.0
"""How much later than the action the request gives up."""
BEAT_S = 60.0
"""A stream is never silent for so long: the server keeps the line open."""
TRANSFER_S = 300.0


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request."""

    method: str
    path: str
    read: Callable[[Any], T]
    """Makes a result of the JSON that comes."""
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Any = None
    upload: Upload | None = None
    timeout_s: float | None = ANSWER_S
    """How long to wait for something to come; `None` is for ever."""


def _same(told: Any) -> Any:
    return told


def _nothing(_: Any) -> None:
    return None


def act(action: Json, read: Callable[[Json], T], timeout_s: float | None = None) -> Call[T]:
    """Do any action. Without a timeout nobody knows how long it takes."""
    limit = None if timeout_s is None else timeout_s + MARGIN_S
    body = {"action": action if timeout_s is None else {**action, "timeout": timeout_s}}
    return Call("POST", "execute_action", read, body=body, timeout_s=limit)


def observe(action: Json, timeout_s: float | None) -> Call[Json]:
    """Do an action that an agent has written itself; whatever comes of it is the answer."""
    return act(action, _same, timeout_s or action.get("timeout"))


def run(
    command: str,
    *,
    timeout: float | None = None,
    is_input: bool = False,
    blocking: bool = False,
    cwd: str | None = None,
) -> Call[results.RunResult]:
    """Take a turn at the shell."""
    arguments: Json = {"command": command, "is_input": is_input, "blocking": blocking}
    if cwd is not None:
        arguments |= {"is_static": True, "cwd": cwd}
    return act(_action("run", arguments), results.ran, timeout)


def stream(
    command: str, *, timeout: float | None, blocking: bool, interrupt: bool
) -> Call[results.RunResult]:
    """Run a command, and be told of it as it happens."""
    call = run(command, timeout=timeout, blocking=blocking)
    query = {"interrupt": "1"} if interrupt else {}
    return Call("POST", "execute_action_stream", call.read, query, body=call.body, timeout_s=BEAT_S)


def python(code: str, timeout: float | None) -> Call[results.PythonResult]:
    """Run Python code."""
    action = _action("run_ipython", {"code": code, "include_extra": False})
    return act(action, results.ran_python, timeout)


def read(path: str, start: int, end: int) -> Call[results.ReadResult]:
    """Read a file."""
    action = _action("read", {"path": path, "start": start, "end": end})
    return act(action, results.was_read, ANSWER_S)


def view(path: str, lines: tuple[int, int] | None) -> Call[results.ReadResult]:
    """Read a file with line numbers, as agents are shown it."""
    arguments: Json = {"path": path, "impl_source": "oh_aci"}
    if lines is not None:
        arguments["view_range"] = list(lines)
    return act(_action("read", arguments), results.was_read, ANSWER_S)


def write(path: str, text: str) -> Call[str]:
    """Write a file just so: without `exact`, the server would add a newline."""
    arguments = {"path": path, "content": text, "exact": True}
    return act(_action("write", arguments), results.was_written, ANSWER_S)


def edit(path: str, command: str, **more: str | int) -> Call[results.EditResult]:
    """Take a step of the editor."""
    action = _action("edit", {"path": path, "command": command, **more})
    return act(action, results.was_edited, ANSWER_S)


def _action(name: str, arguments: Json) -> Json:
    return {"action": name, "args": arguments}


def list_files(path: str | None) -> Call[list[str]]:
    """List a folder."""
    return Call("POST", "list_files", _same, body={} if path is None else {"path": path})


def upload(what: Upload, destination: str) -> Call[None]:
    """Put a file, or all that is in an archive, into a folder."""
    query = {"destination": destination}
    if what.is_archive:
        query["recursive"] = "true"
    return Call("POST", "upload_file", _nothing, query, upload=what, timeout_s=TRANSFER_S)


def download(path: str) -> Call[None]:
    """Get the bytes of a file."""
    where = quote(path.lstrip("/"))
    return Call("GET", f"files/{where}", _nothing, {"download": "1"}, timeout_s=TRANSFER_S)


def download_zip(path: str) -> Call[None]:
    """Get all that is below a folder."""
    return Call("GET", "download_files", _nothing, {"path": path}, timeout_s=TRANSFER_S)


def alive() -> Call[bool]:
    """Ask whether an agent can begin."""
    return Call("GET", "alive", lambda told: told["status"] == "ok")


def info() -> Call[results.ServerInfo]:
    """Ask how busy the server is."""
    return Call("GET", "server_info", results.server_info)


def trajectory() -> Call[Json]:
    """Get all that was done, as a notebook."""
    return Call("GET", "trajectory.ipynb", _same, timeout_s=TRANSFER_S)


def ready() -> Call[results.RunResult]:
    """Wait for a sandbox that is about to start, however long its image takes."""
    arguments = {"command": "true", "hidden": True, "blocking": True}
    return act(_action("run", arguments), results.ran)


def make(wish: Mapping[str, Any]) -> Call[results.Made]:
    """Make a sandbox."""
    body = {name: value for name, value in wish.items() if value is not None}
    return Call("POST", "sandbook/sandboxes", results.made, body=body)


def list_sandboxes() -> Call[list[results.SandboxInfo]]:
    """List the sandboxes."""
    return Call("GET", "sandbook/sandboxes", lambda rows: [results.sandbox_info(r) for r in rows])


def get_sandbox(sandbox_id: str) -> Call[results.SandboxInfo]:
    """Ask what a sandbox is."""
    return Call("GET", _sandbox(sandbox_id), results.sandbox_info)


def delete_sandbox(sandbox_id: str) -> Call[None]:
    """End a sandbox."""
    return Call("DELETE", _sandbox(sandbox_id), _nothing)


def pause_sandbox(sandbox_id: str, what: str) -> Call[None]:
    """Freeze a sandbox, or let it go on."""
    return Call("POST", f"{_sandbox(sandbox_id)}/{what}", _nothing)


def _sandbox(sandbox_id: str) -> str:
    return f"sandbook/sandboxes/{quote(sandbox_id, safe='')}"
