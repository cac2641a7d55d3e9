"""Sandboxes that are kept for their notebook."""

import asyncio
import uuid
from datetime import datetime, timezone

from sandbook.actions import RunAction
from sandbook.executor import ActionExecutor
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.factory import SandboxFactory


async def run(executor, command):
    output = bytearray()
    result = await executor.run(RunAction(command), output.extend)
    return result.exit_code, output.decode()


async def test_a_kept_sandbox_stops_and_goes_on_for_the_same_notebook(tmp_path):
    backend = DockerBackend(lifetime="keep")
    ids = [f"keep-{n}-{uuid.uuid4()}" for n in range(2)]
    answers = []
    for sandbox_id in ids:
        factory = SandboxFactory(backend="docker")
        factory._backends["docker"] = backend
        request = SandboxRequest(sandbox_id, tmp_path, notebook=f"{tmp_path}/kept.ipynb")
        executor = ActionExecutor(factory, request)
        answers.append(await run(executor, "cat /var/tmp/kept; echo kept > /var/tmp/kept"))
        await executor.close(restart=False)
    states = {info.sandbox_id: info.state for info in await backend.list_all()}
    for sandbox_id in ids:
        await backend.remove(sandbox_id)
    backend.close()

    assert answers == [(0, "cat: /var/tmp/kept: No such file or directory\n"), (0, "kept\n")]
    assert states.get(ids[1]) == "exited"
    assert ids[0] not in states


async def test_two_kernels_of_one_notebook_do_not_share_what_was_kept(tmp_path):
    backend = DockerBackend(lifetime="keep", network="none")
    notebook = f"{tmp_path}/twice.ipynb"
    ids = [f"twice-{n}-{uuid.uuid4()}" for n in range(3)]

    def request(sandbox_id):
        return SandboxRequest(sandbox_id, tmp_path, notebook=notebook)

    try:
        first = await backend.create(request(ids[0]))
        await first.run("touch", "/var/tmp/kept")
        await backend.retire(ids[0])
        both = await asyncio.gather(*(backend.create(request(each)) for each in ids[1:]))
        found = [await each.run("ls", "/var/tmp/kept") for each in both]
        states = {info.sandbox_id: info.state for info in await backend.list_all()}
    finally:
        for sandbox_id in ids:
            await backend.remove(sandbox_id)
        backend.close()

    assert sorted(each.exit_code for each in found) == [0, 2]
    assert [states.get(each) for each in ids] == [None, "running", "running"]


async def test_without_a_notebook_there_is_nobody_to_keep_it_for(tmp_path):
    backend = DockerBackend(lifetime="keep")
    sandbox_id = f"keep-nobody-{uuid.uuid4()}"
    await backend.create(SandboxRequest(sandbox_id, tmp_path))
    await backend.retire(sandbox_id)

    for _ in range(50):
        left = {info.sandbox_id for info in await backend.list_all()} & {sandbox_id}
        if not left:
            break
        await asyncio.sleep(0.1)
    await backend.remove(sandbox_id)
    backend.close()

    assert not left


async def test_the_uptime_of_a_kept_sandbox_counts_from_its_last_start(tmp_path):
    backend = DockerBackend(lifetime="keep", network="none")
    notebook = f"{tmp_path}/uptime.ipynb"
    ids = [f"uptime-{n}-{uuid.uuid4()}" for n in range(2)]
    try:
        first = await backend.create(SandboxRequest(ids[0], tmp_path, notebook=notebook))
        await backend.retire(ids[0])
        (kept,) = [info for info in await backend.list_all() if info.sandbox_id == ids[0]]
        await asyncio.sleep(
            max(0, 1.1 - (datetime.now(timezone.utc) - first.info.started_at).total_seconds())
        )
        begun = datetime.now(timezone.utc).replace(microsecond=0)
        again = await backend.create(SandboxRequest(ids[1], tmp_path, notebook=notebook))
        listed = {info.sandbox_id: info for info in await backend.list_all()}
        found = (await backend.find(ids[1])).info
    finally:
        for sandbox_id in ids:
            await backend.remove(sandbox_id)
        backend.close()

    assert kept.kept
    assert kept.state == "exited"
    assert first.info.started_at < begun
    assert again.info.started_at >= begun
    assert listed[ids[1]] == found == again.info
