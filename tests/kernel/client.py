"""A real kernel, and what its clients say to it."""

import os
import tempfile
from contextlib import asynccontextmanager

from jupyter_client.manager import AsyncKernelManager

from sandbook.sandbox.factory import SandboxFactory


@asynccontextmanager
async def running_kernel(backend, folder, **variables):
    with tempfile.TemporaryDirectory() as sockets:
        ip = f"{sockets}/kernel"
        manager = AsyncKernelManager(kernel_name="sandbook", transport="ipc", ip=ip)
        environment = {**os.environ, "SANDBOOK_BACKEND": backend, **variables}
        await manager.start_kernel(cwd=str(folder), env=environment)
        client = manager.client()
        client.start_channels()
        await client.wait_for_ready(timeout=30)
        try:
            yield manager, client
        finally:
            client.stop_channels()
            await manager.shutdown_kernel()


async def execute(client, code):
    """Run a cell; give back the reply and what came on iopub for it."""
    messages = []
    reply = await client.execute_interactive(code, output_hook=messages.append, timeout=60)
    return reply["content"], [(m["msg_type"], m["content"]) for m in messages]


def text_of(messages, name="stdout"):
    streams = [content for kind, content in messages if kind == "stream"]
    return "".join(content["text"] for content in streams if content["name"] == name)


async def ids():
    factory = SandboxFactory()
    found = {info.sandbox_id for info in await factory.list_all()}
    factory.close()
    return found
