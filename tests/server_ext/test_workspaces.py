"""What the server keeps of a sandbox, and for how long."""

import asyncio

import pytest

from sandbook.errors import SandboxNotFoundError
from sandbook.files.archive import ArchivePolicy
from sandbook_server.workspaces import Workspaces


@pytest.fixture
def workspaces(backend, jp_asyncio_loop):
    """Those of a server that loses patience soon."""
    made = Workspaces(backend.parent, ArchivePolicy(), idle_s=0.05)
    yield made
    jp_asyncio_loop.run_until_complete(made.close())


async def until(condition):
    for _ in range(200):
        if condition():
            return
        await asyncio.sleep(0.05)
    pytest.fail("it never came to that")


def idle_programs(workspace):
    return sum(map(len, workspace.files._courier._idle.values()))


async def test_programs_end_when_nobody_needs_them_and_come_back(workspaces, sandbox):
    async with workspaces.use(sandbox.info.sandbox_id) as workspace:
        await workspace.files.write("a", "1")
        kept = idle_programs(workspace)
    await until(lambda: not idle_programs(workspace))

    async with workspaces.use(sandbox.info.sandbox_id) as again:
        assert await again.files.read("a") == b"1"

    assert kept == 1
    assert again is workspace


async def test_a_sandbox_that_is_gone_is_forgotten(workspaces, backend, sandbox):
    sandbox_id = sandbox.info.sandbox_id
    async with workspaces.use(sandbox_id) as workspace:
        await workspace.files.write("a", "1")
        await workspace.checkpoints.take(workspace.files, f"{sandbox.workspace}/a")
    await backend.remove(sandbox_id)

    await until(lambda: not workspaces._known)

    assert workspace.checkpoints.find(f"{sandbox.workspace}/a") is None
    with pytest.raises(SandboxNotFoundError):
        async with workspaces.use(sandbox_id):
            pass


async def test_the_oldest_checkpoints_make_room(workspaces, sandbox):
    async with workspaces.use(sandbox.info.sandbox_id) as workspace:
        store = type(workspace.checkpoints)(most_files=2, most_bytes=10)
        for name, text in {"a": "1", "b": "22", "c": "333", "d": "4444", "e": "55555"}.items():
            await workspace.files.write(name, text)
            await store.take(workspace.files, f"{sandbox.workspace}/{name}")
        kept = [name for name in "abcde" if store.find(f"{sandbox.workspace}/{name}")]
        store.close()

    assert kept == ["d", "e"]
