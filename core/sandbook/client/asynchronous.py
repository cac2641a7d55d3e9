"""The client that awaits: its methods do what those of the same name in `synchronous` do."""

from collections.abc import AsyncGenerator, Mapping
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
from sandbook.client.synchronous import START_S, PathLike
from sandbook.client.targets import Target
from sandbook.client.transport import Access, AsyncTransport


class AsyncSandbox:
    """One sandbox, for programs with an event loop; see `Sandbox`."""

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        token: str | None = None,
        start_timeout: float = START_S,
        owner: "AsyncSandboxes | None" = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.id = self.base_url.rpartition("/")[2]
        self.key = key
        self._http = AsyncTransport(Access(base_url, key, token, start_timeout))
        self._owner = owner

    async def run(
        self,
        command: str,
        *,
        timeout: float | None = None,
        is_input: bool = False,
        blocking: bool = False,
        cwd: str | None = None,
    ) -> RunResult:
        """Run a command."""
        call = calls.run(command, timeout=timeout, is_input=is_input, blocking=blocking, cwd=cwd)
        return await self._http.do(call)

    def stream(
        self,
        command: str,
        *,
        timeout: float | None = None,
        blocking: bool = True,
        interrupt: bool = False,
    ) -> AsyncGenerator[Event, None]:
        """Run a command, and tell what it says as it says it."""
        call = calls.stream(command, timeout=timeout, blocking=blocking, interrupt=interrupt)
        return self._http.events(call)

    async def python(self, code: str, *, timeout: float | None = None) -> PythonResult:
        """Run Python code."""
        return await self._http.do(calls.python(code, timeout))

    async def read(self, path: str, start: int = 0, end: int = -1) -> ReadResult:
        """Read a text."""
        return await self._http.do(calls.read(path, start, end))

    async def view(self, path: str, lines: tuple[int, int] | None = None) -> ReadResult:
        """Read a file with its line numbers."""
        return await self._http.do(calls.view(path, lines))

    async def write(self, path: str, text: str) -> str:
        """Write a text."""
        return await self._http.do(calls.write(path, text))

    async def create(self, path: str, text: str) -> EditResult:
        """Make a new file."""
        return await self._http.do(calls.edit(path, "create", file_text=text))

    async def edit(self, path: str, old: str, new: str) -> EditResult:
        """Put a text in the place of another."""
        return await self._http.do(calls.edit(path, "str_replace", old_str=old, new_str=new))

    async def insert(self, path: str, line: int, text: str) -> EditResult:
        """Put a text below a line."""
        return await self._http.do(calls.edit(path, "insert", insert_line=line, new_str=text))

    async def undo_edit(self, path: str) -> EditResult:
        """Take the last edit of a file back."""
        return await self._http.do(calls.edit(path, "undo_edit"))

    async def act(self, action: Mapping[str, Any], *, timeout: float | None = None) -> Json:
        """Do an action in OpenHands' JSON."""
        return await self._http.do(calls.observe(dict(action), timeout))

    async def list_files(self, path: str | None = None) -> list[str]:
        """List a folder."""
        return await self._http.do(calls.list_files(path))

    async def upload(
        self,
        source: PathLike | BinaryIO,
        destination: str = "/workspace",
        *,
        name: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        """Put a file into a folder of the sandbox."""
        await self._http.do(calls.upload(file_upload(source, name, on_progress), destination))

    async def upload_folder(
        self,
        source: PathLike,
        destination: str = "/workspace",
        *,
        on_progress: OnProgress | None = None,
    ) -> None:
        """Put all that is in a folder into one of the sandbox."""
        await self._http.do(calls.upload(folder_upload(source, on_progress), destination))

    async def download(
        self, path: str, to: PathLike | BinaryIO, *, on_progress: OnProgress | None = None
    ) -> None:
        """Get a file."""
        await self._http.fetch(calls.download(path), Target(to, on_progress))

    async def download_zip(
        self, path: str, to: PathLike | BinaryIO, *, on_progress: OnProgress | None = None
    ) -> None:
        """Get all that is below a folder, as a zip archive."""
        await self._http.fetch(calls.download_zip(path), Target(to, on_progress))

    async def alive(self) -> bool:
        """Say whether the sandbox would take an action."""
        return await self._http.do(calls.alive())

    async def info(self) -> ServerInfo:
        """Tell what the server uses."""
        return await self._http.do(calls.info())

    async def trajectory(self) -> Json:
        """Give all that was done as a notebook."""
        return await self._http.do(calls.trajectory())

    async def wait(self) -> None:
        """Wait until the sandbox has started."""
        await self._http.do(calls.ready())

    async def close(self) -> None:
        """Hang up."""
        await self._http.close()

    async def __aenter__(self) -> "AsyncSandbox":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
        if self._owner is not None:
            await self._owner.delete(self.id)


class AsyncSandboxes:
    """The sandboxes of a Jupyter server, for programs with an event loop; see `Sandboxes`."""

    def __init__(self, url: str, token: str, *, start_timeout: float = START_S) -> None:
        self._token = token
        self._access = Access(url, None, token, start_timeout)
        self._http = AsyncTransport(self._access)

    async def create(self, *, wait: bool = True, **wish: Any) -> AsyncSandbox:
        """Make a sandbox."""
        made = await self._http.do(calls.make(wish))
        sandbox = AsyncSandbox(made.base_url, made.key, owner=self)
        try:
            if wait:
                await sandbox.wait()
        except BaseException:
            async with sandbox:
                raise
        return sandbox

    def open(self, sandbox_id: str) -> AsyncSandbox:
        """Use one that is there."""
        return AsyncSandbox(f"{self._access.url}/sandbook/{sandbox_id}", token=self._token)

    async def list(self) -> list[SandboxInfo]:
        """Tell which there are."""
        return await self._http.do(calls.list_sandboxes())

    async def get(self, sandbox_id: str) -> SandboxInfo:
        """Tell what one of them is."""
        return await self._http.do(calls.get_sandbox(sandbox_id))

    async def delete(self, sandbox_id: str) -> None:
        """End one of them."""
        await self._http.do(calls.delete_sandbox(sandbox_id))

    async def pause(self, sandbox_id: str) -> None:
        """Freeze one of them."""
        await self._http.do(calls.pause_sandbox(sandbox_id, "pause"))

    async def resume(self, sandbox_id: str) -> None:
        """Let one of them go on."""
        await self._http.do(calls.pause_sandbox(sandbox_id, "resume"))

    async def close(self) -> None:
        """Hang up."""
        await self._http.close()

    async def __aenter__(self) -> "AsyncSandboxes":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
