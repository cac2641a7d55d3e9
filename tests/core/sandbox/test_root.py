"""Root where there is none: refused with a sentence, and never somebody else in its place."""

import os

import pytest
from traitlets.config import Config

from sandbook.actions import ReadAction, RunAction, TurnAction
from sandbook.agents.observing import Agents
from sandbook.agents.python import Python
from sandbook.errors import RootRefusedError
from sandbook.executor import ActionExecutor
from sandbook.sandbox.base import ShellRequest
from sandbook.sandbox.factory import SandboxFactory
from tests.kernel.client import execute, running_kernel, text_of

is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give its rights up")


async def refusals(sandbox):
    """Try every way to be root; give back what is said to each."""
    request = ShellRequest(("true",), f"{sandbox.directory}/root/control", root=True)
    ways = (
        lambda: sandbox.open_shell(request),
        lambda: sandbox.run("id", root=True),
        lambda: sandbox.open_side("id", root=True),
    )
    told = []
    for way in ways:
        with pytest.raises(RootRefusedError) as refused:
            await way()
        told.append(str(refused.value))
    return told


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_bubblewrap_refuses_root_on_every_way(sandbox):
    told = await refusals(sandbox)

    assert len(told) == 3
    assert all("no root" in each and "SANDBOOK_BACKEND=docker" in each for each in told)


@is_root
@pytest.mark.parametrize("backend", ["local"], indirect=True)
async def test_without_isolation_only_root_is_root(sandbox):
    as_root = await sandbox.run("id", "-u", root=True)
    os.seteuid(54321)
    try:
        told = await refusals(sandbox)
    finally:
        os.seteuid(0)

    assert as_root.output == b"0\n"
    assert len(told) == 3


async def test_cells_and_files_of_root_are_refused_and_the_notebook_goes_on(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        cell, _ = await execute(client, "%%bash --root\ntouch made")
        job, _ = await execute(client, "%%bash --root --background\ntouch made")
        files, _ = await execute(client, "%ls --root /")
        _, after = await execute(client, "id -un; ls")

    for reply in (cell, job, files):
        assert reply["ename"] == "RootRefused"
        assert "no root" in reply["evalue"]
    assert text_of(after) == "sandbox\n"


@pytest.mark.parametrize("backend", ["docker"])
async def test_docker_has_a_root(backend, sandbox_request):
    executor = ActionExecutor(SandboxFactory(backend=backend), sandbox_request)
    output = bytearray()
    await executor.run(RunAction("id -u", root=True), output.extend)
    await executor.close(restart=False)

    assert output == b"0\n"


async def test_an_agent_that_is_to_be_root_is_told_that_nobody_is(sandbox_request):
    config = Config({"AgentPolicy": {"as_root": True}})
    executor = ActionExecutor(SandboxFactory(backend="bubblewrap", config=config), sandbox_request)
    agents = Agents(executor, Python())
    for action in (TurnAction("id"), TurnAction("id", is_static=True), ReadAction("file")):
        with pytest.raises(RootRefusedError, match=r"AgentPolicy\.as_root"):
            await agents.observe(action)
    await executor.close(restart=False)
