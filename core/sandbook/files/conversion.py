"""One stream of bytes turned into another by a thread, with two pipes and flat memory."""

import asyncio
import contextlib
import fcntl
import os
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import Future
from typing import BinaryIO

from sandbook.errors import FileError
from sandbook.sandbox.descriptors import read_some, write_all

PIPE_SIZE = 1 << 20
BUFFER = 1 << 18

Work = Callable[[BinaryIO, BinaryIO], None]
"""Reads the one stream and writes the other; blocks as it likes."""


async def convert(
    work: Work, pieces: AsyncIterator[bytes] | None = None
) -> AsyncGenerator[bytes, None]:
    """Give what the work makes of the pieces. Whoever closes this early ends the work, too.

    Raises:
        Exception: What the pieces or the work raised, maybe after a part of the result.
    """
    source, feed = _pipe()
    result, made = _pipe()
    for descriptor in (feed, result):
        os.set_blocking(descriptor, False)
    done: Future[None] = Future()
    threading.Thread(target=_run, args=(work, source, made, done), daemon=True).start()
    working = asyncio.wrap_future(done)
    feeding = asyncio.ensure_future(_feed(feed, pieces))
    try:
        while piece := await read_some(result):
            yield piece
        await asyncio.wait([working])
        if not isinstance(working.exception(), FileError):
            await feeding  # why the pieces ended is a better reason than that they ended
        working.result()
    finally:
        os.close(result)  # the work cannot write any more, and has soon nothing more to read
        feeding.cancel()
        await asyncio.wait([feeding, working])
        for ended in (feeding, working):
            if not ended.cancelled():
                ended.exception()  # seen


async def _feed(descriptor: int, pieces: AsyncIterator[bytes] | None) -> None:
    try:
        if pieces is not None:
            async for piece in pieces:
                await write_all(descriptor, piece)
    except BrokenPipeError:  # the work has ended early, and says why
        pass
    finally:
        os.close(descriptor)


def _run(work: Work, source: int, made: int, done: Future[None]) -> None:
    try:
        with open(source, "rb", BUFFER) as reader:
            writer = open(made, "wb", BUFFER)  # noqa: SIM115 -- closed below, maybe broken
            try:
                work(reader, writer)
            finally:
                with contextlib.suppress(BrokenPipeError):  # nobody wants the rest
                    writer.close()
    except BaseException as error:  # noqa: BLE001 -- raised again by whoever waits
        done.set_exception(error)
    else:
        done.set_result(None)


def _pipe() -> tuple[int, int]:
    reader, writer = os.pipe()
    with contextlib.suppress(OSError):  # this user may have too many large pipes
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
    return reader, writer
