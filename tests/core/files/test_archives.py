"""Zip out and in: the same tree comes back, and a hostile archive does nothing at all."""

import io
import stat
import struct
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbook.errors import (
    AlreadyExistsError,
    ArchiveError,
    FileError,
    NotAFolderError,
    PathNotFoundError,
)
from sandbook.files.archive import ArchivePolicy
from sandbook.files.workspace import WorkspaceFiles
from tests.conftest import BACKENDS
from tests.core.files.conftest import TCP

pytestmark = pytest.mark.parametrize(
    "shared_sandbox", [*BACKENDS, TCP], indirect=True, scope="module"
)

LOOK = "find . -mindepth 1 -printf '%P\\0%y %m %s %l\\0' | sort -z"


async def pieces_of(data, size=1 << 16):
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def drain(pieces):
    return b"".join([piece async for piece in pieces])


def zip_of(*members, method=zipfile.ZIP_DEFLATED):
    """Make an archive of (name, content) or (name, content, mode)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, *mode in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            info.external_attr = (mode[0] if mode else stat.S_IFREG | 0o644) << 16
            archive.writestr(info, content)
    return buffer.getvalue()


def link(name, target):
    return (name, target, stat.S_IFLNK | 0o777)


async def test_a_folder_comes_out_as_an_archive_that_others_read(files, machine):
    await machine.bash(
        "mkdir -p d/empty; echo 1 >d/one; chmod 750 d/one; echo 2 >d/two; ln -s one d/link; "
        "mkfifo d/pipe; ln -s /etc/passwd d/away; ln d/two d/hard; touch $'d/\\xff'"
    )

    archive = zipfile.ZipFile(io.BytesIO(await drain(files.zip_out("d"))))

    assert archive.testzip() is None
    names = {info.filename: info for info in archive.infolist()}
    assert set(names) == {"empty/", "one", "two", "hard", "link", "\xa0"}
    assert archive.read("hard") == b"2\n"
    assert archive.read("link") == b"one"
    assert names["one"].external_attr >> 16 == stat.S_IFREG | 0o750


async def test_what_cannot_be_read_is_left_out_and_listed(files, machine):
    if (await machine.bash("id -u")) == b"0\n":
        return  # nothing is forbidden
    await machine.bash(
        "mkdir -p d/shut/in d/open; echo 1 >d/one; echo 2 >d/open/two; echo 3 >d/shut/in/three; "
        "touch d/sandbook-left-out.txt; chmod 0 d/open/two; chmod 0 d/shut"
    )

    archive = zipfile.ZipFile(io.BytesIO(await drain(files.zip_out("d"))))
    await machine.bash("chmod 700 d/shut")

    names = set(archive.namelist())
    assert {"one", "open/", "sandbook-left-out.txt", "sandbook-left-out1.txt"} <= names
    assert not {"open/two", "shut/in/", "shut/in/three"} & names
    said = archive.read("sandbook-left-out1.txt").decode().splitlines()
    assert sorted(said[1:]) == ["open/two", "shut"]


async def test_a_file_comes_out_alone(files):
    await files.write("d/x y.txt", "1")

    archive = zipfile.ZipFile(io.BytesIO(await drain(files.zip_out("d/x y.txt"))))

    assert {info.filename: archive.read(info) for info in archive.infolist()} == {"x y.txt": b"1"}


async def test_what_is_not_there_does_not_come_out(files):
    with pytest.raises(PathNotFoundError):
        await drain(files.zip_out("none"))


async def test_an_archive_is_unpacked_over_what_is_there(files, machine):
    await machine.bash(
        "mkdir -p d/sub; echo old >d/a; echo kept >d/sub/kept; echo target >t; ln -s ../t d/l"
    )
    data = zip_of(
        ("a", "new"), ("sub/b", "b"), ("l", "file"), ("deep/er/c", "c"), ("run", "", 0o100755)
    )

    assert await files.zip_in(pieces_of(data), "d") == 5

    assert await machine.bash("cd d; cat a sub/b sub/kept l deep/er/c ../t; stat -c %a run") == (
        b"newbkept\nfilectarget\n755\n"
    )


async def test_the_folder_is_made_and_must_be_one(files):
    await files.write("file", "")

    await files.zip_in(pieces_of(zip_of(("x", "1"))), "new/folder")
    with pytest.raises(NotAFolderError):
        await files.zip_in(pieces_of(zip_of(("x", "1"))), "file")

    assert await files.read("new/folder/x") == b"1"


async def test_what_cannot_be_replaced_stops_everything(files, machine):
    await machine.bash("mkdir -p d/x; mkdir out; ln -s ../out d/l; echo f >d/f")

    for member in ("x", "l/inside", "f/below"):
        with pytest.raises(AlreadyExistsError):
            await files.zip_in(pieces_of(zip_of(("fresh", "1"), (member, "1"))), "d")
    with pytest.raises(AlreadyExistsError, match="d/f"):
        await files.zip_in(pieces_of(zip_of(("fresh", "1"), ("f", "2"))), "d", replace=False)

    assert await machine.bash("ls -A d out; cat d/f") == b"d:\nf\nl\nx\n\nout:\nf\n"


def lying_about_its_size():
    data = bytearray(zip_of(("x", b"0" * 100)))
    at = data.rindex(b"PK\1\2")
    struct.pack_into("<L", data, at + 24, 10)
    return bytes(data)


def shorter_than_it_says(method):
    data = bytearray(zip_of(("x", b"0123456789" * 100), method=method))
    for mark, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<L", data, data.rindex(mark) + at, 5000)
    return bytes(data)


def garbled(method):
    data = bytearray(zip_of(("x", b"0123456789" * 100), method=method))
    data[40:60] = b"\xff" * 20
    return bytes(data)


def with_a_list_elsewhere(place):
    data = bytearray(zip_of(("x", "1")))
    struct.pack_into("<L", data, data.rindex(b"PK\5\6") + 16, place)
    return bytes(data)


def encrypted():
    data = bytearray(zip_of(("x", "1")))
    data[data.rindex(b"PK\1\2") + 8] |= 1
    return bytes(data)


def damaged():
    data = bytearray(zip_of(("a", "1"), ("x", bytes(range(256)) * 100)))
    data[data.rindex(b"PK\3\4") + 40] ^= 0xFF
    return bytes(data)


METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
HOSTILE = {
    "zip slip": zip_of(("ok", "1"), ("../out", "1")),
    "deep slip": zip_of(("ok", "1"), ("a/../../out", "1")),
    "absolute": zip_of(("ok", "1"), ("/tmp/out", "1")),
    "link away": zip_of(("ok", "1"), link("l", "/etc")),
    "link up": zip_of(("ok", "1"), link("d/l", "../../x")),
    "link through link": zip_of(("ok", "1"), link("a", "."), link("b", "a/a/../x")),
    "through a link": zip_of(link("l", "d"), ("d/x", "1"), ("l/y", "1")),
    "twice": zip_of(("ok", "1"), ("./x", "1"), ("x", "2")),
    "file and folder": zip_of(("x", "1"), ("x/y", "1")),
    "device": zip_of(("ok", "1"), ("dev", "", stat.S_IFCHR | 0o666)),
    "pipe": zip_of(("ok", "1"), ("pipe", "", stat.S_IFIFO | 0o666)),
    "bomb": zip_of(("ok", "1"), ("bomb", bytes(100 << 20))),
    "lie": lying_about_its_size(),
    **{f"short {method}": shorter_than_it_says(method) for method in METHODS},
    **{f"garbled {method}": garbled(method) for method in METHODS},
    "list beyond the end": with_a_list_elsewhere(0xFFFFFFF0),
    "list before the begin": with_a_list_elsewhere(5000),
    "encrypted": encrypted(),
    "damaged": damaged(),
    "no zip": b"this is no archive" * 100,
    "empty": b"",
    "cut": zip_of(("x", "1" * 1000))[:-30],
}


async def test_hostile_archives_are_refused_and_nothing_is_unpacked(files, machine):
    await files.write("before", "1")

    refused = set()
    for name, data in HOSTILE.items():
        try:
            await files.zip_in(pieces_of(data))
        except ArchiveError:
            refused.add(name)

    assert refused == set(HOSTILE)
    assert await machine.bash("ls -A; ls -A .. | grep -c '^out$' || true") == b"before\n0\n"


async def test_why_an_archive_cannot_be_unpacked_is_said(files, machine):
    with pytest.raises(FileError, match="File name too long"):
        await files.zip_in(pieces_of(zip_of(("ok", "1"), ("x" * 300, "1"))), "d")

    assert await machine.bash("ls -A d") == b""


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_entries": 2}, "more than 2 files"),
        ({"max_total_mb": 1}, "larger than 1 MiB"),
        ({"max_archive_mb": 1}, "larger than 1 MiB"),
    ],
)
async def test_limits_are_settings(machine, limits, reason):
    files = WorkspaceFiles(machine.sandbox, machine.folder, policy=ArchivePolicy(**limits))
    content = b"".join(n.to_bytes(4, "big") for n in range(500_000))
    data = zip_of(("a", content), ("b", "2"), ("c", "3"))

    with pytest.raises(ArchiveError, match=reason):
        await files.zip_in(pieces_of(data + b"" if "archive" not in str(limits) else data * 3))
    await files.close()


NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda name: name not in {".", ".."})
RAW_NAMES = st.binary(min_size=1, max_size=8).map(
    lambda raw: raw.replace(b"/", b"x").replace(b"\0", b"y").decode("utf-8", "surrogateescape")
)
LEAVES = st.one_of(
    st.tuples(st.binary(max_size=3000), st.sampled_from([0o644, 0o600, 0o755, 0o444])),
    st.just("link"),
)
TREES = st.dictionaries(
    st.one_of(NAMES, RAW_NAMES).filter(lambda name: name not in {".", ".."}),
    st.recursive(
        LEAVES,
        lambda below: st.dictionaries(NAMES, below, max_size=3),
        max_leaves=5,
    ),
    max_size=4,
)


async def plant(files, tree, folder):
    await files.mkdir(folder)
    for name, value in tree.items():
        if isinstance(value, dict):
            await plant(files, value, f"{folder}/{name}")
        elif value != "link":
            await files.write(f"{folder}/{name}", value[0], mode=value[1])


async def add_links(machine, files, tree, folder):
    for name, value in tree.items():
        if isinstance(value, dict):
            await add_links(machine, files, value, f"{folder}/{name}")
        elif value == "link":
            path = files.absolute(f"{folder}/{name}")
            await machine.sandbox.run("ln", "-s", "some where/\u2603", path)


@pytest.mark.timeout(300)
def test_any_tree_comes_back_the_same(machine, jp_asyncio_loop):
    wait = jp_asyncio_loop.run_until_complete
    files = WorkspaceFiles(machine.sandbox, machine.folder)
    numbers = iter(range(10_000))

    async def look(folder):
        return await machine.bash(f"cd {folder} && {LOOK}")

    async def round_trip(tree):
        source, copy = (f"{kind}{next(numbers)}" for kind in ("from", "to"))
        await plant(files, tree, source)
        await add_links(machine, files, tree, source)
        await files.zip_in(files.zip_out(source), copy)
        return [_without_folder_sizes(await look(folder)) for folder in (source, copy)]

    @settings(max_examples=8, suppress_health_check=list(HealthCheck))
    @given(TREES)
    def check(tree):
        before, after = wait(round_trip(tree))
        assert before == after

    check()
    wait(files.close())


def _without_folder_sizes(told):
    words = told.split(b"\0")
    return sorted(
        b" ".join(word.split(b" ")[:2]) if word.startswith(b"d ") else word for word in words
    )
