"""Cells that do harm: what the person sees, that the next cell works, that nothing else changed."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from sandbook.errors import OutOfMemoryError, SessionLostError
from tests.conftest import ISOLATED

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def owner(owner):
    """Make an owner whose containers have no network: no cell here uses one."""

    def make(backend, *given, **settings):
        offline = {"network": "none"} if backend == "docker" else {}
        return owner(backend, *given, **{**offline, **settings})

    return make


def machine():
    """Look at what a cell could change on this machine, if it got out."""
    watched = ("kernel/core_pattern", "kernel/hostname", "vm/overcommit_memory", "kernel/pid_max")
    values = {name: Path("/proc/sys", name).read_text() for name in watched}
    mounted = {line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()}
    return values, sorted(Path("/").iterdir()), "/mnt" in mounted, time.time() - time.monotonic()


@pytest.fixture(autouse=True)
def nothing_outside_changes():
    before = machine()
    yield
    after = machine()
    assert after[:3] == before[:3]
    assert abs(after[3] - before[3]) < 60  # the clock is as it was


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_fork_bomb_is_stopped_by_the_limit(backend, owner):
    person = owner(backend, pids=64)

    await person.run("bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 1")
    status, output = await person.run("echo alive")

    stats = await person.executor.sandbox.stats()

    assert (status, output.splitlines()[-1]) == (0, "alive")
    assert stats.pids <= 64


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_memory_bomb_is_told_as_out_of_memory_with_the_limit(backend, owner):
    person = owner(backend, memory_mb=128)

    with pytest.raises(OutOfMemoryError, match="128 MiB"):
        await person.run("python3 -c 'x = bytearray(10**9)'")

    assert await person.run("echo alive") == (0, "alive\n")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_shell_that_uses_up_the_memory_is_told_as_out_of_memory(backend, owner):
    person = owner(backend, memory_mb=128)
    await person.run("cd /usr")

    with pytest.raises(OutOfMemoryError, match="128 MiB"):
        await person.run("x=a; while :; do x=$x$x; done")

    assert await person.run("pwd") == (0, "/usr\n")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_program_that_somebody_kills_is_not_told_as_out_of_memory(backend, owner):
    assert (await owner(backend).run("bash -c 'kill -9 $$'"))[0] == 137


@pytest.mark.parametrize("backend", ISOLATED)
@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
async def test_filling_a_folder_in_memory_hits_its_end(backend, folder, owner):
    person = owner(backend, tmp_mb=16, shm_mb=16)

    status, output = await person.run(f"dd if=/dev/zero of={folder}/big bs=1M")

    assert (status, "No space left on device" in output) == (1, True)
    assert await person.run(f"rm {folder}/big; echo alive") == (0, "alive\n")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_cells_run_while_a_folder_in_memory_is_full(backend, owner):
    person = owner(backend, tmp_mb=16, shm_mb=16)
    await person.run("dd if=/dev/zero of=/tmp/big bs=1M; dd if=/dev/zero of=/dev/shm/big bs=1M")

    assert (await person.run("exit 0"))[0] == 0
    assert await person.run("echo alive") == (0, "alive\n")


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
    person = owner(backend, open_files=1024)

    status, output = await person.run(
        "python3 -c 'import os\nfor _ in range(10000): os.open(\"/dev/null\", 0)'"
    )

    assert (status, "Too many open files" in output) == (1, True)
    assert await person.run("echo alive") == (0, "alive\n")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_killing_everything_is_told_and_the_next_cell_works(backend, owner):
    person = owner(backend)
    await person.run("echo kept > file")

    with pytest.raises(SessionLostError, match="The next cell starts a new one"):
        await person.run("(kill -9 -1); sleep 5")  # a process does not kill itself that way

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
        "echo 4194304 > /proc/sys/kernel/pid_max",
        "mount --bind /etc /mnt",
        "mount -o remount,rw /usr",
        "umount -l /workspace",
        "unshare --user --map-root-user true",
        "unshare --mount true",
        "echo 0 > /proc/self/oom_score_adj && echo -1000 > /proc/self/oom_score_adj",
        "nsenter -t 1 -m true",
        "ulimit -n 999999999",
    ],
)
async def test_what_only_a_machines_owner_may_do_is_refused(backend, command, owner):
    status, _ = await owner(backend).run(f"{{ {command}; }} 2>/dev/null >&2")

    assert status != 0
