"""One sandbox of each kind for a module, and a new folder in it for each test."""

import asyncio
import contextlib
import shutil
import socket
import socketserver
import threading
import uuid

import pytest

from sandbook.files.workspace import WorkspaceFiles
from sandbook.sandbox.address import DEFAULT_HOST
from sandbook.sandbox.base import SandboxRequest, ShellRequest
from sandbook.sandbox.factory import SandboxFactory
from tests.conftest import BACKENDS

TCP = "docker over tcp"
"""An engine that has other files than we have, so the workspace is a volume of it."""
PLAIN = "bubblewrap without python"
"""What a sandbox does that has bash and coreutils only."""


class ToTheEngine(socketserver.BaseRequestHandler):
    """Passes on what comes, in both directions, and the end of each."""

    def handle(self):
        with socket.socket(socket.AF_UNIX) as engine:
            engine.connect(DEFAULT_HOST.removeprefix("unix://"))
            back = threading.Thread(target=self._pass_on, args=(engine, self.request))
            back.start()
            self._pass_on(self.request, engine)
            back.join()

    def _pass_on(self, source, target):
        with contextlib.suppress(OSError), source.makefile("rb", 0) as reader:
            with target.makefile("wb", 0) as writer:
                shutil.copyfileobj(reader, writer)
            target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def engine_over_tcp():
    with (
        pytest.MonkeyPatch.context() as patch,
        socketserver.ThreadingTCPServer(("127.0.0.1", 0), ToTheEngine) as server,
    ):
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        patch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.server_address[1]}")
        yield
        server.shutdown()


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


@pytest.fixture(scope="module", params=[*BACKENDS, TCP, PLAIN])
def shared_sandbox(request, tmp_path_factory):
    with engine_over_tcp() if request.param == TCP else contextlib.nullcontext():
        yield from _sandbox(request.param.split()[0], tmp_path_factory)


def _sandbox(backend_name, tmp_path_factory):
    """A sandbox that somebody holds; a missing engine or bwrap is a failure, never a skip."""
    factory = SandboxFactory(backend=backend_name)
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
