"""Workspaces that are volumes: they live as long as anybody may need them, and no longer."""

import json
import os
import platform
import signal
import uuid

import docker
import pytest

from sandbook.actions import RunAction
from sandbook.executor import ActionExecutor
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.claim import Claim
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.factory import SandboxFactory
from sandbook.sandbox.runtime_folder import realm
from sandbook_kernel.owner import sandbox_id_from
from tests.core.sandbox.test_backends import eventually
from tests.kernel.client import execute, running_kernel, text_of

pytestmark = pytest.mark.docker


@pytest.fixture
def engine():
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def backend():
    made = DockerBackend(workspace="volume", network="none", lifetime="keep")
    yield made
    made.close()


def is_there(engine, name):
    return any(volume.name == name for volume in engine.volumes.list(filters={"name": name}))


@pytest.fixture
def volume(engine):
    """Make a volume like that of a sandbox, with some labels changed."""
    made = []

    def make(**changed):
        name = f"sandbook-{uuid.uuid4()}"
        labels = {"volume": name, "user": str(os.getuid()), "host": platform.node()}
        labels |= {"realm": realm()} | changed
        known = {f"sandbook.{key}": value for key, value in labels.items()}
        made.append(engine.volumes.create(name, labels=known))
        return name

    yield make
    for one in made:
        if is_there(engine, one.name):
            one.remove()


async def test_only_what_nobody_can_need_is_removed(engine, backend, volume):
    unused = volume()
    others = [volume(user="4711"), volume(host="elsewhere"), volume(realm="/elsewhere")]
    owned = volume()
    claim = Claim(owned)

    first = await backend.remove_unused()
    claim.release(forget=False)
    second = await backend.remove_unused()

    assert unused in first
    assert owned not in first
    assert owned in second
    assert not is_there(engine, unused)
    assert all(is_there(engine, name) for name in others)


async def test_a_kept_container_keeps_its_volume(engine, backend, tmp_path):
    ids = [f"volume-{n}-{uuid.uuid4()}" for n in range(2)]
    notebook = f"{tmp_path}/kept.ipynb"
    try:
        first = await backend.create(SandboxRequest(ids[0], tmp_path, notebook))
        await first.run("touch", "/workspace/kept")
        await backend.retire(ids[0])
        removed = await backend.remove_unused()
        again = await backend.create(SandboxRequest(ids[1], tmp_path, notebook))
        taken_over = await again.run("ls", "/workspace")
        await backend.discard(ids[1])
        replaced = await backend.create(SandboxRequest(ids[1], tmp_path, notebook))
        still = await replaced.run("ls", "/workspace")
    finally:
        for sandbox_id in ids:
            await backend.remove(sandbox_id)

    assert removed == []
    assert (taken_over.output, still.output) == (b"kept\n", b"kept\n")
    assert not is_there(engine, f"sandbook-{ids[0]}")


async def test_a_workspace_outlives_its_container_while_the_kernel_lives(engine, backend, tmp_path):
    factory = SandboxFactory(backend="docker")
    factory._backends["docker"] = DockerBackend(workspace="volume", network="none")
    executor = ActionExecutor(factory, SandboxRequest(str(uuid.uuid4()), tmp_path))
    name = f"sandbook-{executor.sandbox_id}"

    async def run(command):
        output = bytearray()
        await executor.run(RunAction(command), output.extend)
        return output.decode()

    try:
        await run("touch kept")
        engine.containers.get(name).remove(force=True)

        async def is_noticed():
            return not executor.shells

        assert await eventually(is_noticed)
        removed = await backend.remove_unused()
        after_its_end = await run("ls")
        await executor.renew("was removed by a test")
        after_renewal = await run("ls")
    finally:
        await executor.close(restart=False)

    assert removed == []
    assert (after_its_end, after_renewal) == ("kept\n", "kept\n")
    assert not is_there(engine, name)


async def test_the_volume_of_a_killed_kernel_is_removed(engine, tmp_path):
    config = json.dumps({"DockerBackend": {"workspace": "volume", "network": "none"}})
    async with running_kernel("docker", tmp_path, SANDBOOK_KERNEL_CONFIG=config) as running:
        manager, client = running
        _, messages = await execute(client, "echo x > file; ls")
        name = f"sandbook-{sandbox_id_from(manager.connection_file)}"
        await manager.signal_kernel(signal.SIGKILL)

        async def is_gone():
            return not is_there(engine, name)

        assert await eventually(is_gone, seconds=30)

    assert text_of(messages) == "file\n"
