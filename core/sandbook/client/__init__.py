"""A client for sandboxes on a server, for scripts and agents: `Sandbox`, and `AsyncSandbox`.

    from sandbook.client import Sandbox

    with Sandbox(base_url, key=key) as sandbox:
        print(sandbox.run("echo hi").output)

`sandbook serve` prints a URL and a key; `Sandboxes` makes sandboxes on any Jupyter server.
"""

from sandbook.client.asynchronous import AsyncSandbox, AsyncSandboxes
from sandbook.client.errors import ClientError
from sandbook.client.events import Completed, Event, Output, Started
from sandbook.client.results import (
    EditResult,
    PythonResult,
    ReadResult,
    RunResult,
    SandboxInfo,
    ServerInfo,
)
from sandbook.client.synchronous import Sandbox, Sandboxes

__all__ = [
    "AsyncSandbox",
    "AsyncSandboxes",
    "ClientError",
    "Completed",
    "EditResult",
    "Event",
    "Output",
    "PythonResult",
    "ReadResult",
    "RunResult",
    "Sandbox",
    "SandboxInfo",
    "Sandboxes",
    "ServerInfo",
    "Started",
]
