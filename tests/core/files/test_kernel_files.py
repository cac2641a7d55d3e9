"""Files that the Linux kernel makes up: their sizes say nothing. And files that are mounts."""

import pytest

from sandbook.errors import FileError, TooLargeError
from tests.conftest import BACKENDS
from tests.core.files.conftest import PLAIN

pytestmark = pytest.mark.parametrize(
    "shared_sandbox", [*BACKENDS, PLAIN], indirect=True, scope="module"
)
SYMBOLS = "/proc/kallsyms"


async def opened(files, path, **options):
    async with files.open(path, **options) as reader:
        data = b"".join([piece async for piece in reader.pieces])
    assert len(data) == reader.length
    return data


async def test_a_large_one_without_a_size_is_read_to_its_end(files, machine):
    size = int(await machine.bash(f"cat {SYMBOLS} | wc -c"))

    assert size > 2 << 20
    assert len(await files.read(SYMBOLS)) == size
    assert len(await opened(files, SYMBOLS)) == size
    assert (await files.look(SYMBOLS)).size == size
    with pytest.raises(TooLargeError):
        await files.read(SYMBOLS, limit=2 << 20)


async def test_one_that_says_to_be_larger_is_read_to_its_end(files, machine):
    path = "/sys/kernel/mm/transparent_hugepage/enabled"
    if machine.sandbox.info.backend == "bubblewrap":
        path = "/proc/version"  # there is no /sys

    content = await machine.bash(f"cat {path}")

    assert await opened(files, path) == content
    assert (await files.look(path)).head == content
    assert (await files.look(path)).size == len(content)


async def test_a_file_that_is_a_mount_is_written_where_it_is(files, machine):
    if machine.sandbox.info.backend != "docker":
        return
    before = await files.read("/etc/hosts")

    await files.write("/etc/hosts", before + b"# new\n", mode=0o644)

    assert await files.read("/etc/hosts") == before + b"# new\n"
    assert b".sandbook-" not in await machine.bash("ls -A /etc")
    await files.write("/etc/hosts", before)


async def test_a_file_from_far_away_in_time_is_told(files, machine):
    if machine.sandbox.info.isolation == "none":
        return
    await machine.bash("touch -d @999999999999 /tmp/late; touch -d @-99999999999 /tmp/early")

    late, early = [(await files.stat(f"/tmp/{name}")).modified_ns for name in ("late", "early")]

    assert late == 253_402_300_799 * 10**9
    assert early == -62_135_596_800 * 10**9
    await machine.bash("rm /tmp/late /tmp/early")


async def test_a_sandbox_that_answers_without_end_is_not_listened_to(files, machine):
    if machine.sandbox.info.isolation == "none":
        return
    await machine.bash("mkdir bin; printf '#!/bin/bash\\nyes' >bin/liar; chmod +x bin/liar")
    liar = f"{machine.folder}/bin/liar"

    class Sandbox:
        workspace = machine.sandbox.workspace

        async def open_side(self, *_argv, root=False):
            return await machine.sandbox.open_side(liar, root=root)

    files._courier._sandbox = Sandbox()

    for work in (files.stat("x"), files.list_folder(), files.glob("*"), files.read("x")):
        with pytest.raises(FileError):
            await work
