"""Starting kernels as clients do, with a clock beside."""

import json
import os
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager

NOTHING = '''
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class Nothing(Kernel):
    """Answers every cell with the same two letters."""

    implementation = banner = "nothing"
    implementation_version = "0"
    language_info = {"name": "none", "mimetype": "text/plain", "file_extension": ".txt"}

    async def do_execute(self, code, silent, *args, **kwargs):
        self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": "hi"})
        return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}


IPKernelApp.launch_instance(kernel_class=Nothing)
'''


def install_floor(folder: Path) -> None:
    """Make the kernel `nothing`: the least that any kernel built on ipykernel costs."""
    spec = folder / "kernels" / "nothing"
    spec.mkdir(parents=True)
    program = folder / "nothing.py"
    program.write_text(NOTHING, "utf-8")
    described = {
        "argv": [sys.executable, str(program), "-f", "{connection_file}"],
        "display_name": "nothing",
        "language": "none",
    }
    (spec / "kernel.json").write_text(json.dumps(described), "utf-8")
    os.environ["JUPYTER_PATH"] = str(folder)


@asynccontextmanager
async def started(
    name: str, folder: Path, **environment: str
) -> AsyncGenerator[AsyncKernelClient, None]:
    """Start a kernel and wait until it answers; shut it down afterwards."""
    manager = AsyncKernelManager(kernel_name=name)
    await manager.start_kernel(cwd=str(folder), env={**os.environ, **environment})
    client = manager.client()
    client.start_channels()
    await client.wait_for_ready(timeout=60)
    try:
        yield client
    finally:
        client.stop_channels()
        await manager.shutdown_kernel()


async def first_output(client: AsyncKernelClient, code: str) -> float:
    """Run a cell; give back the moment of its first output."""
    moments: list[float] = []

    def note(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream":
            moments.append(time.perf_counter())

    await client.execute_interactive(code, output_hook=note, timeout=60)
    return moments[0]
