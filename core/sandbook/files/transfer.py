"""Copies files and folders between this machine and a sandbox, in pieces."""

import asyncio
import contextlib
import posixpath
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable
from dataclasses import dataclass
from typing import IO

from sandbook.errors import FileError, PathNotFoundError
from sandbook.files.conversion import convert
from sandbook.files.host import PIECE, HostPath
from sandbook.files.paths import shown
from sandbook.files.workspace import WorkspaceFiles

LARGE = 8_000_000
"""From here on somebody wants to see how far it is, in bytes."""
EVERY_S = 0.2

OnBytes = Callable[[int, int | None], None]
"""Told how many bytes have gone over, and of how many if that is known."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied, and where it lies now."""

    path: str
    count: int
    """Bytes."""
    is_folder: bool = False


class Meter:
    """Counts bytes and tells, now and then, how far a large transfer is."""

    def __init__(self, tell: OnBytes | None, total: int | None = None) -> None:
        self._tell = tell
        self._total = total
        self._told = 0.0
        self.count = 0

    def add(self, count: int) -> None:
        """Count."""
        self.count += count
        now = time.monotonic()
        is_large = max(self.count, self._total or 0) >= LARGE
        if self._tell is not None and is_large and now - self._told >= EVERY_S:
            self._told = now
            self._tell(min(self.count, self._total or self.count), self._total)

    def finish(self) -> None:
        """Tell that all is there, if anything was told before."""
        if self._tell is not None and self._told:
            self._tell(self._total or self.count, self._total or self.count)

    async def over(self, pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        """Count what passes."""
        async for piece in pieces:
            yield piece
            self.add(len(piece))
        self.finish()


async def put(
    files: WorkspaceFiles,
    source: HostPath,
    target: str = "",
    *,
    replace: bool = False,
    on_bytes: OnBytes | None = None,
) -> Copied:
    """Copy a file or a folder of this machine into the sandbox; to the same name without a target.

    Raises:
        AlreadyExistsError: It would replace something, and was not to.
        FileError: It cannot be read or written; nothing was changed.
    """
    is_folder = await asyncio.to_thread(lambda: source.is_folder)
    path = await _place(files, target, source.name)
    if is_folder:
        return await _put_folder(files, source, path, on_bytes, replace=replace)
    with await asyncio.to_thread(source.open) as file:
        found = await asyncio.to_thread(source.stat)
        meter = Meter(on_bytes, found.st_size)
        mode = found.st_mode & 0o777
        await files.write_stream(path, meter.over(_read(file)), mode=mode, replace=replace)
    return Copied(files.absolute(path), meter.count)


async def get(
    files: WorkspaceFiles,
    path: str,
    target: HostPath,
    *,
    replace: bool = False,
    on_bytes: OnBytes | None = None,
) -> Copied:
    """Copy a file of the sandbox to this machine; a folder becomes a zip archive.

    What a sandbox packs is not unpacked here: that is for the user to decide.

    Raises:
        AlreadyExistsError: It would replace something, and was not to.
        FileError: It cannot be read or written; nothing was changed.
    """
    path = files.absolute(path)
    info = (await files.stat(path)).followed
    name = last_name(path) + (".zip" if info.is_folder else "")
    if await asyncio.to_thread(lambda: target.is_folder):
        target = target.child(name)
    if info.is_folder:
        meter = Meter(on_bytes)
        async with contextlib.aclosing(files.zip_out(path)) as pieces:
            await _write(target, meter.over(pieces), replace=replace)
    else:
        async with files.open(path) as reader:
            meter = Meter(on_bytes, reader.length)
            is_program = bool(info.mode & 0o100)
            pieces = meter.over(reader.pieces)
            await _write(target, pieces, replace=replace, is_program=is_program)
    return Copied(str(target.path), meter.count, info.is_folder)


def last_name(path: str) -> str:
    """Give the name under which a file of the sandbox is known elsewhere.

    Raises:
        FileError: The path ends with none.
    """
    name = posixpath.basename(path)
    if name in {"", ".", ".."}:
        raise FileError(f"{shown(path)!r} ends with no name. Name the file or the folder itself.")
    return name


async def _place(files: WorkspaceFiles, target: str, name: str) -> str:
    """Tell where something goes: into a folder, or under another name."""
    if not target or target.endswith("/"):
        return posixpath.join(target, name)
    try:
        into = (await files.stat(target)).is_folder
    except PathNotFoundError:
        into = False
    return posixpath.join(target, name) if into else target


async def _put_folder(
    files: WorkspaceFiles,
    source: HostPath,
    path: str,
    on_bytes: OnBytes | None,
    *,
    replace: bool,
) -> Copied:
    def size() -> int:
        return sum(found.st_size for _, found, _ in source.walk())

    total = await asyncio.to_thread(size)
    meter = Meter(on_bytes, total)
    async with contextlib.aclosing(convert(lambda _, result: source.tar(result))) as tar:
        await files.tar_in(meter.over(tar), path, replace=replace)
    return Copied(files.absolute(path), total, is_folder=True)


async def _read(file: IO[bytes]) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(file.read, PIECE):
        yield piece


async def _write(
    target: HostPath,
    pieces: AsyncIterable[bytes],
    *,
    replace: bool,
    is_program: bool = False,
) -> None:
    with target.new(replace=replace, is_program=is_program) as file:
        async for piece in pieces:
            await asyncio.to_thread(file.write, piece)
