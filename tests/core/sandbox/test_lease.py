"""The lease of a sandbox: who holds it, and what its keeper does when nobody does."""

import asyncio
import os
import signal

import pytest

from sandbook.errors import SandboxStartError
from sandbook.sandbox.lease import Lease
from sandbook.sandbox.runtime_folder import VARIABLE


@pytest.fixture
def lease(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "runtime"))
    return Lease("tested")


async def until(condition):
    for _ in range(200):
        if condition():
            return True
        await asyncio.sleep(0.05)
    return False


async def test_the_keeper_acts_when_the_last_holder_has_let_go(lease, tmp_path):
    ended = tmp_path / "ended"
    await lease.keep(["touch", str(ended)], at="end")
    second = Lease("tested")
    lease.hold()
    second.hold()

    lease.release(0)
    await asyncio.sleep(0.2)
    held = not ended.exists() and second.is_kept
    second.release(0)

    assert held
    assert await until(ended.exists)
    assert not lease.path.exists()


async def test_a_long_grace_is_for_the_next_holder_only(lease, tmp_path):
    """A kernel that was restarted may be killed like any other."""
    ended = tmp_path / "ended"
    await lease.keep(["touch", str(ended)], at="end", grace=0)
    lease.hold()
    lease.release(60)
    await asyncio.sleep(0.2)
    lease.hold()
    was_kept = lease.is_kept
    os.close(lease._held)  # as when its process is killed

    assert was_kept
    assert await until(ended.exists)


async def test_a_keeper_whose_sandbox_has_ended_does_nothing_more(lease, tmp_path):
    ended = tmp_path / "ended"
    await lease.keep(["touch", str(ended)], at="end")

    lease.give_up()

    assert await until(lambda: not lease.path.exists())
    assert not ended.exists()


async def test_a_holder_can_let_go_when_its_keeper_was_killed(lease):
    keeper = await lease.keep(["true"], at="end")
    lease.hold()
    os.kill(keeper, signal.SIGKILL)
    assert await until(lambda: not lease.is_kept)

    lease.release(60)

    with pytest.raises(SandboxStartError, match="keeper is gone"):
        lease.hold()


def test_without_a_keeper_nobody_holds(lease):
    lease.give_up()

    assert not lease.is_kept
    with pytest.raises(SandboxStartError, match="keeper is gone"):
        lease.hold()


async def test_where_no_pipe_can_be_made_that_is_told(lease):
    lease.path.mkdir(parents=True)
    (lease.path / "in the way").touch()
    lease.path.parent.chmod(0o700)

    with pytest.raises(SandboxStartError, match="local file system"):
        await lease.keep(["true"], at="end")
