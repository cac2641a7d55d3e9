"""Attack: a program of the sandbox makes the kernel keep, or wait for, something without end."""

import asyncio
import tracemalloc

import pytest

from sandbook.actions import RunAction
from sandbook.executor import ActionExecutor
from sandbook.sandbox.base import OUTPUT_LIMIT
from sandbook.session.bash import MOST_SAID, BashSession
from tests.conftest import ISOLATED

MUCH = 100 << 20
FLOOD = f"head -c {MUCH} /dev/zero | tr '\\0' x"


@pytest.fixture
def session(sandbox, jp_asyncio_loop):
    opened = BashSession(sandbox)
    jp_asyncio_loop.run_until_complete(opened.start())
    yield opened
    opened.close()


@pytest.fixture
def memory():
    """Tell the most that was in use at a time."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


@pytest.mark.parametrize("backend", ISOLATED, indirect=True)
async def test_what_runs_beside_the_shell_says_what_it_likes(sandbox, memory):
    told = await sandbox.run("bash", "-c", f"{FLOOD}; {FLOOD} >&2")

    assert (len(told.output), len(told.errors)) == (OUTPUT_LIMIT, OUTPUT_LIMIT)
    assert memory() < MUCH / 2


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_what_the_shell_is_asked_may_be_another_program(session, memory):
    """A cell may define the functions that a completion calls."""
    said = await session.ask(FLOOD)

    assert len(said) == MOST_SAID
    assert memory() < MUCH / 2


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_marks_that_want_an_answer_are_answered_one_at_a_time(session):
    most = 0

    def count(_):
        nonlocal most
        most = max(most, len(asyncio.all_tasks()))

    nonce = session._nonce
    flood = f"for i in {{1..200}}; do printf '\\e]7717;{nonce};A\\a%.0s' {{1..500}}; echo; done"
    result = await session.run(flood, count)

    assert result.exit_code == 0
    assert most < 20
    assert (await session.run("echo on", count)).exit_code == 0


STOP = """
import os, signal
while True:
    for one in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{one}/cmdline", "rb") as file:
                if b"memory.oom_control" in file.read() and int(one) != os.getpid():
                    os.kill(int(one), signal.SIGSTOP)
        except OSError:
            pass
"""


@pytest.mark.parametrize("backend", ["docker"], indirect=True)
async def test_a_program_that_is_stopped_keeps_nobody_waiting(factory, backend, sandbox_request):
    """The guard, and whatever asks the engine, would wait for a thread; now nobody has one."""
    factory.backend = backend.name
    executor = ActionExecutor(factory, sandbox_request)
    (sandbox_request.workspace / "stop.py").write_text(STOP)
    start = "python3 stop.py </dev/null >/dev/null 2>&1 & sleep 1"
    await executor.run(RunAction(start), lambda _: None)
    stopped = [
        asyncio.ensure_future(
            executor.run(RunAction("(exit 137)", session=f"s{n}"), lambda _: None)
        )
        for n in range(8)
    ]
    await asyncio.sleep(2)
    (sandbox_request.workspace / ".vscode").mkdir()

    for _ in range(80):
        if is_moved := not (sandbox_request.workspace / ".vscode").exists():
            break
        await asyncio.sleep(0.1)
    results = await asyncio.wait_for(asyncio.gather(*stopped), 60)
    await executor.close(restart=False)

    assert is_moved
    assert {result.exit_code for result in results} == {137}
