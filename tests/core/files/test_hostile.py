"""What a sandbox may put in our way: refused at once, or done right, and nothing by halves."""

import asyncio
import contextlib

import pytest

from sandbook.errors import (
    DiskFullError,
    FileError,
    NotAFileError,
    PathNotFoundError,
    PermissionDeniedError,
    SideLostError,
    TooLargeError,
)
from tests.conftest import BACKENDS
from tests.core.files.conftest import PLAIN

pytestmark = pytest.mark.parametrize(
    "shared_sandbox", [*BACKENDS, PLAIN], indirect=True, scope="module"
)

SOCKET = "python3 -c 'import socket as s; s.socket(s.AF_UNIX).bind(\"socket\")'"


@pytest.mark.timeout(30)
async def test_pipes_devices_and_sockets_are_refused_at_once(files, machine):
    await machine.bash(f"mkfifo pipe; ln -s /dev/zero zero; ln -s pipe link; {SOCKET}")

    for path in ("pipe", "link", "zero", "socket", "/dev/null"):
        for work in (
            files.read(path),
            files.write(path, "x"),
            files.append(path, "x"),
            _drain(files.zip_out(path)),
            _open(files, path),
        ):
            with pytest.raises(NotAFileError, match="ordinary files"):
                await work


async def _drain(pieces):
    return b"".join([piece async for piece in pieces])


async def _open(files, path):
    async with files.open(path):
        pass


async def test_links_in_a_circle_are_an_error(files, machine):
    await machine.bash("ln -s a b; ln -s b a; mkdir d; ln -s . d/self; ln -s .. d/up")

    for work in (files.read("a"), files.write("a", "x"), files.append("a", "x")):
        with pytest.raises(FileError):
            await work
    assert (await files.stat("a")).is_broken
    assert {info.name for info in await files.list_folder()} == {"a", "b", "d"}
    assert await files.glob("**/self") == ["d/self"]
    assert await machine.bash("readlink a b") == b"b\na\n"


async def test_a_sparse_file_is_refused_before_it_is_read(files, machine):
    await machine.bash("truncate -s 100G sparse")

    with pytest.raises(TooLargeError):
        await files.read("sparse")
    with pytest.raises(TooLargeError):
        async with files.open("sparse", limit=1 << 30):
            pass
    with pytest.raises(TooLargeError):
        await _drain(files.zip_out("."))
    assert await files.read("sparse", 50 << 30, 3) == b"\0\0\0"
    await files.remove("sparse")


async def test_a_file_that_grows_is_read_up_to_where_it_ended(files, machine):
    await machine.bash("head -c 5000000 /dev/zero >log")

    async with files.open("log") as reader:
        await machine.bash("echo more >>log")
        data = await _drain(reader.pieces)

    assert len(data) == reader.length == 5_000_000


async def test_a_file_that_shrinks_is_an_error(files, machine):
    await machine.bash("head -c 200000000 /dev/zero >log")

    async with files.open("log") as reader:
        await machine.bash(": >log")
        with pytest.raises(FileError, match="became shorter"):
            await _drain(reader.pieces)


@pytest.mark.timeout(60)
async def test_a_folder_that_vanishes_while_it_is_listed(files, machine):
    await machine.bash("mkdir busy; cd busy; touch {1..2000}")
    removing = asyncio.ensure_future(machine.bash("rm -r busy; mkdir busy; touch busy/{1..9}"))

    while not removing.done():
        with contextlib.suppress(PathNotFoundError, PermissionDeniedError):
            assert len(await files.list_folder("busy")) <= 2000

    await removing
    assert len(await files.list_folder("busy")) == 9


async def test_a_link_leads_to_a_file_of_the_sandbox_not_of_this_machine(files, machine, tmp_path):
    if machine.sandbox.info.isolation == "none":
        return
    secret = tmp_path / "secret"
    secret.write_text("of this machine")
    await machine.bash(f"ln -s {secret} link; ln -s / root")

    for path in ("link", f"root{secret}", f"../../..{secret}"):
        with pytest.raises(PathNotFoundError):
            await files.read(path)


async def test_a_full_disk_is_said_and_changes_nothing(files, machine):
    if machine.sandbox.info.isolation == "none":
        return  # there is no small disk
    left = "$(($(df --output=avail -B1 /dev/shm | tail -1) - 8000000))"
    await machine.bash(f"echo old >/dev/shm/x; fallocate -l {left} /dev/shm/filling")

    async def endless():
        while True:
            yield bytes(1 << 20)

    with pytest.raises(DiskFullError, match="disk of the sandbox is full"):
        await files.write_stream("/dev/shm/x", endless())

    looked = await machine.sandbox.run("bash", "-c", "cat /dev/shm/x; ls -A /dev/shm")
    assert looked.output.startswith(b"old\n")
    assert b".sandbook-" not in looked.output
    await machine.bash("rm /dev/shm/filling /dev/shm/x")


async def test_a_side_program_that_dies_in_the_middle_of_a_stream_ends_it(files, machine):
    async def endless():
        while True:
            yield bytes(1 << 20)

    async def kill_soon():
        await asyncio.sleep(0.3)
        return await _kill_side_programs(machine)

    killing = asyncio.ensure_future(kill_soon())
    with pytest.raises(SideLostError):
        await files.write_stream("x", endless())
    assert await killing == b"killed\n"
    await machine.bash("rm .sandbook-*")


async def test_without_permission_nothing_happens(files, machine):
    if (await machine.bash("id -u")) == b"0\n":
        return  # nothing is forbidden
    await machine.bash(
        "echo x >x; chmod 0 x; mkdir d; echo y >d/y; chmod 500 d; mkdir n; chmod 0 n"
    )

    for work in (
        files.read("x"),
        files.write("x", "new"),
        files.write("d/new", ""),
        files.remove("d/y"),
        files.list_folder("n"),
        files.stat("n/x"),
        _drain(files.zip_out("n")),
        _drain(files.zip_out("x")),
    ):
        with pytest.raises(PermissionDeniedError):
            await work
    await machine.bash("chmod 700 d n; rm -r d n x")


async def test_a_sandbox_that_kills_the_side_program_is_survived(files, machine):
    await files.write("x", "1")

    assert await _kill_side_programs(machine) == b"killed\n"
    assert await files.read("x") == b"1"


async def _kill_side_programs(machine):
    return await machine.bash(
        f"for p in /proc/[0-9]*; do grep -qzFx -- '{machine.sandbox.workspace}' $p/cmdline && "
        "grep -qzF .sandbook- $p/cmdline && kill -9 ${p#/proc/} && echo killed; done; true"
    )
