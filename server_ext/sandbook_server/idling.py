"""Ends sandboxes that agents have left."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from sandbook.errors import SandboxNotFoundError


@dataclass
class Watch:
    """What is known of a sandbox that may end."""

    timeout_s: float
    busy: int = 0
    """How many requests are on their way."""
    used: float = field(default_factory=time.monotonic)


class Idling:
    """Counts the requests about sandboxes, and ends those about which there are none for long.

    Jupyter, where it ends kernels that are idle, is told of them, too.
    """

    def __init__(self, end: Callable[[str], Awaitable[None]], kernels: Any) -> None:
        self._end = end
        self._kernels = kernels
        self._watched: dict[str, Watch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def watch(self, sandbox_id: str, timeout_s: float) -> None:
        """End a sandbox after so many seconds in which nobody wanted anything of it; 0 is never."""
        if timeout_s:
            self._watched[sandbox_id] = Watch(timeout_s)
            self._tasks[sandbox_id] = asyncio.ensure_future(self._wait(sandbox_id))

    @contextlib.contextmanager
    def used(self, sandbox_id: str) -> Iterator[None]:
        """Note that somebody uses it, from now until then."""
        watch = self._watched.get(sandbox_id, Watch(0))
        watch.busy += 1
        self._kernels.notify_connect(sandbox_id)
        try:
            yield
        finally:
            watch.busy -= 1
            watch.used = time.monotonic()
            self._kernels.notify_disconnect(sandbox_id)
            if sandbox_id in self._kernels:
                self._kernels.get_kernel(sandbox_id).last_activity = datetime.now(timezone.utc)

    def forget(self, sandbox_id: str) -> None:
        """Watch no longer over a sandbox that is gone."""
        self._watched.pop(sandbox_id, None)
        if task := self._tasks.pop(sandbox_id, None):
            task.cancel()

    async def close(self) -> None:
        """Watch over nothing any more."""
        tasks = list(self._tasks.values())
        for sandbox_id in list(self._watched):
            self.forget(sandbox_id)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait(self, sandbox_id: str) -> None:
        watch = self._watched[sandbox_id]
        while watch.busy or time.monotonic() < watch.used + watch.timeout_s:
            left = watch.used + watch.timeout_s - time.monotonic()
            await asyncio.sleep(watch.timeout_s if watch.busy else max(left, 0))
        self._watched.pop(sandbox_id, None)
        self._tasks.pop(sandbox_id, None)
        with contextlib.suppress(SandboxNotFoundError):
            await self._end(sandbox_id)
