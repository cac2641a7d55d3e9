"""One sandbox of each kind for a module, and a new folder in it for each test."""

import asyncio
import uuid

import pytest
from traitlets.config import Config

from sandbook.files.workspace import WorkspaceFiles
from sandbook.sandbox.base import SandboxRequest, ShellRequest
from sandbook.sandbox.factory import SandboxFactory
from tests.conftest import BACKENDS

VOLUME = "docker with a volume"
PLAIN = "bubblewrap without python"
"""What a sandbox does that has bash and coreutils only."""


class Machine:
    """A sandbox with a folder for one test, and a way to look into it that is not under test."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.folder = f"{sandbox.workspace}/{uuid.uuid4().hex}"

    async def bash(self, script):
        head = f"mkdir -p {self.folder} && cd {self.folder} && "
        result = await self.sandbox.run("bash", "-c", head + script)
        assert result.exit_code == 0, result.errors.decode()
        return result.output


async def left_over(sandbox):
    """Tell which temporary files are there."""
    script = "shopt -s nullglob globstar dotglob; echo $0/**/.sandbook-* /tmp/.sandbook-*"
    found = await sandbox.run("bash", "-c", script, sandbox.workspace)
    return found.output.decode().strip()


@pytest.fixture(scope="module", params=[*BACKENDS, VOLUME, PLAIN])
def shared_sandbox(request, tmp_path_factory):
    """A sandbox that somebody holds; a missing engine or bwrap is a failure, never a skip."""
    config = Config()
    if request.param == VOLUME:
        config.DockerBackend.workspace = "volume"
    factory = SandboxFactory(backend=request.param.split()[0], config=config)
    sandbox_id = str(uuid.uuid4())

    async def create():
        backend = await factory.choose()
        made = await backend.create(SandboxRequest(sandbox_id, tmp_path_factory.mktemp("files")))
        control = f"{made.directory}/hold/control"
        return backend, made, await made.open_shell(ShellRequest(("sleep", "600"), control))

    backend, made, shell = asyncio.run(create())
    yield made
    left = asyncio.run(left_over(made))
    shell.close()
    asyncio.run(backend.remove(sandbox_id))
    factory.close()
    assert left == ""


@pytest.fixture
def machine(shared_sandbox):
    return Machine(shared_sandbox)


@pytest.fixture
def files(machine, jp_asyncio_loop, request):
    made = WorkspaceFiles(machine.sandbox, machine.folder)
    if PLAIN in request.node.name:
        made._courier.quick = frozenset()
    yield made
    jp_asyncio_loop.run_until_complete(made.close())
