"""The machine of a kernel: replaced when it is lost or wanted so, and never without a word."""

import asyncio
import json
import os
import time

import pytest

from sandbook.errors import SandboxNotFoundError
from sandbook.sandbox.factory import SandboxFactory
from sandbook_kernel.owner import sandbox_id_from
from tests.conftest import BACKENDS, ISOLATED
from tests.core.sandbox.test_backends import eventually
from tests.kernel.client import execute, running_kernel, text_of

FEW = 40
LOST = "Variables, running programs, installed packages and /tmp are gone"


async def sandbox_of(manager):
    factory = SandboxFactory()
    try:
        return factory, await factory.find(sandbox_id_from(manager.connection_file))
    except BaseException:
        factory.close()
        raise


async def remove(manager):
    """Remove the sandbox of a kernel, as `sandbook rm` does."""
    factory, sandbox = await sandbox_of(manager)
    await factory.of(sandbox.info.backend).remove(sandbox.info.sandbox_id)
    factory.close()


def shown(messages):
    return "\n".join(
        content["data"]["text/plain"] for kind, content in messages if kind == "display_data"
    )


def streams(messages):
    return [(c["name"], c["text"]) for kind, c in messages if kind == "stream"]


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_cell_tells_that_the_sandbox_was_lost_and_restart_makes_a_new_one(
    backend, tmp_path
):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "x=old; touch /tmp/old kept")
        await remove(manager)
        _, next_cell = await execute(client, "echo ${x-unset}; ls /tmp /workspace")
        _, after = await execute(client, "x=new; touch /tmp/old; cd /usr; echo over")
        reply, restarted = await execute(client, "%sandbox restart")
        _, fresh = await execute(client, "echo ${x-unset} $PWD; ls /tmp /workspace")
        wrong, _ = await execute(client, "%sandbox restrat")

    (_, notice), *output = streams(next_cell)
    assert [name for name, _ in streams(next_cell)] == ["stderr"] + ["stdout"] * len(output)
    assert "The sandbox has ended" in notice
    assert LOST in notice
    assert ("somebody stopped or removed its container" in notice) == (backend == "docker")
    assert text_of(next_cell) == "unset\n/tmp:\n\n/workspace:\nkept\n"
    assert streams(after) == [("stdout", "over\n")]
    assert reply["status"] == "ok"
    assert "removed by %sandbox restart" in text_of(restarted, "stderr")
    assert LOST in text_of(restarted, "stderr")
    assert "running" in shown(restarted)
    assert text_of(fresh) == "unset /workspace\n/tmp:\n\n/workspace:\nkept\n"
    assert text_of(fresh, "stderr") == ""
    assert "choose from" in wrong["evalue"]


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_restarted_kernel_tells_that_its_sandbox_is_not_the_last_one(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        _, first = await execute(client, "touch /tmp/old")
        await remove(manager)
        await manager.restart_kernel()
        await client.wait_for_ready(timeout=30)
        _, messages = await execute(client, "ls /tmp")

    assert streams(first) == []
    assert "The sandbox has ended" in text_of(messages, "stderr")
    assert LOST in text_of(messages, "stderr")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_life_that_was_over_is_told(backend, tmp_path):
    owner = SandboxFactory.backend_classes[backend].__name__
    config = json.dumps({owner: {"max_life_s": 4}})
    async with running_kernel(backend, tmp_path, SANDBOOK_KERNEL_CONFIG=config) as running:
        manager, client = running
        await execute(client, "true")

        async def is_over():
            try:
                factory, _ = await sandbox_of(manager)
            except SandboxNotFoundError:
                return True
            factory.close()
            return False

        assert await eventually(is_over, seconds=20)
        _, messages = await execute(client, "true")

    assert "(its life of 4 seconds is over (max_life_s))" in text_of(messages, "stderr")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_restart_with_other_limits_makes_a_new_sandbox_and_else_keeps_it(backend, tmp_path):
    owner = SandboxFactory.backend_classes[backend].__name__
    config = tmp_path / "config"
    config.mkdir()
    folder = tmp_path / "notebooks"
    folder.mkdir()
    variables = {"JUPYTER_CONFIG_DIR": str(config)}
    async with running_kernel(backend, folder, **variables) as (manager, client):
        await execute(client, "touch /tmp/old kept")
        await manager.restart_kernel()
        await client.wait_for_ready(timeout=30)
        _, same = await execute(client, "ls /tmp/old")
        settings = {owner: {"memory_mb": 300}}
        (config / "sandbook_config.json").write_text(json.dumps(settings))
        await manager.restart_kernel()
        await client.wait_for_ready(timeout=30)
        _, changed = await execute(client, "ls /tmp /workspace")
        _, described = await execute(client, "%sandbox")

    assert streams(same) == [("stdout", "/tmp/old\n")]
    assert "had other limits than are set now (300 MiB memory" in text_of(changed, "stderr")
    assert LOST in text_of(changed, "stderr")
    assert text_of(changed) == "/tmp:\n\n/workspace:\nkept\n"
    assert "300 MiB memory" in shown(described)


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_restart_replaces_a_sandbox_that_does_not_answer(backend, tmp_path):
    owner = SandboxFactory.backend_classes[backend].__name__
    config = json.dumps({owner: {"pids": FEW}})
    async with running_kernel(backend, tmp_path, SANDBOOK_KERNEL_CONFIG=config) as running:
        manager, client = running
        await execute(client, "touch kept")
        client.execute("setsid bash -c ':(){ :|:& };:' 2>/dev/null &")
        factory, sandbox = await sandbox_of(manager)

        async def is_full():
            return (await sandbox.stats()).pids >= FEW - 2

        assert await eventually(is_full)
        factory.close()
        begun = time.monotonic()
        await manager.restart_kernel(now=True)
        await client.wait_for_ready(timeout=60)
        reply, messages = await execute(client, "ls")
        took_s = time.monotonic() - begun

    assert reply["status"] == "ok"
    assert text_of(messages) == "kept\n"
    assert LOST in text_of(messages, "stderr")
    assert took_s < 25


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_paused_sandbox_is_shown_and_the_next_cell_resumes_it(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "x=kept")
        factory, sandbox = await sandbox_of(manager)
        await sandbox.pause()
        _, described = await execute(client, "%sandbox")
        reply, messages = await execute(client, "echo $x")
        _, after = await execute(client, "echo on")

        async def runs():
            states = {info.sandbox_id: info.state for info in await factory.list_all()}
            return states[sandbox.info.sandbox_id] == "running"

        goes_on = await eventually(runs)  # an engine lists it as paused for a moment more
        factory.close()

    assert "paused" in shown(described)
    assert reply["status"] == "ok"
    assert [name for name, _ in streams(messages)] == ["stderr", "stdout"]
    assert "was paused" in text_of(messages, "stderr")
    assert text_of(messages) == "kept\n"
    assert streams(after) == [("stdout", "on\n")]
    assert goes_on


FIRST_USES = {"Python": "%%python\nprint('kept')", "a file": "%view kept"}


@pytest.mark.parametrize("cell", FIRST_USES.values(), ids=FIRST_USES)
async def test_whatever_needs_a_paused_sandbox_resumes_it(tmp_path, cell):
    (tmp_path / "kept").write_text("kept")
    async with running_kernel("docker", tmp_path) as (manager, client):
        await execute(client, "true")
        factory, sandbox = await sandbox_of(manager)
        await sandbox.pause()
        reply, messages = await execute(client, cell)
        factory.close()

    assert reply["status"] == "ok"
    assert "was paused" in text_of(messages, "stderr")
    assert "kept" in text_of(messages) + shown(messages)


async def test_a_completion_in_a_paused_sandbox_keeps_no_cell_waiting(tmp_path):
    async with running_kernel("docker", tmp_path) as (manager, client):
        await execute(client, "true")
        factory, sandbox = await sandbox_of(manager)
        await sandbox.pause()
        client.complete("ech", 3)
        reply, messages = await execute(client, "echo on")
        factory.close()

    assert reply["status"] == "ok"
    assert "was paused" in text_of(messages, "stderr")
    assert text_of(messages) == "on\n"


@pytest.mark.parametrize("backend", ISOLATED)
async def test_an_interrupt_resumes_what_was_paused_meanwhile(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "true")
        running = asyncio.ensure_future(execute(client, "touch begun; sleep 100"))

        async def has_begun():
            return (tmp_path / "begun").exists()

        assert await eventually(has_begun)
        await asyncio.sleep(0.5)  # a cell that has just begun resumes the sandbox by itself
        factory, sandbox = await sandbox_of(manager)
        await sandbox.pause()
        await manager.interrupt_kernel()
        reply, messages = await asyncio.wait_for(running, 20)
        factory.close()

    assert reply["ename"] == "Interrupted"
    assert "was paused" in text_of(messages, "stderr")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_magic_that_fails_tells_that_the_sandbox_is_a_new_one(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "echo data >/tmp/data.csv")
        await remove(manager)
        await asyncio.sleep(1)
        reply, messages = await execute(client, "%view /tmp/data.csv")

    assert reply["ename"] == "PathNotFound"
    assert LOST in text_of(messages, "stderr")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
async def test_a_workspace_that_cannot_be_entered_is_told(tmp_path):
    os.chown(tmp_path, 54321, 54321)
    tmp_path.chmod(0o700)
    try:
        async with running_kernel("bubblewrap", tmp_path) as (_, client):
            reply, _ = await execute(client, "true")
    finally:
        os.chown(tmp_path, 0, 0)

    assert "Permission denied" in reply["evalue"]


@pytest.mark.parametrize("backend", BACKENDS)
async def test_what_is_lost_without_isolation_is_less(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        _, messages = await execute(client, "%sandbox restart")

    told = text_of(messages, "stderr")
    assert ("installed packages" in told) == (backend != "local")
    assert "Variables" in told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("mode", [0o755, 0o777])
async def test_a_workspace_of_somebody_else_is_told_at_the_start(tmp_path, mode):
    tmp_path.chmod(mode)
    os.chown(tmp_path, 54321, 54321)
    try:
        async with running_kernel("bubblewrap", tmp_path) as (_, client):
            _, first = await execute(client, "touch made; echo $?")
            _, second = await execute(client, "echo on")
    finally:
        os.chown(tmp_path, 0, 0)

    told = [text for name, text in streams(first) if "chown" in text]
    assert len(told) == (mode == 0o755)
    assert text_of(first).endswith("1\n" if told else "0\n")
    if told:
        assert streams(first)[0] == ("stderr", told[0])
        assert f"{tmp_path} belongs to user 54321" in told[0]
        assert f"chown -R root {tmp_path}" in told[0]
    assert streams(second) == [("stdout", "on\n")]


async def test_completion_knows_what_sandbox_takes(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        code = "%sandbox re"
        reply = await client.complete(code, len(code), reply=True, timeout=30)
        helped, told = await execute(client, "%sandbox --help")

    assert reply["content"]["matches"] == ["restart"]
    assert helped["status"] == "ok"
    assert "installed packages and /tmp are lost" in " ".join(shown(told).split())
