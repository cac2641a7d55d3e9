"""A short way for the bytes of large files, where the workspace is a folder of this machine.

Through an engine, each byte is copied five times. A program inside the sandbox still decides which
file that is, and makes it and gives it its name; only what is in it is read and written from here.
Whoever is in the sandbox may put something else there meanwhile. So no link is followed, and what
is found must look like the file that the program told of.
"""

import asyncio
import contextlib
import os
import posixpath
import stat
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from typing import TypeVar

from sandbook.files.courier import Errand, Fault
from sandbook.files.entries import FileInfo
from sandbook.files.paths import to_bytes
from sandbook.files.pieces import PIECE, batches
from sandbook.sandbox.base import Sandbox

FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MOST_AT_ONCE = 512

A = TypeVar("A")
R = TypeVar("R")


class Shortcut:
    """Finds files of a sandbox on this machine."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._inside = sandbox.workspace
        self._here = sandbox.info.workspace

    async def put_all(self, errand: Errand, path: str, pieces: AsyncIterable[bytes]) -> None:
        """Send a file that is to be written at this path, on the short way where there is one."""
        rest = batches(pieces)
        none: list[memoryview] = []
        first = b"".join(await anext(rest, none))
        await errand.put(first)
        if len(first) == PIECE:  # there may be more of it
            await errand.settle()
            beside = posixpath.join(posixpath.dirname(path), errand.temporary)
            place = await asyncio.to_thread(self._place_to_write, beside, PIECE)
            with contextlib.closing(place) if place else contextlib.nullcontext():
                async for batch in rest:
                    if place:
                        errand.check()
                        await place.write(batch)
                    else:
                        await errand.put(b"".join(batch))
        await errand.finish()

    @contextlib.asynccontextmanager
    async def reading(
        self, path: str, info: FileInfo, offset: int, count: int
    ) -> AsyncGenerator[AsyncIterator[bytes] | None, None]:
        """Give the bytes of a file on the short way; nothing if there is none.

        Only of what anybody may read: we may be allowed more than the user of the sandbox.
        """
        place = await asyncio.to_thread(self._place_to_read, path, info, offset)
        with contextlib.closing(place) if place else contextlib.nullcontext():
            yield place.pieces(count) if place else None

    def _place_to_write(self, path: str, size: int) -> "_Place | None":
        found = self._open(path, os.O_WRONLY)
        if found and (found[1].st_nlink, found[1].st_size) == (1, size):
            return _Place(found[0], size)
        return _closed(found)

    def _place_to_read(self, path: str, info: FileInfo, offset: int) -> "_Place | None":
        found = self._open(path, os.O_RDONLY)
        if found and found[1].st_mode & stat.S_IROTH and _looks_like(info, found[1]):
            return _Place(found[0], offset)
        return _closed(found)

    def _open(self, path: str, how: int) -> tuple[int, os.stat_result] | None:
        relative = posixpath.relpath(path, self._inside)
        if not self._here or ".." in (*path.split("/"), *relative.split("/")):
            return None
        descriptor = _open_below(self._here, relative, how | FILE)
        if descriptor is None:
            return None
        found = (descriptor, os.fstat(descriptor))
        return found if stat.S_ISREG(found[1].st_mode) else _closed(found)


def _looks_like(info: FileInfo, found: os.stat_result) -> bool:
    return (found.st_size, found.st_mtime_ns) == (info.size, info.modified_ns)


def _closed(found: tuple[int, os.stat_result] | None) -> None:
    if found:
        os.close(found[0])


class _Place:
    """An open file, and where in it we are."""

    def __init__(self, descriptor: int, offset: int) -> None:
        self._descriptor = descriptor
        self._offset = offset

    async def write(self, batch: list[memoryview]) -> None:
        """Write all of it.

        Raises:
            Fault: That was not possible.
        """
        try:
            await _to_its_end(self._write, batch)
        except OSError as error:
            raise Fault(os.strerror(error.errno or 0)) from error

    async def pieces(self, count: int) -> AsyncIterator[bytes]:
        """Read so many bytes, or as many as there are.

        Raises:
            Fault: That was not possible.
        """
        try:
            while count and (piece := await _to_its_end(self._read, min(count, PIECE))):
                count -= len(piece)
                yield piece
        except OSError as error:
            raise Fault(os.strerror(error.errno or 0)) from error

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def _read(self, most: int) -> bytes:
        data = os.pread(self._descriptor, most, self._offset)
        self._offset += len(data)
        return data

    def _write(self, batch: list[memoryview]) -> None:
        if len(batch) > MOST_AT_ONCE:
            batch = [memoryview(b"".join(batch))]
        written = os.pwritev(self._descriptor, batch, self._offset)
        self._offset += written
        if written < sum(map(len, batch)):  # the disk is full, mostly
            self._write([memoryview(b"".join(batch))[written:]])


async def _to_its_end(work: Callable[[A], R], what: A) -> R:
    """Work in a thread, which nobody can stop: until it is done, its file must stay open."""
    working = asyncio.ensure_future(asyncio.to_thread(work, what))
    try:
        return await asyncio.shield(working)
    finally:
        await asyncio.wait({working})


def _open_below(folder: str, relative: str, how: int) -> int | None:
    """Open a file step by step, so that no link on the way leads anywhere."""
    *folders, name = to_bytes(relative).split(b"/")
    try:
        with contextlib.ExitStack() as stack:
            at = os.open(folder, FOLDER)
            stack.callback(os.close, at)
            for one in folders:
                at = os.open(one, FOLDER | os.O_NOFOLLOW, dir_fd=at)
                stack.callback(os.close, at)
            return os.open(name, how, dir_fd=at)
    except OSError:
        return None
