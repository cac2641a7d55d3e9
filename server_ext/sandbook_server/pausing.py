"""Nobody waits for a sandbox that stands still."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from types import TracebackType

from sandbook.errors import SandboxPausedError

EVERY_S = 2.0


class UnlessPaused:
    """Ends what is done with a sandbox when that is paused meanwhile: it would wait for ever."""

    def __init__(
        self, sandbox_id: str, is_paused: Callable[[], Awaitable[bool]], every_s: float = EVERY_S
    ) -> None:
        self._sandbox_id = sandbox_id
        self._is_paused = is_paused
        self._every_s = every_s
        self._has_ended = False

    async def __aenter__(self) -> None:
        """Begin to look."""
        self._watching = asyncio.ensure_future(self._watch(asyncio.current_task()))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Say why it was ended.

        Raises:
            SandboxPausedError: Because of us.
        """
        self._watching.cancel()
        if not self._has_ended:
            return
        if kind is None:  # it was done at the same moment: what we asked for is still to come
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
        elif issubclass(kind, asyncio.CancelledError):
            raise SandboxPausedError(self._sandbox_id) from error

    async def _watch(self, task: "asyncio.Task[None] | None") -> None:
        while not self._has_ended:
            await asyncio.sleep(self._every_s)
            self._has_ended = await self._is_paused()
        if task is not None:
            task.cancel()
