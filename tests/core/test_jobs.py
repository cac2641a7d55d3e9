"""Commands in the background."""

import asyncio

import pytest

from sandbook.actions import RunAction
from sandbook.executor import ActionExecutor
from sandbook.sandbox.factory import SandboxFactory
from sandbook.tail import Tail
from tests.conftest import BACKENDS, OFFLINE


@pytest.fixture(params=BACKENDS)
def executor(request, sandbox_request, jp_asyncio_loop):
    made = ActionExecutor(SandboxFactory(backend=request.param, config=OFFLINE), sandbox_request)
    yield made
    jp_asyncio_loop.run_until_complete(made.close(restart=False))


def test_a_tail_keeps_the_last_bytes():
    tail = Tail(10)
    for piece in (b"0123456", b"789abc", b"def"):
        tail.add(piece)

    assert (tail.text(), tail.total) == ("6789abcdef", 16)


def test_a_tail_of_one_large_piece():
    tail = Tail(4)
    tail.add(b"x" * 100 + b"last")

    assert (tail.text(), tail.total) == ("last", 104)


async def test_a_job_has_the_state_of_its_shell_and_leaves_it_alone(executor):
    await executor.run(RunAction('x=5; f() { echo "f $x"; }; cd /usr'), lambda _: None)

    job = await executor.begin(RunAction("f; pwd; x=6; exit 3"))
    await asyncio.wait([job.task], timeout=20)

    assert (job.output.text(), job.state) == ("f 5\n/usr\n", "exit status 3")
    said = bytearray()
    await executor.run(RunAction("echo $x"), said.extend)
    assert said == b"5\n"


async def test_a_job_runs_beside_its_shell(executor):
    job = await executor.begin(RunAction("echo begun; sleep 60"))
    said = bytearray()
    await executor.run(RunAction("echo hi"), said.extend)

    assert (said, job.state) == (b"hi\n", "running")
    await job.shell.interrupt()
    await asyncio.wait([job.task], timeout=20)
    assert job.state == "exit status 130"
    assert [found.number for found in executor.jobs.all()] == [1]
    assert executor.jobs.get(1) is job
    assert executor.jobs.get(2) is None
