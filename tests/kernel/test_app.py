"""The configuration of a real kernel process: where it comes from, and what a wrong one does."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from functools import partial

import pytest
from jupyter_client.manager import AsyncKernelManager

from sandbook.config import CONFIG_VARIABLE, TRAIT_OF_VARIABLE
from sandbook.configurables import CONFIGURABLES

FILE = "c.SandboxFactory.backend = 'local'"
SERVER = {CONFIG_VARIABLE: json.dumps({"SandboxFactory": {"backend": "bubblewrap"}})}
VARIABLE = {"SANDBOOK_BACKEND": "local"}


@pytest.fixture
def start(tmp_path):
    """Starts kernels that see, of all configuration, only what a test gives them."""
    return partial(running_kernel, tmp_path)


@asynccontextmanager
async def running_kernel(folder, *, file="", environment=None, arguments=()):
    (folder / "sandbook_config.py").write_text(file)
    ours = {CONFIG_VARIABLE, *TRAIT_OF_VARIABLE}
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    chosen = {**inherited, "JUPYTER_CONFIG_DIR": str(folder), **(environment or {})}
    with tempfile.TemporaryDirectory() as sockets, (folder / "log").open("w") as log:
        ip = f"{sockets}/kernel"
        manager = AsyncKernelManager(kernel_name="sandbook", transport="ipc", ip=ip)
        await manager.start_kernel(
            cwd=str(folder), env=chosen, extra_arguments=list(arguments), stderr=log
        )
        client = manager.client()
        client.start_channels()
        try:
            await client.wait_for_ready(timeout=30)
            yield client
        finally:
            client.stop_channels()
            await manager.shutdown_kernel()


async def shown(client):
    """What %sandbox tells."""
    messages = []
    await client.execute_interactive("%sandbox", output_hook=messages.append, timeout=60)
    (message,) = [each for each in messages if each["msg_type"] == "display_data"]
    return message["content"]["data"]["text/plain"]


@pytest.mark.parametrize(
    ("given", "backend"),
    [
        ({"file": FILE}, "local"),
        ({"file": FILE, "environment": SERVER}, "bubblewrap"),
        ({"file": FILE, "environment": SERVER | VARIABLE}, "local"),
        (
            {"environment": VARIABLE, "arguments": ["--SandboxFactory.backend=bubblewrap"]},
            "bubblewrap",
        ),
    ],
)
async def test_files_then_the_server_then_variables_then_the_command_line(given, backend, start):
    async with start(**given) as client:
        text = await shown(client)

    assert f"{backend} (isolation" in text


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"file": "c.DockerBackend.memory_mb = 1"}, "DockerBackend.memory_mb"),
        ({"file": "c.DockerBackend.memory_mb = 'lots'"}, "DockerBackend.memory_mb"),
        ({"file": "c.DockerBackend.memory_mb ="}, "sandbook_config.py"),
        ({"environment": {"SANDBOOK_BACKEND": "chroot"}}, "SandboxFactory.backend"),
        ({"environment": {CONFIG_VARIABLE: "{"}}, "SANDBOOK_CONFIG"),
        ({"arguments": ["--BubblewrapBackend.network=some"]}, "BubblewrapBackend.network"),
    ],
)
async def test_a_wrong_setting_is_told_by_name_in_every_cell(given, place, start):
    async with start(**given) as client:
        first = await client.execute("echo hi", stop_on_error=False, reply=True, timeout=30)
        second = await client.execute("%sandbox", reply=True, timeout=30)

    for reply in (first["content"], second["content"]):
        assert (reply["status"], reply["ename"]) == ("error", "Configuration")
        assert place in reply["evalue"]
        assert "\n" not in reply["evalue"]
        assert "Traceback" not in "".join(reply["traceback"])


async def test_an_unknown_name_is_in_the_log_once_and_harms_nothing(start, tmp_path):
    async with start(file=f"{FILE}\nc.DockerBackend.memroy_mb = 512") as client:
        text = await shown(client)

    log = (tmp_path / "log").read_text()
    assert "local (isolation" in text
    assert (
        log.count("`memroy_mb` not recognized by `DockerBackend`.  Did you mean `memory_mb`?") == 1
    )


def test_help_shows_every_setting():
    done = subprocess.run(
        [sys.executable, "-m", "sandbook_kernel", "--help-all"],
        capture_output=True,
        text=True,
        check=True,
    )

    for owner in CONFIGURABLES:
        for name in owner.class_trait_names(config=True):
            assert f"--{owner.__name__}.{name}=" in done.stdout
