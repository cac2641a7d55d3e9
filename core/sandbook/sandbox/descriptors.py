"""Reads and writes descriptors that do not block, without holding up the event loop."""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import Callable, Generator

READ_SIZE = 1 << 18
WRITE_SIZE = 1 << 18
FIRST_FREE = 10


async def read_some(descriptor: int) -> bytes:
    """Read, as soon as there is something; empty is the end."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            return os.read(descriptor, READ_SIZE)
        except BlockingIOError:
            await _ready(descriptor, loop.add_reader, loop.remove_reader)
        except ConnectionError:
            return b""


async def write_all(descriptor: int, data: bytes) -> None:
    """Write, as fast as the other side reads."""
    loop = asyncio.get_running_loop()
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view[:WRITE_SIZE]) :]
        except BlockingIOError:
            await _ready(descriptor, loop.add_writer, loop.remove_writer)


def above_scripts(descriptor: int) -> int:
    """Give a descriptor another number, and close it: our scripts use the first ten themselves."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE)
    finally:
        os.close(descriptor)


def pipe_above_scripts() -> tuple[int, int]:
    """Make a pipe, whose end for writing may be passed on to a script."""
    reader, writer = os.pipe()
    return reader, above_scripts(writer)


@contextlib.contextmanager
def held_in_memory(*contents: bytes) -> Generator[list[int], None, None]:
    """Give descriptors from which other programs read these contents."""
    descriptors: list[int] = []
    try:
        for content in contents:
            descriptor = above_scripts(os.memfd_create("sandbook"))
            descriptors.append(descriptor)
            os.write(descriptor, content)
            os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


async def _ready(
    descriptor: int, add: Callable[..., object], remove: Callable[[int], object]
) -> None:
    ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    add(descriptor, lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        remove(descriptor)
