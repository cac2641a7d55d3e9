"""Bytes from somebody who brings them to somebody who fetches them, with few on the way."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, TypeVar

PIECES = 16

T = TypeVar("T")


class Channel(Generic[T]):
    """Runs the one who fetches as a task of its own."""

    def __init__(self, fetch: Callable[[AsyncIterator[bytes]], Awaitable[T]]) -> None:
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue(PIECES)
        self._fetching = asyncio.ensure_future(fetch(self._pieces()))

    async def put(self, piece: bytes) -> None:
        """Bring a piece; wait while there are too many. After a failure it is thrown away."""
        if not self._waiting.full():
            self._waiting.put_nowait(piece)
            return
        putting = asyncio.ensure_future(self._waiting.put(piece))
        try:
            await asyncio.wait({putting, self._fetching}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            putting.cancel()

    async def end(self) -> T:
        """Say that this was all, and wait for what comes of it.

        Raises:
            ConnectionAbortedError: Somebody has stopped it meanwhile.
        """
        await self.put(b"")
        await self.wait()
        if self._fetching.cancelled():
            raise ConnectionAbortedError
        return self._fetching.result()

    def stop(self) -> None:
        """Let everything be as if nothing had been brought."""
        self._fetching.cancel()
        self._fetching.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def wait(self) -> None:
        """Wait for the end, whatever it is."""
        await asyncio.wait({self._fetching})

    async def _pieces(self) -> AsyncIterator[bytes]:
        while piece := await self._waiting.get():
            yield piece
