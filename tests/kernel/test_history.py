"""What was run is remembered across kernels, and never gets in the way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbook_kernel.history import History


@pytest.fixture
def opened(tmp_path):
    """Opens histories at one path; closes them all."""
    histories = []

    def open_one(path=tmp_path / "sandbook" / "history.sqlite"):
        histories.append(History.open(path))
        return histories[-1]

    yield open_one
    for history in histories:
        history.close()


def codes(entries):
    return [entry[2] for entry in entries]


async def test_the_next_kernel_knows_what_the_last_one_ran(opened):
    first = opened()
    first.add(1, "make")
    first.add(2, "make test")
    first.close()
    second = opened()
    second.add(1, "git push")

    assert await second.tail(2) == [(1, 2, "make test"), (2, 1, "git push")]
    assert codes(await second.tail(2, include_latest=False)) == ["make", "make test"]
    assert codes(await second.range(0, 1)) == ["git push"]
    assert codes(await second.range(-1, 1, 2)) == ["make"]
    assert codes(await second.range(1, 2)) == ["make test"]


async def test_output_comes_along_where_it_is_asked_for(opened):
    history = opened()
    history.add(1, "echo", "")
    history.add(2, "display -r", "42")

    assert await history.tail(2, output=True) == [
        (1, 1, ("echo", None)),
        (1, 2, ("display -r", "42")),
    ]


async def test_search_is_by_pattern(opened):
    history = opened()
    for line, code in enumerate(["ls", "git log", "git log", "git push"], 1):
        history.add(line, code)

    assert codes(await history.search("git*")) == ["git log", "git log", "git push"]
    assert codes(await history.search("git*", 2)) == ["git log", "git push"]
    assert codes(await history.search("git l*", unique=True)) == ["git log"]
    assert codes(await history.search(None, 1)) == ["git push"]


async def test_two_kernels_at_once_do_not_disturb_each_other(opened):
    one, two = opened(), opened()
    for line in range(1, 51):
        one.add(line, f"one {line}")
        two.add(line, f"two {line}")

    assert len(codes(await one.range(0))) == len(codes(await two.range(0))) == 50
    assert {code.split()[0] for code in codes(await one.range(0))} == {"one"}
    assert len(await opened().tail(1000)) == 100


@pytest.mark.parametrize(
    "content", [b"this is no database\n" * 1000, b"SQLite format 3\0" + b"x" * 99]
)
async def test_a_corrupt_file_is_left_alone_and_memory_does(opened, tmp_path, content):
    file = tmp_path / "history.sqlite"
    file.write_bytes(content)
    history = opened(file)
    history.add(1, "ls")

    assert codes(await history.tail(10)) == ["ls"]
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("path", ["/proc/no/history.sqlite", None])
async def test_without_a_file_memory_does(opened, path):
    history = opened(path and Path(path))
    history.add(1, "ls")

    assert codes(await history.range(0, 1)) == ["ls"]


async def test_a_file_that_breaks_later_does_not_fail_a_cell(opened, tmp_path):
    history = opened(tmp_path / "history.sqlite")
    history.add(1, "ls")
    await history.tail(1)
    (tmp_path / "history.sqlite").write_bytes(b"x" * 100_000)
    history.add(2, "pwd")

    assert "pwd" in codes(await history.tail(10))


async def test_only_its_owner_can_read_it(opened, tmp_path):
    await opened().tail(1)

    file = tmp_path / "sandbook" / "history.sqlite"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


async def test_a_closed_one_takes_no_more_and_is_silent_about_it(opened):
    history = opened()
    history.close()

    history.add(1, "ls")

    assert await history.tail(1) == []


def test_the_import_adds_nothing_large_to_a_kernel():
    code = (
        "import sys, ipykernel.kernelapp; before = set(sys.modules);"
        "import sandbook_kernel.history; print(*(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )

    ours = {"sandbook_kernel", "sandbook_kernel.history", "concurrent.futures.thread"}
    assert set(done.stdout.split()) <= ours
