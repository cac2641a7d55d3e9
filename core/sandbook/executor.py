"""One road for cells and agents: an action goes in, an observation comes out."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future

from sandbook.actions import RunAction
from sandbook.errors import (
    OutOfMemoryError,
    SandboxError,
    SandboxNotFoundError,
    SandboxStartError,
    SessionLostError,
)
from sandbook.observations import CommandResult
from sandbook.sandbox.base import Backend, OnProgress, Sandbox, SandboxInfo, SandboxRequest
from sandbook.sandbox.factory import SandboxFactory
from sandbook.sandbox.progress import Progress
from sandbook.session.bash import BashSession

RESTART_GRACE_S = 60
KILLED = 128 + 9
DYING_TRIES, DYING_EVERY_S = 20, 0.25


class ActionExecutor:
    """Owns one sandbox and its shells: makes them when needed, and again when they are lost."""

    def __init__(self, factory: SandboxFactory, request: SandboxRequest) -> None:
        self._factory = factory
        self._request = request
        self._starting = asyncio.Lock()
        self._early: Future[None] | None = None
        self._backend: Backend | None = None
        self._sandbox: Sandbox | None = None
        self._sessions: dict[bool, BashSession] = {}
        self._oom_kills = 0
        self.on_progress: OnProgress | None = None
        """Told how far the image of the sandbox is, from a thread."""

    @property
    def info(self) -> SandboxInfo | None:
        """What is known of the sandbox; nothing before it has started."""
        return self._sandbox.info if self._sandbox else None

    def start_early(self) -> None:
        """Begin to start sandbox and shell in a thread, while the process is busy with imports."""
        early: Future[None] = Future()

        def work() -> None:
            try:
                asyncio.run(self._open())
            except Exception as error:  # noqa: BLE001 -- `start` raises it again
                early.set_exception(error)
            else:
                early.set_result(None)

        self._early = early
        threading.Thread(target=work, name="sandbook-early-start", daemon=True).start()

    async def start(self, *, root: bool = False) -> BashSession:
        """Make sure that a shell runs in the sandbox; quick when it does.

        Raises:
            SandboxError: There can be none; the message says what to do.
        """
        async with self._starting:
            early, self._early = self._early, None
            try:
                if early is not None:
                    await asyncio.wrap_future(early)
                    await self._sessions[False].start()
                session = self._sessions.get(root)
                if session is None or not session.is_alive:
                    session = await self._open(root=root)
                    await session.start()
            except SessionLostError as error:
                raise await self._explained(error) from error
            return session

    async def run(self, action: RunAction, on_output: Callable[[bytes], None]) -> CommandResult:
        """Do the action to its end; `on_output` gets each piece of output as it arrives.

        Raises:
            OutOfMemoryError: The command, or the shell with it, was ended for want of memory.
            SessionLostError: The shell or its sandbox is gone; the message says why.
        """
        session = await self.start(root=action.root)
        try:
            result = await session.run(action.command, on_output)
        except SessionLostError as error:
            raise await self._explained(error) from error
        if result.exit_code == KILLED:
            await self._check_memory()
        return result

    async def interrupt(self) -> None:
        """Stop what runs in the shells now, and keep the shells."""
        await asyncio.gather(*(session.interrupt() for session in self._sessions.values()))

    async def close(self, *, restart: bool) -> None:
        """End the shells, and the sandbox with them unless its next owner is about to come."""
        if self._backend is not None:
            self._backend.cancel()
        async with self._starting:  # what is half made must be whole before it can be removed
            if self._early is not None:
                await asyncio.gather(asyncio.wrap_future(self._early), return_exceptions=True)
            if self._sandbox is not None and restart:
                await self._sandbox.release(RESTART_GRACE_S)
            for session in self._sessions.values():
                session.close()
            if self._backend is not None and not restart:
                await self._backend.retire(self._request.sandbox_id)
            self._factory.close()

    async def _open(self, *, root: bool = False) -> BashSession:
        """Start a shell, where the last one was, in the sandbox that is there or in a new one."""
        if self._backend is None:
            self._backend = await self._factory.choose()
            self._backend.on_progress = self._tell_progress
        for _ in range(DYING_TRIES):
            try:
                self._sandbox = await self._backend.find(self._request.sandbox_id)
            except SandboxNotFoundError:
                break
            with contextlib.suppress(SandboxStartError):
                if self._sandbox.info.state == "paused":
                    await self._sandbox.resume()
                return await self._open_in(self._sandbox, root=root)
            await asyncio.sleep(DYING_EVERY_S)  # it was found, but is on its way out
        self._oom_kills = 0
        self._sandbox = await self._backend.create(self._request)
        return await self._open_in(self._sandbox, root=root)

    async def _open_in(self, sandbox: Sandbox, *, root: bool) -> BashSession:
        last = self._sessions.get(root)
        session = BashSession(sandbox, last.cwd if last else "", root=root)
        await session.open()
        self._sessions[root] = session
        return session

    def _tell_progress(self, progress: Progress) -> None:
        if self.on_progress is not None:
            self.on_progress(progress)

    async def _explained(self, error: SessionLostError) -> SandboxError:
        """Say what has become of the shell, as well as the backend knows."""
        if self._sandbox is None:
            return error
        try:
            await self._check_memory()
            return SessionLostError(await self._sandbox.why_lost())
        except SandboxError as known:
            return known

    async def _check_memory(self) -> None:
        if self._sandbox is None:
            return
        before = self._oom_kills
        with contextlib.suppress(SandboxError):
            self._oom_kills = await self._sandbox.oom_kills()
        if self._oom_kills > before:
            raise OutOfMemoryError(self._sandbox.info.limits.memory_mb)
