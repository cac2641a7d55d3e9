"""Attack: another user of this machine looks for secrets where every user may look: into command
lines, and on the ports of this machine."""

import asyncio
import contextlib
import json
import os
import pwd
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

import sandbook_kernel
from sandbook.sandbox.factory import SandboxFactory
from tests.conftest import BACKENDS
from tests.kernel.client import execute, running_kernel

KERNELSPEC = Path(sandbook_kernel.__file__).parent / "kernelspec"
SECRET = "swordfish-4711"
CHANNELS = ("iopub", "shell", "stdin", "control", "hb")
LISTEN = """
import json, os, sys
import zmq
from zmq.utils.monitor import recv_monitor_message

user, *urls = sys.argv[1:]
os.setgroups([])
os.setgid(int(user))
os.setuid(int(user))
heard = []
for url in urls:
    listener = zmq.Context.instance().socket(zmq.SUB)
    listener.rcvtimeo = 5000
    listener.subscribe(b"")
    monitor = listener.get_monitor_socket(zmq.EVENT_CONNECT_RETRIED | zmq.EVENT_CONNECTED)
    listener.connect(url)
    if recv_monitor_message(monitor)["event"] == zmq.EVENT_CONNECTED:
        heard.append(url)
        if url == urls[0]:
            try:
                heard += listener.recv_multipart()[-1:]
            except zmq.Again:
                pass
print(heard, flush=True)
os._exit(0)
"""
"""Subscribes to addresses as another user. From the first, it waits for a message."""
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def command_lines():
    """Read what every user may read about every process."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended
            found.append(file.read_bytes())
    return found


def those_with(secret):
    return [line for line in command_lines() if secret.encode() in line]


class TestTheEnvironmentOfASandbox:
    @pytest.fixture(params=BACKENDS)
    def backend(self, request, jp_asyncio_loop):
        factory = SandboxFactory(backend=request.param)
        made = jp_asyncio_loop.run_until_complete(factory.choose())
        made.environment = {"TOKEN": SECRET}
        yield made
        factory.close()

    async def test_stands_in_no_command_line(self, sandbox):
        side = await sandbox.open_side("sh", "-c", 'echo "$TOKEN"; read -r line')
        said = await side.read()
        is_there, seen = those_with("read -r line"), those_with(SECRET)
        await side.close()

        assert said == SECRET.encode() + b"\n"
        assert is_there
        assert not seen


def urls(info):
    """Say where the channels of a kernel are, the one that tells most first."""
    between = ":" if info["transport"] == "tcp" else "-"
    ports = [info[f"{channel}_port"] for channel in CHANNELS]
    return [f"{info['transport']}://{info['ip']}{between}{port}" for port in ports]


async def heard_by_a_stranger(info):
    nobody = str(pwd.getpwnam("nobody").pw_uid)
    argv = [sys.executable, "-c", LISTEN, nobody, *urls(info)]
    listener = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.PIPE)
    told, _ = await listener.communicate()
    return told.decode().strip()


@contextlib.asynccontextmanager
async def talking(manager):
    """Have a kernel say something again and again."""

    async def talk():
        while True:
            await client.execute_interactive(f"echo {SECRET}", output_hook=len, timeout=60)

    client = manager.client()
    client.start_channels()
    await client.wait_for_ready(timeout=60)
    talks = asyncio.ensure_future(talk())
    try:
        yield
    finally:
        talks.cancel()
        await asyncio.wait([talks])
        client.stop_channels()


async def heard_of(manager):
    async with talking(manager):
        return await heard_by_a_stranger(manager.get_connection_info())


@is_root
class TestWhatAKernelSays:
    """Nobody else hears it, whoever has started the kernel."""

    @pytest.fixture(autouse=True)
    def everybody_may_write(self, monkeypatch):
        """A socket has the mode that the umask leaves; only its folder is in the way."""
        monkeypatch.setenv("SANDBOOK_BACKEND", "bubblewrap")
        before = os.umask(0)
        yield
        os.umask(before)

    async def test_from_a_program_of_jupyter(self, tmp_path):
        manager = AsyncKernelManager(kernel_name="sandbook")
        await manager.start_kernel(cwd=str(tmp_path))
        try:
            first = await heard_of(manager)
            await manager.restart_kernel()
            second = await heard_of(manager)
        finally:
            await manager.shutdown_kernel()

        assert (first, second) == ("[]", "[]")
        assert not Path(manager.ip).parent.exists()

    async def test_from_nbclient(self, tmp_path):
        runner = NotebookClient(nbformat.v4.new_notebook(), kernel_name="sandbook")
        async with runner.async_setup_kernel(cwd=str(tmp_path)):
            heard = await heard_of(runner.km)

        assert heard == "[]"

    async def test_from_serve(self, tmp_path, monkeypatch):
        monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
        (tmp_path / "work").mkdir()
        argv = [Path(sys.executable).with_name("sandbook"), "serve", "--workspace", "work"]
        process = await asyncio.create_subprocess_exec(
            *argv, cwd=tmp_path, stdout=asyncio.subprocess.PIPE
        )
        try:
            await process.stdout.readline()
            (file,) = (tmp_path / "runtime").glob("kernel-*.json")
            heard = await heard_by_a_stranger(json.loads(file.read_text()))
        finally:
            process.terminate()
            await process.wait()

        assert heard == "[]"

    class TestFromAServer:
        @pytest.fixture
        def jp_server_config(self):
            return {"ServerApp": {"jpserver_extensions": {"sandbook_server": True}}}

        @pytest.fixture
        def names(self, jp_environ, jp_data_dir):
            """Install the kernel that comes with Sandbook, and one as it was before."""
            shutil.copytree(KERNELSPEC, jp_data_dir / "kernels" / "sandbook")
            earlier = shutil.copytree(KERNELSPEC, jp_data_dir / "kernels" / "earlier")
            spec = json.loads((earlier / "kernel.json").read_text())
            del spec["metadata"]
            (earlier / "kernel.json").write_text(json.dumps(spec))
            return "sandbook", "earlier"

        async def test_of_ours(self, jp_serverapp, names, tmp_path):
            kernels = jp_serverapp.kernel_manager
            for name in names:
                kernel_id = await kernels.start_kernel(kernel_name=name, cwd=str(tmp_path))
                heard = await heard_of(kernels.get_kernel(kernel_id))
                await kernels.shutdown_kernel(kernel_id)
                assert heard == "[]"


def listeners(pid):
    """Tell the TCP ports that a process listens on."""
    sockets = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets.add(str(entry.readlink()))
    lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]


async def test_a_kernel_listens_on_no_port_of_this_machine(tmp_path):
    """ipykernel has one for processes that it forks: it takes what anybody sends, without a key."""
    async with running_kernel("bubblewrap", tmp_path) as (manager, client):
        await execute(client, "true")

        assert listeners(manager.provisioner.pid) == []
