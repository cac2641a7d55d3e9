"""ActionExecutor: makes the sandbox when it is needed, and again when it is lost."""

import asyncio
import contextlib

import pytest

from sandbook.actions import RunAction
from sandbook.errors import SessionLostError
from sandbook.executor import ActionExecutor
from sandbook.sandbox.factory import SandboxFactory
from tests.conftest import BACKENDS, OFFLINE


@pytest.fixture(params=BACKENDS)
def executor(request, sandbox_request, jp_asyncio_loop):
    made = ActionExecutor(SandboxFactory(backend=request.param, config=OFFLINE), sandbox_request)
    yield made
    jp_asyncio_loop.run_until_complete(made.close(restart=False))


async def run(executor, command):
    output = bytearray()
    result = await executor.run(RunAction(command), output.extend)
    return result.exit_code, output.decode()


async def test_the_first_action_starts_everything(executor):
    assert executor.info is None

    assert await run(executor, "echo hi") == (0, "hi\n")
    assert executor.info.state == "running"


async def test_a_lost_shell_is_replaced_in_the_same_directory(executor):
    await run(executor, "cd /usr")
    with pytest.raises(SessionLostError):
        await run(executor, "kill -9 $$")

    assert await run(executor, "pwd") == (0, "/usr\n")


async def test_a_lost_sandbox_is_replaced_and_the_workspace_is_intact(executor, tmp_path):
    await run(executor, "echo kept > file")
    first = executor.info.started_at
    await executor._machine.backend.remove(executor.info.sandbox_id)
    with contextlib.suppress(SessionLostError):  # unless the news has come already
        await run(executor, "sleep 1")

    assert await run(executor, "cat file") == (0, "kept\n")
    assert executor.info.started_at >= first


async def test_closing_in_the_middle_of_the_start_leaves_nothing(executor, sandbox_request):
    starting = asyncio.create_task(executor.start())
    await asyncio.sleep(0.05)

    await executor.close(restart=False)

    await asyncio.gather(starting, return_exceptions=True)
    assert sandbox_request.sandbox_id not in {
        info.sandbox_id for info in await executor._factory.list_all()
    }


async def test_a_start_that_is_given_up_leaves_no_shell_that_hangs(executor):
    await run(executor, "true")
    starting = asyncio.create_task(executor.start("other"))
    while ("other", False) not in executor.shells:  # its bash has been started, and not answered
        await asyncio.wait([starting], timeout=0)

    starting.cancel()
    await asyncio.wait([starting])

    assert starting.cancelled()
    ran = executor.run(RunAction("echo hi", session="other"), lambda _: None)
    assert (await asyncio.wait_for(ran, 60)).exit_code == 0


async def test_an_early_start_goes_on_where_nobody_waits_for_it(executor):
    executor.start_early()
    starting = asyncio.create_task(executor.start())
    await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait([starting])

    assert await run(executor, "echo hi") == (0, "hi\n")
    found = [info.sandbox_id for info in await executor._factory.list_all()]
    assert found.count(executor.sandbox_id) == 1


async def test_a_restart_keeps_the_machine(executor, sandbox_request):
    await run(executor, "echo kept > /tmp/restart-test; x=gone")
    await executor.close(restart=True)

    successor = ActionExecutor(executor._factory, sandbox_request)
    status = await run(successor, 'cat /tmp/restart-test; echo "${x-unset}"; rm /tmp/restart-test')
    await successor.close(restart=False)

    assert status == (0, "kept\nunset\n")


async def test_nobody_gets_a_shell_that_has_not_answered_yet(executor):
    async def is_ready_after(seconds):
        await asyncio.sleep(seconds)
        return (await executor.start()).session.is_ready

    executor.start_early()

    assert all(await asyncio.gather(*(is_ready_after(n / 100) for n in range(60))))
    assert await run(executor, "echo hi") == (0, "hi\n")


async def test_a_shell_that_is_tried_out_is_not_used_meanwhile(
    executor, sandbox_request, monkeypatch
):
    """A kernel begins to start by itself; a cell comes while its shell is asked something."""

    trying = asyncio.Event()

    async def slowly(shell):
        trying.set()
        assert await shell.session.ask("builtin read -t 0.5 <> <(:); builtin printf ok") == b"ok"

    await run(executor, "x=1")
    await executor.close(restart=True)
    monkeypatch.setattr("sandbook.shells._try_out", slowly)
    again = ActionExecutor(executor._factory, sandbox_request)
    starting = asyncio.ensure_future(again.start())
    await trying.wait()
    told = await run(again, "echo on")
    await starting
    await again.close(restart=False)

    assert told == (0, "on\n")
