"""Finds a line in a file of any size, and keeps nothing of what comes before it."""

import asyncio
import contextlib

from sandbook.files.encoding import Encoding
from sandbook.files.pieces import in_size
from sandbook.files.workspace import WorkspaceFiles

SCAN_MAX = 1 << 30
"""So far is looked for a line."""


async def find_line(files: WorkspaceFiles, path: str, number: int, encoding: Encoding) -> int:
    r"""Tell where a line begins, counted from 1; only a `\n` ends one.

    Gives a number below 0 where there is no such line: -3 is for a file of 3 lines.
    """
    place, before, is_open = 0, 0, 1
    if number == 1:
        return 0
    async with (
        files.open(path, 0, SCAN_MAX) as reader,
        contextlib.aclosing(in_size(reader.pieces)) as pieces,
    ):
        async for piece in pieces:
            count = await asyncio.to_thread(_count, piece, encoding)
            if before + count >= number - 1:
                inside = _end_of(piece, number - 1 - before, encoding)
                if place + inside < reader.length:
                    return place + inside
                return 1 - number
            place, before = place + len(piece), before + count
            is_open = not piece.endswith(_line_end(encoding))
    return -(before + is_open)


def _count(piece: bytes, encoding: Encoding) -> int:
    """Count line ends. A piece has whole characters, but for those of a changing length."""
    end = _line_end(encoding)
    if len(end) == 1:
        return piece.count(end)
    return piece.decode(encoding.name, "replace").count("\n")


def _end_of(piece: bytes, count: int, encoding: Encoding) -> int:
    """Find the place behind so many line ends."""
    end, place = _line_end(encoding), 0
    while count:
        place = piece.index(end, place) + 1
        if (place - 1) % len(end) == 0:
            count -= 1
            place += len(end) - 1
    return place


def _line_end(encoding: Encoding) -> bytes:
    return "\n".encode(encoding.name)
