"""Waits for the sandbox of a cell, and tells in the cell what is to be known about it."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from sandbook.errors import SandboxError
from sandbook.executor import ActionExecutor
from sandbook.machine import RESUMED
from sandbook.news import Listener
from sandbook_kernel.publisher import Publisher

LOOK_AFTER_S = 0.2
"""When to look whether the sandbox is paused: most cells have ended by then, and nobody has looked
yet what the shell waits for."""
NOT_ISOLATED = "Sandbook: the local backend isolates nothing; cells run on this very machine.\n"


class StartInterruptedError(SandboxError):
    """The cell was interrupted before there was a sandbox to run it in."""

    code = "start-interrupted"

    def __init__(self) -> None:
        super().__init__("Nothing was run. The sandbox is still starting; run the cell again.")


class Start:
    """The start of every cell."""

    def __init__(self, executor: ActionExecutor) -> None:
        self._executor = executor
        self._news: Listener | None = None
        self._warned = False
        self._starting: asyncio.Future[None] | None = None

    def interrupt(self) -> None:
        """Let a cell go that waits for the sandbox, which goes on starting."""
        if self._starting is not None and not self._starting.done():
            self._starting.set_exception(StartInterruptedError())

    async def wait(self, publisher: Publisher) -> None:
        """Wait for the sandbox, before the first command, and say if it isolates nothing.

        Raises:
            StartInterruptedError: The cell was interrupted meanwhile.
        """
        if self._warned:
            return
        starting = asyncio.ensure_future(self._executor.start())
        self._starting = stopped = asyncio.get_running_loop().create_future()
        await asyncio.wait([starting, stopped], return_when="FIRST_COMPLETED")
        if stopped.done():
            starting.add_done_callback(lambda task: task.cancelled() or task.exception())
            stopped.result()
        await starting
        self._warned = True
        if self._executor.info and self._executor.info.isolation == "none":
            publisher.notice(NOT_ISOLATED)

    def tell(self, publisher: Publisher) -> None:
        """Say what has become of the sandbox since the last cell."""
        if self._news is None:  # the first cell hears all that was told while it did not run yet
            self._news = self._executor.news.listen(so_far=True)
        for message in self._news.take():
            publisher.notice(f"Sandbook: {message}\n")

    async def resume(self, publisher: Publisher) -> None:
        """Let a paused sandbox go on, since a cell needs it."""
        publisher.notice(f"Sandbook: {RESUMED}\n")
        await self._executor.sandbox.resume()

    @contextlib.asynccontextmanager
    async def watch(self, publisher: Publisher) -> AsyncGenerator[None, None]:
        """Resume the sandbox if it is paused while a cell waits for it."""
        watching = asyncio.ensure_future(self._resume_if_paused(publisher))
        try:
            yield
        finally:
            watching.cancel()

    async def _resume_if_paused(self, publisher: Publisher) -> None:
        await asyncio.sleep(LOOK_AFTER_S)
        try:
            if await self._executor.is_paused():
                await self.resume(publisher)
        except SandboxError as error:
            publisher.notice(f"Sandbook: {error}\n")
