"""Large files go past the engine where they can, and nobody in the sandbox gains by that."""

import asyncio
import contextlib
import os
from pathlib import Path

import pytest

from sandbook.errors import DiskFullError, FileChangedError, FileError, PermissionDeniedError
from sandbook.files import shortcut
from tests.conftest import BACKENDS

pytestmark = pytest.mark.parametrize("shared_sandbox", BACKENDS, indirect=True, scope="module")

MEGABYTE = 1 << 20


async def pieces_of(count):
    for number in range(count):
        yield bytes([number]) * MEGABYTE


@pytest.fixture
def opened(monkeypatch):
    """Tell which files of this machine were opened, and which of them were used."""
    seen = []
    real = shortcut._open_below

    def look(folder, relative, how):
        seen.append(real(folder, relative, how))
        return seen[-1]

    monkeypatch.setattr(shortcut, "_open_below", look)
    return seen


@pytest.fixture
def swap(monkeypatch):
    """Do something with the unfinished file, just before it is opened here."""

    def arm(attack):
        real = shortcut._open_below

        def attacked(folder, relative, how):
            attack(Path(folder, relative))
            return real(folder, relative, how)

        monkeypatch.setattr(shortcut, "_open_below", attacked)

    return arm


async def test_a_large_file_takes_the_short_way(files, machine, opened):
    await files.write_stream("sub/x", pieces_of(5), mode=0o604)
    async with files.open("sub/x", MEGABYTE, 3 * MEGABYTE) as reader:
        read = b"".join([piece async for piece in reader.pieces])

    assert len(opened) == 2
    assert None not in opened
    assert read == b"".join(bytes([number]) * MEGABYTE for number in (1, 2, 3))
    assert await machine.bash("stat -c '%a %s' sub/x") == b"604 5242880\n"


@pytest.mark.parametrize("path", ["link/x", "/tmp/sandbook-shortcut/x", "up/../x"])
async def test_elsewhere_it_goes_through_the_program(files, machine, path):
    await machine.bash("mkdir -p real up; ln -sfn real link")

    assert await files.write_stream(path, pieces_of(4)) == 4 * MEGABYTE

    assert await files.read(path, 3 * MEGABYTE) == b"\3" * MEGABYTE
    await files.remove(path)


async def test_a_link_on_the_way_leads_to_no_file_of_this_machine(files, machine, tmp_path, swap):
    victim = tmp_path / "victim"
    victim.mkdir()

    def attack(temporary):
        (victim / temporary.name).write_bytes(bytes(MEGABYTE))
        folder = temporary.parent
        folder.rename(folder.with_name("moved"))
        folder.symlink_to(victim)

    swap(attack)

    with contextlib.suppress(FileError):  # the program may notice, and need not
        await files.write_stream("sub/x", pieces_of(4))

    assert {path.read_bytes() for path in victim.iterdir()} <= {bytes(MEGABYTE)}
    await machine.bash("rm -rf sub moved")


@pytest.mark.parametrize("put", [os.link, os.symlink, lambda _, place: os.mkfifo(place)])
async def test_what_was_put_in_its_place_is_not_written(files, machine, tmp_path, swap, put):
    private = tmp_path / "private"
    private.write_bytes(bytes(MEGABYTE))

    def attack(temporary):
        temporary.unlink()
        put(private, temporary)

    swap(attack)

    with contextlib.suppress(FileError):
        await files.write_stream("x", pieces_of(4))

    assert private.read_bytes() == bytes(MEGABYTE)
    await machine.bash("rm -f x .sandbook-*")


async def test_no_link_is_followed_to_what_is_read(files, machine, tmp_path, swap):
    private = tmp_path / "private"
    private.write_bytes(b"!" * 3 * MEGABYTE)
    await files.write_stream("x", pieces_of(3))

    def attack(path):
        info = path.stat()
        os.utime(private, ns=(info.st_atime_ns, info.st_mtime_ns))
        path.rename(path.with_name("moved"))
        path.symlink_to(private)

    swap(attack)
    may_be_followed = machine.sandbox.info.isolation == "none"

    with contextlib.suppress(FileError):
        async with files.open("x") as reader:
            content = b"".join([piece async for piece in reader.pieces])
            assert may_be_followed or b"!" not in content


async def test_a_file_that_not_everybody_may_read_is_read_inside(files, machine, opened):
    await files.write_stream("x", pieces_of(3), mode=0o600)
    opened.clear()

    async with files.open("x") as reader:
        assert sum([len(piece) async for piece in reader.pieces]) == 3 * MEGABYTE

    assert len(opened) == 1
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened[0])


async def test_a_file_that_shrinks_is_an_error(files, machine):
    await files.write_stream("x", pieces_of(20))

    async with files.open("x") as reader:
        await anext(reader.pieces)
        await machine.bash("truncate -s 5M x")
        with pytest.raises(FileChangedError):
            [piece async for piece in reader.pieces]


async def test_a_full_disk_is_told_and_leaves_nothing(files, machine, monkeypatch):
    def full(descriptor, data, offset):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwritev", full)

    with pytest.raises(DiskFullError):
        await files.write_stream("x", pieces_of(4))

    for _ in range(100):
        if not (left := await machine.bash("ls -A")):
            break
        await asyncio.sleep(0.1)
    assert left == b""


async def test_who_may_not_read_it_inside_may_not_read_it_here(files, machine):
    await files.write_stream("x", pieces_of(3))
    await machine.bash("chmod 004 x")
    is_root = await machine.bash("id -u") == b"0\n"

    with contextlib.nullcontext() if is_root else pytest.raises(PermissionDeniedError):
        async with files.open("x"):
            pass
