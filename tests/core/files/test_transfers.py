"""Large files, both ways: flat memory, and nothing left of what was given up."""

import asyncio
import hashlib
import resource
from pathlib import Path

import pytest

from sandbook.errors import TooLargeError
from tests.conftest import BACKENDS
from tests.core.files.conftest import PLAIN

pytestmark = pytest.mark.parametrize(
    "shared_sandbox", [*BACKENDS, PLAIN], indirect=True, scope="module"
)

MEGABYTE = 1 << 20
LARGE = 300


def resident():
    """Tell how much memory this process has now, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


async def pieces_of(count, digest=None, seen=None):
    piece = bytes(range(256)) * 4096
    for number in range(count):
        data = number.to_bytes(8, "big") + piece[8:]
        if digest:
            digest.update(data)
        if seen is not None:
            seen.append(resident())
        yield data


async def test_a_large_file_goes_in_and_out_with_flat_memory(files):
    sent, taken, seen = hashlib.sha256(), hashlib.sha256(), []
    before = resident()

    written = await files.write_stream("large", pieces_of(LARGE, sent, seen))
    async with files.open("large") as reader:
        async for piece in reader.pieces:
            taken.update(piece)
            seen.append(resident())
    packed = 0
    async for piece in files.zip_out("large"):
        packed += len(piece)
        seen.append(resident())
    await files.remove("large")

    assert written == reader.length == LARGE * MEGABYTE
    assert sent.digest() == taken.digest()
    assert packed > LARGE * MEGABYTE
    assert max(seen) - before < 60 * MEGABYTE


async def test_a_part_of_a_large_file(files):
    await files.write_stream("x", pieces_of(5))

    async with files.open("x", 3 * MEGABYTE, 8) as reader:
        assert [piece async for piece in reader.pieces] == [(3).to_bytes(8, "big")]
    assert (await files.read("x", 4 * MEGABYTE))[:8] == (4).to_bytes(8, "big")
    assert len(await files.read("x")) == 5 * MEGABYTE


async def test_small_requests_do_not_wait_for_large_ones(files):
    await files.write("small", "1")
    gate = asyncio.Event()

    async def slow():
        yield bytes(MEGABYTE)
        await gate.wait()

    writing = asyncio.ensure_future(files.write_stream("large", slow()))
    await asyncio.sleep(0)
    assert await files.read("small") == b"1"
    assert "large" not in [info.name for info in await files.list_folder()]
    gate.set()
    assert await writing == MEGABYTE


async def eventually(condition):
    for _ in range(100):
        if await condition():
            return True
        await asyncio.sleep(0.1)
    return False


async def test_a_write_that_is_given_up_leaves_nothing(files, machine):
    await files.write("x", "old")
    under_way = asyncio.Event()

    async def endless():
        while True:
            yield bytes(MEGABYTE)
            under_way.set()
            await asyncio.sleep(0)

    writing = asyncio.ensure_future(files.write_stream("x", endless()))
    await under_way.wait()
    await asyncio.sleep(0.2)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing

    async def is_clean():
        return await machine.bash("ls -A; cat x") == b"x\nold"

    assert await eventually(is_clean)
    assert await files.read("x") == b"old"


async def test_a_source_that_fails_leaves_nothing(files, machine):
    async def failing():
        yield bytes(3 * MEGABYTE)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await files.write_stream("x", failing())
    with pytest.raises(TooLargeError):
        await files.write_stream("x", pieces_of(10), limit=5 * MEGABYTE)

    async def is_clean():
        return await machine.bash("ls -A") == b""

    assert await eventually(is_clean)


async def test_a_read_that_is_given_up_lets_the_next_one_be(files):
    await files.write_stream("x", pieces_of(20))

    async with files.open("x") as reader:
        async for _ in reader.pieces:
            break
    pieces = files.zip_out("x")
    await pieces.__anext__()
    await pieces.aclose()

    assert len(await files.read("x", 0, 10)) == 10


async def test_many_at_once(files):
    await asyncio.gather(*(files.write_stream(f"f{n}", pieces_of(2 + n)) for n in range(8)))

    async def size(name):
        return len(await files.read(name))

    sizes = await asyncio.gather(*(size(f"f{n}") for n in range(8)))
    assert sizes == [(2 + n) * MEGABYTE for n in range(8)]
