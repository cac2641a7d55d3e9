"""The contract of all backends; `backend` and `sandbox` are parametrised in tests/conftest.py."""

import asyncio

import pytest

from sandbook.errors import SandboxNotFoundError
from sandbook.sandbox.base import SandboxRequest
from sandbook.session.bash import BashSession


async def eventually(condition, seconds=12):
    """Wait until a coroutine function gives something true."""
    for _ in range(int(seconds / 0.1)):
        if await condition():
            return True
        await asyncio.sleep(0.1)
    return False


async def test_a_new_sandbox_is_listed_and_found(backend, sandbox, sandbox_request):
    listed = {info.sandbox_id: info for info in await backend.list_all()}

    info = listed[sandbox_request.sandbox_id]
    assert (info.backend, info.state, info.notebook) == (backend.name, "running", "test.ipynb")
    assert info.isolation == backend.isolation
    assert (await backend.find(sandbox_request.sandbox_id)).info == info


async def test_an_unknown_id_is_not_found(backend):
    with pytest.raises(SandboxNotFoundError, match="Run any cell"):
        await backend.find("no-such-id")


async def test_removing_takes_it_away_and_may_be_done_twice(backend, sandbox_request):
    await backend.create(sandbox_request)

    await backend.remove(sandbox_request.sandbox_id)
    await backend.remove(sandbox_request.sandbox_id)

    async def is_gone():
        return sandbox_request.sandbox_id not in {i.sandbox_id for i in await backend.list_all()}

    assert await eventually(is_gone)


async def test_the_workspace_is_shared_with_this_machine(sandbox, tmp_path):
    session = BashSession(sandbox)
    await session.start()
    (tmp_path / "from-outside").write_text("in\n")

    output = bytearray()
    await session.run("cat from-outside; echo out > from-inside", output.extend)
    session.close()

    assert output == b"in\n"
    assert (tmp_path / "from-inside").read_text() == "out\n"


async def test_two_shells_of_a_sandbox_do_not_disturb_each_other(sandbox):
    first, second = BashSession(sandbox), BashSession(sandbox)
    await asyncio.gather(first.start(), second.start())

    await asyncio.gather(first.run("x=1", print), second.run("x=2", print))

    for session, expected in ((first, b"1\n"), (second, b"2\n")):
        output = bytearray()
        await session.run("echo $x", output.extend)
        assert output == expected
        session.close()


async def test_a_sandbox_that_nobody_holds_any_more_ends(backend, tmp_path):
    request = SandboxRequest("lease-test", tmp_path)
    sandbox = await backend.create(request)
    session = BashSession(sandbox)
    await session.start()

    await sandbox.release(grace_s=1)
    session.close()

    async def is_gone():
        return "lease-test" not in {info.sandbox_id for info in await backend.list_all()}

    assert await eventually(is_gone)


async def test_a_sandbox_waits_for_its_next_holder(backend, tmp_path):
    request = SandboxRequest("grace-test", tmp_path)
    sandbox = await backend.create(request)
    first = BashSession(sandbox)
    await first.start()
    await first.run("echo kept > /tmp/grace-test", print)
    await sandbox.release(grace_s=30)
    first.close()
    await asyncio.sleep(1)

    second = BashSession(await backend.find("grace-test"))
    await second.start()
    output = bytearray()
    await second.run("cat /tmp/grace-test; rm /tmp/grace-test", output.extend)
    second.close()
    await backend.remove("grace-test")

    assert output == b"kept\n"
