"""One road for cells and agents: an action goes in, an observation comes out."""

import asyncio
import contextlib
from collections.abc import Callable

from sandbook.actions import RunAction
from sandbook.errors import SandboxNotFoundError
from sandbook.observations import CommandResult
from sandbook.sandbox.base import Backend, Sandbox, SandboxInfo, SandboxRequest
from sandbook.sandbox.factory import SandboxFactory
from sandbook.session.bash import BashSession

RESTART_GRACE_S = 60


class ActionExecutor:
    """Owns one sandbox and its shell: makes them when needed, and again when they are lost."""

    def __init__(self, factory: SandboxFactory, request: SandboxRequest) -> None:
        self._factory = factory
        self._request = request
        self._starting = asyncio.Lock()
        self._backend: Backend | None = None
        self._sandbox: Sandbox | None = None
        self._session: BashSession | None = None

    @property
    def info(self) -> SandboxInfo | None:
        """What is known of the sandbox; nothing before it has started."""
        return self._sandbox.info if self._sandbox else None

    async def start(self) -> BashSession:
        """Make sure that a shell runs in the sandbox; quick when it does.

        Raises:
            SandboxError: There can be none; the message says what to do.
        """
        async with self._starting:
            if self._session is None or not self._session.is_alive:
                self._sandbox = await self._find_or_create()
                cwd = self._session.cwd if self._session else ""
                self._session = BashSession(self._sandbox, cwd)
                await self._session.start()
            return self._session

    async def run(self, action: RunAction, on_output: Callable[[bytes], None]) -> CommandResult:
        """Do the action to its end; `on_output` gets each piece of output as it arrives."""
        session = await self.start()
        return await session.run(action.command, on_output)

    async def interrupt(self) -> None:
        """Stop what runs in the shell now, and keep the shell."""
        if self._session is not None:
            await self._session.interrupt()

    async def close(self, *, restart: bool) -> None:
        """End the shell, and the sandbox with it unless its next owner is about to come."""
        async with self._starting:  # what is half made must be whole before it can be removed
            if self._sandbox is not None and restart:
                await self._sandbox.release(RESTART_GRACE_S)
            if self._session is not None:
                self._session.close()
            if self._backend is not None and not restart:
                await self._backend.remove(self._request.sandbox_id)
            self._factory.close()

    async def _find_or_create(self) -> Sandbox:
        if self._backend is None:
            self._backend = await self._factory.choose()
        with contextlib.suppress(SandboxNotFoundError):
            return await self._backend.find(self._request.sandbox_id)
        return await self._backend.create(self._request)
