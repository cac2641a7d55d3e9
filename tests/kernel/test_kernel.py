"""The kernel as its clients see it: real processes, real sandboxes."""

import asyncio
import fcntl
import signal
import subprocess

import pytest

from sandbook_kernel.execution import CellRequest, Execution
from sandbook_kernel.owner import sandbox_id_from
from tests.conftest import BACKENDS, ISOLATED
from tests.kernel.client import execute, ids, running_kernel, text_of


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_cell_runs_in_the_sandbox_and_shutdown_removes_it(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        reply, messages = await execute(client, "echo hi; pwd")
        sandbox_id = sandbox_id_from(manager.connection_file)
        during = await ids()

    assert reply["status"] == "ok"
    assert text_of(messages).startswith("hi\n")
    assert sandbox_id in during
    assert sandbox_id not in await ids()


@pytest.mark.parametrize(("backend", "times"), [("local", 1), ("bubblewrap", 0)])
async def test_without_isolation_the_first_cell_says_so_once(backend, times, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        _, first = await execute(client, "echo 1")
        _, second = await execute(client, "echo 2")

    assert text_of(first + second, "stderr").count("isolates nothing") == times


async def test_root_is_another_shell_of_the_same_sandbox(tmp_path):
    async with running_kernel("docker", tmp_path) as (_, client):
        await execute(client, "x=mine; touch /tmp/shared")
        _, messages = await execute(client, "%%bash --root\nid -u; echo ${x-none}; ls /tmp/shared")
        wrong, _ = await execute(client, "%bash --rot ls")

    assert text_of(messages) == "0\nnone\n/tmp/shared\n"
    assert "usage" in wrong["evalue"]


async def test_a_failed_cell_is_an_error_in_words(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        reply, messages = await execute(client, "echo before; (exit 3)")
        after, _ = await execute(client, "echo $?")

    assert (reply["status"], reply["ename"]) == ("error", "ExitStatus")
    assert reply["evalue"] == "exit status 3"
    assert [kind for kind, _ in messages if kind == "error"] == ["error"]
    assert after["status"] == "ok"


async def test_sandbox_tells_what_the_cells_run_in(tmp_path):
    async with running_kernel("docker", tmp_path) as (_, client):
        _, messages = await execute(client, "%sandbox")

    (shown,) = [content for kind, content in messages if kind == "display_data"]
    for word in ("docker", "sandbook/base", "2048 MiB memory", "uptime"):
        assert word in shown["data"]["text/plain"]


async def test_lsmagic_names_every_magic(tmp_path):
    async with running_kernel("local", tmp_path) as (_, client):
        _, messages = await execute(client, "%lsmagic")

    (shown,) = [content for kind, content in messages if kind == "display_data"]
    assert "%sandbox" in shown["data"]["text/plain"]


@pytest.mark.parametrize("by", ["message", "signal"])
async def test_an_interrupt_ends_the_cell_and_not_the_kernel(by, tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (manager, client):
        running = asyncio.create_task(execute(client, "echo begun; sleep 60"))
        await asyncio.sleep(1)
        if by == "message":
            await manager.interrupt_kernel()
        else:
            await manager.signal_kernel(signal.SIGINT)
        reply, _ = await asyncio.wait_for(running, 10)
        after, messages = await execute(client, "echo alive")

    assert (reply["status"], reply["ename"]) == ("error", "Interrupted")
    assert after["status"] == "ok"
    assert text_of(messages) == "alive\n"


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_killed_kernel_leaves_nothing(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "echo hi")
        sandbox_id = sandbox_id_from(manager.connection_file)
        assert sandbox_id in await ids()
        await manager.signal_kernel(signal.SIGKILL)
        for _ in range(100):
            if sandbox_id not in await ids():
                break
            await asyncio.sleep(0.1)

    assert sandbox_id not in await ids()


async def test_a_restart_keeps_the_machine_and_starts_a_new_shell(tmp_path):
    async with running_kernel("docker", tmp_path) as (manager, client):
        await execute(client, "x=1; touch /var/tmp/kept")
        await manager.restart_kernel()
        await client.wait_for_ready(timeout=30)
        _, messages = await execute(client, 'ls /var/tmp; echo "${x-unset}"')
        assert sandbox_id_from(manager.connection_file) in await ids()

    assert text_of(messages) == "kept\nunset\n"


async def test_an_image_on_its_way_shows_in_the_cell_that_waits_for_it(tmp_path):
    """The lock of all builds is held until the cell shows something."""
    image = f"sandbook/base:test-{tmp_path.name}"
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    shown = []

    def note(message):
        if message["msg_type"].endswith("display_data"):
            lock.close()
            shown.append((message["msg_type"], message["content"]["data"]["text/plain"]))

    variables = {"SANDBOOK_IMAGE": image, "SANDBOOK_RUNTIME_DIR": str(folder)}
    with (folder / "images.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        async with running_kernel("docker", tmp_path, **variables) as (_, client):
            reply = await client.execute_interactive("true", output_hook=note, timeout=100)
    subprocess.run(["docker", "rmi", image], check=True, capture_output=True)

    assert reply["content"]["status"] == "ok"
    assert shown[0][0] == "display_data"
    assert {kind for kind, _ in shown[1:]} == {"update_display_data"}
    assert shown[-1][1].endswith(f"Image {image} is ready")


async def test_a_cell_that_waits_for_an_image_can_be_interrupted(tmp_path):
    """The lock of all builds is held until after the interrupt."""
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    variables = {"SANDBOOK_IMAGE": "sandbook/base:never-built", "SANDBOOK_RUNTIME_DIR": str(folder)}
    interrupting = []

    with (folder / "images.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        async with running_kernel("docker", tmp_path, **variables) as (manager, client):

            def note(message):
                if message["msg_type"] == "display_data":
                    interrupting.append(asyncio.ensure_future(manager.interrupt_kernel()))

            reply = await client.execute_interactive("true", output_hook=note, timeout=60)
            await asyncio.gather(*interrupting)

    assert reply["content"]["ename"] == "StartInterrupted"


async def test_the_kernel_answers_before_the_sandbox_is_there(tmp_path):
    async with running_kernel("docker", tmp_path) as (_, client):
        info = await client.kernel_info(reply=True, timeout=30)

    assert info["content"]["language_info"]["name"] == "bash"
    assert info["content"]["supported_features"] == ["kernel subshells"]


@pytest.mark.parametrize(
    ("file", "sandbox_id"),
    [
        ("/run/kernel-abc-1.json", "abc-1"),
        ("/tmp/tmpx.json", "80da51c1-d337-5e0e-927e-c54c577557fe"),
    ],
)
def test_the_sandbox_id_is_the_kernel_id_or_comes_from_the_file(file, sandbox_id):
    assert sandbox_id_from(file) == sandbox_id


async def test_a_defect_ends_its_cell_with_a_reply():
    class Publisher:
        def error(self, name, value):
            return {"ename": name, "evalue": value, "traceback": []}

    class Broken(Execution):
        async def _step(self, *_):
            raise KeyError("x")

    request = CellRequest("true", Publisher(), None)
    reply = await Broken(None).run(request)

    assert (reply["status"], reply["ename"]) == ("error", "Defect")
    assert "Please report it: KeyError" in reply["evalue"]


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_flood_is_kept_outside_of_the_persons_folder(backend, tmp_path):
    folder, data = tmp_path / "notebooks", tmp_path / "data"
    folder.mkdir()
    async with running_kernel(backend, folder, JUPYTER_DATA_DIR=str(data)) as (_, client):
        _, messages = await execute(client, "seq 1000000")
        _, seen = await execute(client, "ls -A; ls -d /workspace/../data 2>&1")

    (log,) = (data / "sandbook" / "logs").iterdir()
    assert log.read_text() == "".join(f"{number}\n" for number in range(1, 1_000_001))
    assert (log.stat().st_mode & 0o777, log.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert not list(folder.iterdir())
    assert "No such file" in text_of(seen)
    shown = [content["data"]["text/plain"] for kind, content in messages if kind == "display_data"]
    last = [kind for kind, _ in messages if kind in {"stream", "display_data"}][-1]
    assert (last, str(log) in shown[-1]) == ("display_data", True)
    assert "of the output above are left out. All output: " in shown[-1]
