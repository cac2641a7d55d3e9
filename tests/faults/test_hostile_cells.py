"""Cells that do harm: what the person sees, that the next cell works, that nothing else changed."""

import os
import subprocess

import pytest

from sandbook.errors import OutOfMemoryError, SessionLostError
from tests.conftest import ISOLATED

pytestmark = pytest.mark.timeout(120)


async def test_a_fork_bomb_is_stopped_by_the_limit(owner):
    person = owner("docker", pids=64)

    await person.run("bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 1")
    status, output = await person.run("echo alive")

    assert (status, output.splitlines()[-1]) == (0, "alive")
    assert subprocess.run(["true"], check=True).returncode == 0


async def test_a_memory_bomb_is_told_as_out_of_memory_with_the_limit(owner):
    person = owner("docker", memory_mb=128)

    with pytest.raises(OutOfMemoryError, match="128 MiB"):
        await person.run("python3 -c 'x = bytearray(10**9)'")

    assert await person.run("echo alive") == (0, "alive\n")


async def test_a_shell_that_uses_up_the_memory_is_told_as_out_of_memory(owner):
    person = owner("docker", memory_mb=128)
    await person.run("cd /usr")

    with pytest.raises(OutOfMemoryError, match="128 MiB"):
        await person.run("x=a; while :; do x=$x$x; done")

    assert await person.run("pwd") == (0, "/usr\n")


async def test_a_program_that_somebody_kills_is_not_told_as_out_of_memory(owner):
    assert (await owner("docker").run("bash -c 'kill -9 $$'"))[0] == 137


@pytest.mark.parametrize("backend", ISOLATED)
async def test_filling_tmp_hits_the_end_of_tmp(backend, owner):
    person = owner(backend, **({"tmp_mb": 16} if backend == "docker" else {}))
    if backend == "bubblewrap":
        size = 64 << 20
        await person.run("echo small > /tmp/x")
        status, _ = await person.run(f"ulimit -f {size // 1024}; head -c 1G /dev/zero > /tmp/big")
    else:
        status, output = await person.run("head -c 1G /dev/zero > /tmp/big")
        assert "No space left on device" in output

    assert status != 0
    assert await person.run("rm -f /tmp/big; echo alive") == (0, "alive\n")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_full_workspace_is_told_and_the_next_cell_works(backend, owner, tmp_path):
    if os.getuid() != 0:
        pytest.fail("making a small disk needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(disk)], check=True)
    try:
        person = owner(backend, workspace=disk)
        status, output = await person.run("head -c 100M /dev/zero > big")
        after = await person.run("exit 0")
        last = await person.run("echo alive")
        await person.executor.close(restart=False)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)

    assert status != 0
    assert "No space left on device" in output
    assert after[0] == 0
    assert last == (0, "alive\n")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_ten_thousand_open_files_harm_nobody(backend, owner):
    person = owner(backend)

    await person.run(
        "python3 -c 'import os\nfor _ in range(10000): os.open(\"/dev/null\", 0)' 2>/dev/null"
    )

    assert await person.run("echo alive") == (0, "alive\n")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_killing_everything_ends_the_sandbox_and_the_next_cell_has_a_new_one(backend, owner):
    person = owner(backend)
    await person.run("echo kept > file")

    with pytest.raises(SessionLostError, match="The next cell starts a new one"):
        await person.run("kill -9 -1; sleep 5")

    assert await person.run("cat file") == (0, "kept\n")


@pytest.mark.parametrize("backend", ISOLATED)
@pytest.mark.parametrize(
    "command",
    [
        "mount -t tmpfs none /mnt",
        "echo x > /proc/sys/kernel/core_pattern",
        "echo b > /proc/sysrq-trigger",
        "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'",
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
        "mknod /tmp/disk b 254 0",
        "chroot / true",
        "date -s 2000-01-01",
        "hostname other",
        "echo 1 > /sys/kernel/profiling",
    ],
)
async def test_what_only_a_machines_owner_may_do_is_refused(backend, command, owner):
    status, _ = await owner(backend).run(f"{{ {command}; }} 2>/dev/null >&2")

    assert status != 0
