"""A real server with a sandbox of each kind, and the same tests for both flavours of the client."""

import asyncio
import inspect
import os
import socket
import subprocess
import sys

import pytest

from sandbook.client import AsyncSandbox, AsyncSandboxes, Sandbox, Sandboxes
from tests.conftest import ISOLATED

TOKEN = "of-a-test"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def server_url(tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    options = [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--no-browser"]
    options += [f"--ServerApp.root_dir={folder}", "--allow-root"]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *options],
            stdout=log,
            stderr=log,
            env={**os.environ, "JUPYTER_TOKEN": TOKEN},
        )
    yield f"http://127.0.0.1:{port}"  # nobody waits until it listens: the client does
    process.terminate()
    process.wait()


@pytest.fixture(scope="module", params=ISOLATED)
def made(request, server_url):
    """A sandbox, by its URL and its key."""
    with Sandboxes(server_url, TOKEN, start_timeout=60) as sandboxes:
        with sandboxes.create(backend=request.param) as sandbox:
            yield sandbox
        assert sandbox.id not in {info.id for info in sandboxes.list()}


class Awaited:
    """The client that awaits, used as the one that waits."""

    def __init__(self, inner, loop):
        self._inner, self._loop = inner, loop

    def __getattr__(self, name):
        found = getattr(self._inner, name)
        return self._waiting(found) if callable(found) else found

    def _waiting(self, function):
        def call(*arguments, **options):
            result = function(*arguments, **options)
            if inspect.isasyncgen(result):
                return self._drained(result)
            return self._wrapped(self._run(result) if inspect.isawaitable(result) else result)

        return call

    def _run(self, work):
        return self._loop.run_until_complete(work)

    def _wrapped(self, result):
        return Awaited(result, self._loop) if isinstance(result, AsyncSandbox) else result

    def _drained(self, events):
        try:
            while True:
                yield self._run(events.__anext__())
        except StopAsyncIteration:
            pass
        finally:
            self._run(events.aclose())

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self._run(self._inner.__aexit__(*raised))


@pytest.fixture(params=["sync", "async"])
def flavour(request):
    """Makes a client of either flavour; it hangs up at the end."""
    loop = asyncio.new_event_loop()
    kinds = {"sync": (Sandbox, Sandboxes), "async": (AsyncSandbox, AsyncSandboxes)}
    opened = []

    def make(kind, *arguments, **options):
        client = kinds[request.param][kind](*arguments, **options)
        opened.append(client if request.param == "sync" else Awaited(client, loop))
        return opened[-1]

    yield make
    for client in opened:
        client.close()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture
def client_of(flavour):
    return lambda *arguments, **options: flavour(0, *arguments, **options)


@pytest.fixture
def sandboxes_of(flavour):
    return lambda *arguments, **options: flavour(1, *arguments, **options)


@pytest.fixture
def sandbox(client_of, made):
    return client_of(made.base_url, made.key)
