"""The client that waits: one sandbox, or all sandboxes of a server."""

import os
from collections.abc import Generator, Mapping
from types import TracebackType
from typing import Any, BinaryIO

from sandbook.client import calls
from sandbook.client.events import Event
from sandbook.client.results import (
    EditResult,
    Json,
    PythonResult,
    ReadResult,
    RunResult,
    SandboxInfo,
    ServerInfo,
)
from sandbook.client.sources import OnProgress, file_upload, folder_upload
from sandbook.client.targets import Target
from sandbook.client.transport import Access, Transport

START_S = 10.0
PathLike = str | os.PathLike[str]


class Sandbox:
    """One sandbox, by its URL and its key, or the token of its server.

    Whatever fails raises `ClientError`, but a command that fails or goes on does not: that is a
    result like any other.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        token: str | None = None,
        start_timeout: float = START_S,
        owner: "Sandboxes | None" = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            base_url: As `sandbook serve` prints it: `http://127.0.0.1:40123/sandbook/3f2a…`.
            start_timeout: How many seconds to wait for a server that does not listen yet.
            owner: Who ends it at the end of a `with`.
        """
        self.base_url = base_url.rstrip("/")
        self.id = self.base_url.rpartition("/")[2]
        self.key = key
        self._http = Transport(Access(base_url, key, token, start_timeout))
        self._owner = owner

    def run(
        self,
        command: str,
        *,
        timeout: float | None = None,
        is_input: bool = False,
        blocking: bool = False,
        cwd: str | None = None,
    ) -> RunResult:
        """Run a command in the sandbox's own shell, which keeps its directory and variables.

        Args:
            command: An empty one waits for more of what runs; `C-c` and the like press keys.
            timeout: Answer after so many seconds; the command goes on.
            is_input: Type it to the program that runs.
            blocking: Wait to the end also of a command that says nothing for long.
            cwd: Run it in a shell of its own that begins there.
        """
        call = calls.run(command, timeout=timeout, is_input=is_input, blocking=blocking, cwd=cwd)
        return self._http.do(call)

    def stream(
        self,
        command: str,
        *,
        timeout: float | None = None,
        blocking: bool = True,
        interrupt: bool = False,
    ) -> Generator[Event, None, None]:
        """Run a command, and give `Started`, `Output` as it happens, and `Completed`.

        Args:
            interrupt: Stop the command with Ctrl-C when nobody listens any more.
        """
        call = calls.stream(command, timeout=timeout, blocking=blocking, interrupt=interrupt)
        return self._http.events(call)

    def python(self, code: str, *, timeout: float | None = None) -> PythonResult:
        """Run code in the sandbox's IPython, which keeps its variables."""
        return self._http.do(calls.python(code, timeout))

    def read(self, path: str, start: int = 0, end: int = -1) -> ReadResult:
        """Read a text, or the lines from `start` up to `end`; what is no text is a data URL."""
        return self._http.do(calls.read(path, start, end))

    def view(self, path: str, lines: tuple[int, int] | None = None) -> ReadResult:
        """Read a file with its line numbers, or what is in a folder; the path is absolute."""
        return self._http.do(calls.view(path, lines))

    def write(self, path: str, text: str) -> str:
        """Let a file hold just this text, and give back where; `upload` is for bytes."""
        return self._http.do(calls.write(path, text))

    def create(self, path: str, text: str) -> EditResult:
        """Make a file that is not there yet; the path is absolute, as for all edits."""
        return self._http.do(calls.edit(path, "create", file_text=text))

    def edit(self, path: str, old: str, new: str) -> EditResult:
        """Put a text in the place of another, which must be in the file exactly once."""
        return self._http.do(calls.edit(path, "str_replace", old_str=old, new_str=new))

    def insert(self, path: str, line: int, text: str) -> EditResult:
        """Put a text below a line; 0 is for the top of the file."""
        return self._http.do(calls.edit(path, "insert", insert_line=line, new_str=text))

    def undo_edit(self, path: str) -> EditResult:
        """Take the last edit of a file back."""
        return self._http.do(calls.edit(path, "undo_edit"))

    def act(self, action: Mapping[str, Any], *, timeout: float | None = None) -> Json:
        """Do an action in OpenHands' JSON, and give its observation just as it came."""
        return self._http.do(calls.observe(dict(action), timeout))

    def list_files(self, path: str | None = None) -> list[str]:
        """List a folder, by default the workspace; folders end in a slash."""
        return self._http.do(calls.list_files(path))

    def upload(
        self,
        source: PathLike | BinaryIO,
        destination: str = "/workspace",
        *,
        name: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        """Put a file into a folder of the sandbox; what is called `.zip` is unpacked there.

        Args:
            source: A path, or a file that is open for reading bytes.
            name: What it is to be called; by default as it is here.
            on_progress: Is called with the bytes so far, and all where that is known.
        """
        self._http.do(calls.upload(file_upload(source, name, on_progress), destination))

    def upload_folder(
        self,
        source: PathLike,
        destination: str = "/workspace",
        *,
        on_progress: OnProgress | None = None,
    ) -> None:
        """Put all that is in a folder into one of the sandbox."""
        self._http.do(calls.upload(folder_upload(source, on_progress), destination))

    def download(
        self, path: str, to: PathLike | BinaryIO, *, on_progress: OnProgress | None = None
    ) -> None:
        """Get a file; the path is absolute. A download that fails leaves no half of it."""
        self._http.fetch(calls.download(path), Target(to, on_progress))

    def download_zip(
        self, path: str, to: PathLike | BinaryIO, *, on_progress: OnProgress | None = None
    ) -> None:
        """Get all that is below a folder, as a zip archive."""
        self._http.fetch(calls.download_zip(path), Target(to, on_progress))

    def alive(self) -> bool:
        """Say whether the sandbox would take an action."""
        return self._http.do(calls.alive())

    def info(self) -> ServerInfo:
        """Tell how long the server runs, and what it uses."""
        return self._http.do(calls.info())

    def trajectory(self) -> Json:
        """Give all that was done in the sandbox as a notebook, which `nbformat` reads."""
        return self._http.do(calls.trajectory())

    def wait(self) -> None:
        """Wait until the sandbox has started, or hear why it cannot."""
        self._http.do(calls.ready())

    def close(self) -> None:
        """Hang up. The sandbox goes on."""
        self._http.close()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hang up; a sandbox that was made by `Sandboxes.create` is ended, too."""
        self.close()
        if self._owner is not None:
            self._owner.delete(self.id)


class Sandboxes:
    """The sandboxes of a Jupyter server, by its URL and its token."""

    def __init__(self, url: str, token: str, *, start_timeout: float = START_S) -> None:
        self._token = token
        self._access = Access(url, None, token, start_timeout)
        self._http = Transport(self._access)

    def create(self, *, wait: bool = True, **wish: Any) -> Sandbox:
        """Make a sandbox, which ends with the `with` that it is used in.

        Args:
            wait: Come back when it has started, or raise why it could not.
            wish: `image`, `backend`, `env`, `limits`, `workspace` and what else the reference of
                the API names.
        """
        made = self._http.do(calls.make(wish))
        sandbox = Sandbox(made.base_url, made.key, owner=self)
        try:
            if wait:
                sandbox.wait()
        except BaseException:
            with sandbox:
                raise
        return sandbox

    def open(self, sandbox_id: str) -> Sandbox:
        """Use one that is there, such as that of a notebook."""
        return Sandbox(f"{self._access.url}/sandbook/{sandbox_id}", token=self._token)

    def list(self) -> list[SandboxInfo]:
        """Tell which there are, oldest first."""
        return self._http.do(calls.list_sandboxes())

    def get(self, sandbox_id: str) -> SandboxInfo:
        """Tell what one of them is."""
        return self._http.do(calls.get_sandbox(sandbox_id))

    def delete(self, sandbox_id: str) -> None:
        """End one of them, and its kernel with it."""
        self._http.do(calls.delete_sandbox(sandbox_id))

    def pause(self, sandbox_id: str) -> None:
        """Freeze one of them."""
        self._http.do(calls.pause_sandbox(sandbox_id, "pause"))

    def resume(self, sandbox_id: str) -> None:
        """Let one of them go on."""
        self._http.do(calls.pause_sandbox(sandbox_id, "resume"))

    def close(self) -> None:
        """Hang up."""
        self._http.close()

    def __enter__(self) -> "Sandboxes":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
