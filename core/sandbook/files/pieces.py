"""Streams of bytes that come in pieces. Pure."""

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator

from sandbook.errors import FileChangedError, FileError, TooLargeError
from sandbook.files.paths import shown

PIECE = 1 << 20


async def once(data: bytes | str) -> AsyncIterator[bytes]:
    """Give one thing as a stream; text as UTF-8, with surrogates for bytes that are not."""
    yield data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data


class Counted:
    """A stream that may not be longer than a limit, and tells how long it was."""

    def __init__(self, pieces: AsyncIterable[bytes], path: str, limit: int | None) -> None:
        self._pieces = pieces
        self._path = path
        self._limit = limit
        self.count = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the pieces.

        Raises:
            TooLargeError: There are too many.
        """
        async for piece in self._pieces:
            self.count += len(piece)
            if self._limit is not None and self.count > self._limit:
                raise TooLargeError(shown(self._path), self._limit)
            yield piece


async def exactly(pieces: AsyncIterable[bytes], count: int, path: str) -> AsyncIterator[bytes]:
    """Give pieces that must have so many bytes together.

    Raises:
        FileChangedError: They have fewer.
        FileError: They have more, which no honest program gives.
    """
    async for piece in pieces:
        count -= len(piece)
        if count < 0:
            raise FileError(f"The sandbox gives more of {shown(path)!r} than was asked for.")
        yield piece
    if count > 0:
        raise FileChangedError(shown(path))


async def batches(
    pieces: AsyncIterable[bytes], size: int = PIECE
) -> AsyncIterator[list[memoryview]]:
    """Give the same bytes, as many as this at a time; only the last batch may have fewer."""
    batch: list[memoryview] = []
    count = 0
    async for piece in pieces:
        rest = memoryview(piece)
        while count + len(rest) >= size:
            end = size - count
            yield [*batch, rest[:end]]
            batch, rest, count = [], rest[end:], 0
        if rest:
            batch.append(rest)
            count += len(rest)
    if batch:
        yield batch


async def in_size(pieces: AsyncIterable[bytes], size: int = PIECE) -> AsyncGenerator[bytes, None]:
    """Give the same bytes in pieces of this size; the last one may be smaller."""
    async for batch in batches(pieces, size):
        yield b"".join(batch)
