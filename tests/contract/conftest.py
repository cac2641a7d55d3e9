"""One real Jupyter server in a process of its own, and one sandbox of each kind for a module."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from tests.conftest import BACKENDS
from tests.contract.agent import Agent

PATIENCE_S = 2
"""How long the commands of agents may be silent here."""


class Server:
    """A server that is reached over HTTP alone."""

    def __init__(self, folder, **settings):
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        options = {
            "ServerApp.root_dir": str(folder),
            "ServerApp.port_retries": 0,
            "ServerApp.allow_root": True,
            "IdentityProvider.token": self.token,
            "LocalBackend.allow_agents": True,
            **settings,
        }
        told = [f"--{name}={value}" for name, value in options.items()]
        self.log = folder / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyter_server", "--no-browser", f"--port={port}", *told],
                stdout=log,
                stderr=log,
                env={**os.environ, "JUPYTER_CONFIG_DIR": str(folder / "config")},
            )
        self.client = httpx.Client(
            base_url=self.url, headers={"Authorization": f"token {self.token}"}, timeout=120
        )
        self._wait()

    def _wait(self):
        for _ in range(300):
            with contextlib.suppress(httpx.TransportError):
                if self.client.get("/api/status").status_code == 200:
                    return
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.1)
        pytest.fail("The server does not answer.")

    def make(self, backend, **wish):
        """Make a sandbox; what it answers has a URL and a key."""
        wish = {"backend": backend, "no_change_timeout_s": PATIENCE_S, **wish}
        answer = self.client.post("/sandbook/sandboxes", json=wish)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def agent(self, backend, **wish):
        """Give an agent a sandbox of its own."""
        made = self.make(backend, **wish)
        return Agent(made["id"], made["base_url"], made["session_api_key"])

    def end(self, agent):
        agent.close()
        self.client.delete(f"/sandbook/sandboxes/{agent.id}")

    def close(self):
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Stopped when all tests are done; it must end by itself."""
    made = Server(tmp_path_factory.mktemp("server"))
    yield made
    made.close()


def pytest_generate_tests(metafunc):
    """Try a module on every backend, unless it names some in ON: what a server refuses, it refuses
    before it knows of any backend."""
    if "agent" in metafunc.fixturenames:
        backends = getattr(metafunc.module, "ON", BACKENDS)
        metafunc.parametrize("agent", backends, indirect=True, scope="module")


@pytest.fixture(scope="module")
def agent(request, server):
    """An agent with a sandbox that the tests of a module share."""
    made = server.agent(request.param)
    yield made
    server.end(made)


@pytest.fixture
def place(agent, request):
    """A new folder, where the shell is; nothing runs."""
    return agent.settle(request.node.name)
