"""Files that come in parts, a request for each; nobody in the sandbox sees them before the last."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import IO

from sandbook.errors import InvalidRequestError, TooLargeError
from sandbook.files.entries import FileInfo
from sandbook.files.paths import shown
from sandbook.files.workspace import WorkspaceFiles

FIRST, LAST = 1, -1
MOST_FILES = 16
GIVEN_UP_S = 600.0
"""Who sends nothing more for so long has given up: nobody says so when a page is closed."""
PIECE = 1 << 20


@dataclass(slots=True)
class PartialFile:
    """What has come of a file, in a file of this machine without a name."""

    timer: asyncio.TimerHandle
    spool: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    parts: int = 0
    size: int = 0

    async def pieces(self) -> AsyncIterator[bytes]:
        """Give the bytes."""
        self.spool.seek(0)
        while piece := await asyncio.to_thread(self.spool.read, PIECE):
            yield piece

    def close(self) -> None:
        """Drop the bytes."""
        self.timer.cancel()
        self.spool.close()


class PartialFiles:
    """Those of one sandbox; when they become too many, the oldest go."""

    def __init__(self, limit: int, given_up_s: float = GIVEN_UP_S) -> None:
        self._limit = limit
        self._given_up_s = given_up_s
        self._files: dict[str, PartialFile] = {}
        self._one_by_one = asyncio.Lock()

    async def take(
        self, files: WorkspaceFiles, path: str, part: int, data: bytes
    ) -> FileInfo | None:
        """Take a part; tell what there is so far, or nothing where that was the last one.

        Raises:
            InvalidRequestError: It does not follow the part before.
            TooLargeError: All together is more than is taken.
        """
        async with self._one_by_one:
            found = self._found(path, part)
            try:
                await self._add(found, path, data)
            except BaseException:
                self.drop(path)
                raise
            if part != LAST:
                return FileInfo(path, "file", found.size, 0o666, 0, 0, time.time_ns())
            del self._files[path]
        try:
            await files.write_stream(path, found.pieces())
        finally:
            found.close()
        return None

    def drop(self, path: str) -> None:
        """Forget what has come of a file."""
        if found := self._files.pop(path, None):
            found.close()

    def close(self) -> None:
        """Forget all."""
        for path in list(self._files):
            self.drop(path)

    def _found(self, path: str, part: int) -> PartialFile:
        if part == FIRST:
            self.drop(path)
            while len(self._files) >= MOST_FILES:
                self.drop(next(iter(self._files)))
            self._files[path] = PartialFile(self._timer(path))
        found = self._files.get(path)
        if found is None or part not in {found.parts + 1, LAST}:
            raise InvalidRequestError(
                f"Part {part} of {shown(path)!r} does not follow what has come. Send it again from "
                "its beginning, as `chunk` 1."
            )
        return found

    async def _add(self, found: PartialFile, path: str, data: bytes) -> None:
        found.timer.cancel()
        found.timer = self._timer(path)
        found.parts += 1
        found.size += len(data)
        if sum(file.size for file in self._files.values()) > self._limit:
            raise TooLargeError(shown(path), self._limit)
        await asyncio.to_thread(found.spool.write, data)

    def _timer(self, path: str) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(self._given_up_s, self.drop, path)
