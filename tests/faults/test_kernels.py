"""Kernels as processes: two at once, and such as are killed, with a server and without."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from jupyter_client.manager import AsyncKernelManager

from sandbook.sandbox.factory import SandboxFactory
from sandbook_kernel.owner import sandbox_id_from
from tests.conftest import BACKENDS

pytestmark = pytest.mark.timeout(180)


@asynccontextmanager
async def running_kernel(backend, folder, notebook):
    with tempfile.TemporaryDirectory() as sockets:
        manager = AsyncKernelManager(
            kernel_name="sandbook", transport="ipc", ip=f"{sockets}/kernel"
        )
        variables = {"SANDBOOK_BACKEND": backend, "JPY_SESSION_NAME": str(folder / notebook)}
        await manager.start_kernel(cwd=str(folder), env={**os.environ, **variables})
        client = manager.client()
        client.start_channels()
        try:
            await client.wait_for_ready(timeout=60)
            yield manager, client
        finally:
            client.stop_channels()
            await manager.shutdown_kernel()


async def said(client, code):
    texts = []

    def take(message):
        if message["msg_type"] == "stream" and message["content"]["name"] == "stdout":
            texts.append(message["content"]["text"])

    reply = await client.execute_interactive(code, output_hook=take, timeout=90)
    return reply["content"]["status"], "".join(texts)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("notebooks", [("same.ipynb", "same.ipynb"), ("one.ipynb", "two.ipynb")])
async def test_two_kernels_that_start_at_once_have_a_sandbox_each(backend, notebooks, tmp_path):
    async def use(notebook, number):
        async with running_kernel(backend, tmp_path, notebook) as (_, client):
            first = await said(client, f"x={number}; mkdir -p ~/mine; echo begun")
            await together.wait()
            return first, await said(client, "echo $x; echo $SANDBOOK_SANDBOX")

    together = Barrier(2)
    answers = await asyncio.gather(*(use(name, n) for n, name in enumerate(notebooks)))

    assert [first for first, _ in answers] == [("ok", "begun\n")] * 2
    assert [second[1].split("\n")[0] for _, second in answers] == ["0", "1"]


class Barrier:
    """Lets everybody go on once all have come; asyncio has its own from Python 3.11 on."""

    def __init__(self, parties):
        self._missing = parties
        self._all_here = asyncio.Event()

    async def wait(self):
        self._missing -= 1
        if self._missing == 0:
            self._all_here.set()
        await self._all_here.wait()


def traces_of(sandbox_id):
    """List what a sandbox has on this machine: processes, folders in memory, control groups."""
    found = [str(path) for path in Path("/dev/shm").glob(f"*{sandbox_id}*")]
    for folder, folders, _ in os.walk("/sys/fs/cgroup"):  # which bears that some vanish
        found += [f"{folder}/{name}" for name in folders if name.endswith(f"sandbook-{sandbox_id}")]
    mark = f"SANDBOOK_SANDBOX={sandbox_id}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(str(process))
        except OSError:
            continue
    return found


async def remains_of(sandbox_id):
    factory = SandboxFactory()
    known = [info for info in await factory.list_all() if info.sandbox_id == sandbox_id]
    factory.close()
    return [*known, *await asyncio.to_thread(traces_of, sandbox_id)]


async def until_nothing_remains(sandbox_id):
    for _ in range(300):
        left = await remains_of(sandbox_id)
        if not left:
            break
        await asyncio.sleep(0.1)
    return left


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_kernel_killed_without_a_server_leaves_nothing(backend, tmp_path):
    async with running_kernel(backend, tmp_path, "killed.ipynb") as (manager, client):
        sandbox_id = sandbox_id_from(manager.connection_file)
        await said(client, "nohup setsid sleep 1000 >/dev/null 2>&1 & disown; echo > /dev/shm/x")
        before = await remains_of(sandbox_id)
        await manager.signal_kernel(signal.SIGKILL)
        left = await until_nothing_remains(sandbox_id)
    Path("/dev/shm/x").unlink(missing_ok=True)  # the local backend shares that folder

    assert before
    assert not left


@pytest.fixture
def server(tmp_path, backend):
    """Start a real server as a process of its own; give its number and how to ask it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--port={port}", f"--ServerApp.root_dir={tmp_path}", "--IdentityProvider.token=t"]
    options += ["--no-browser", "--allow-root", "--ServerApp.port_retries=0"]
    command = [sys.executable, "-m", "jupyter_server", *options]
    environment = {**os.environ, "SANDBOOK_BACKEND": backend}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def ask(path, data=None):
        url = f"http://127.0.0.1:{port}/{path}"
        request = urllib.request.Request(url, data, {"Authorization": "token t"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    yield process, ask
    process.kill()
    process.wait()


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_kernel_whose_server_is_killed_with_it_leaves_nothing(backend, server):
    process, ask = server

    async def started():
        try:
            body = json.dumps({"name": "sandbook"}).encode()
            return await asyncio.to_thread(ask, "api/kernels", body)
        except OSError:
            return None

    while not (kernel := await started()):
        assert process.poll() is None
        await asyncio.sleep(0.2)
    for _ in range(300):
        before = await remains_of(kernel["id"])
        if before:
            break
        await asyncio.sleep(0.1)
    process.kill()

    left = await until_nothing_remains(kernel["id"])

    assert before
    assert not left
