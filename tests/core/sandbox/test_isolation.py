"""What a cell cannot see or do, on the backends that isolate."""

import os
from pathlib import Path

import pytest

from sandbook.session.bash import BashSession
from tests.conftest import ISOLATED

pytestmark = pytest.mark.parametrize("backend", ISOLATED, indirect=True)


@pytest.fixture
def run(sandbox, jp_asyncio_loop):
    session = BashSession(sandbox)
    jp_asyncio_loop.run_until_complete(session.start())

    async def run(command):
        output = bytearray()
        result = await session.run(command, output.extend)
        return result.exit_code, output.decode().strip()

    yield run
    session.close()


async def test_it_has_its_own_host_name_and_processes(run):
    assert await run("hostname") == (0, "sandbox")
    assert str(os.getpid()) not in (await run("ls /proc"))[1].split()


async def test_it_sees_no_file_of_this_machine_beside_its_workspace(run, tmp_path_factory):
    secret = tmp_path_factory.mktemp("host") / "secret"
    secret.write_text("secret")

    assert (await run(f"cat {secret}"))[0] == 1
    assert (await run(f"ls {Path.home()}/.config"))[0] == 2
    assert (await run("ls /var/run/docker.sock"))[0] == 2


async def test_it_has_no_way_to_more_rights(run):
    _, status = await run("cat /proc/self/status")

    fields = dict(line.split(":\t") for line in status.splitlines() if ":\t" in line)
    five = 0b11001011  # CHOWN, DAC_OVERRIDE, FOWNER, SETGID, SETUID
    assert fields["NoNewPrivs"] == "1"
    assert int(fields["CapBnd"], 16) & ~five == 0


async def test_it_cannot_mount(run):
    assert (await run("mount -t tmpfs none /mnt"))[0] != 0


async def test_it_gets_no_variable_of_ours(run, monkeypatch):
    assert "JPY_" not in (await run("env"))[1]
    assert (await run("echo ${PYTEST_CURRENT_TEST-none}"))[1] == "none"


async def test_its_temporary_files_stay_its_own(run):
    await run("echo x > /tmp/sandbook-isolation-probe")

    assert not Path("/tmp/sandbook-isolation-probe").exists()
