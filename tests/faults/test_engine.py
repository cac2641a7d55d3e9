"""Engines that fail."""

import http.server
import socketserver
import threading

import pytest

from sandbook.errors import BackendUnavailableError, SessionLostError

pytestmark = pytest.mark.timeout(120)


class Refusing(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(500)
        self.end_headers()
        self.wfile.write(b'{"message": "the disk of the engine is on fire"}')

    def do_POST(self):
        self.do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def refusing_engine(tmp_path, monkeypatch):
    path = tmp_path / "engine.sock"
    with socketserver.ThreadingUnixStreamServer(str(path), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
        yield
        server.shutdown()


async def test_an_engine_that_answers_500_is_told_in_its_own_words(owner, refusing_engine):
    with pytest.raises(BackendUnavailableError, match="on fire"):
        await owner("docker").run("echo no")


async def test_an_engine_that_is_gone_is_told(owner, monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/gone.sock")

    with pytest.raises(BackendUnavailableError, match=r"gone\.sock"):
        await owner("docker").run("echo no")


@pytest.mark.parametrize("action", ["kill", "remove"])
async def test_a_container_that_somebody_ends_is_told_and_replaced(owner, engine, action):
    person = owner("docker")
    await person.run("cd /usr; echo kept > /workspace/file; echo gone > /tmp/file")
    container = engine.containers.get(f"sandbook-{person.executor.info.sandbox_id}")

    def end():
        container.kill() if action == "kill" else container.remove(force=True)

    threading.Timer(1, end).start()
    with pytest.raises(SessionLostError, match="the workspace is as it was"):
        await person.run("sleep 30")

    assert await person.run("pwd; cat /workspace/file; ls /tmp") == (0, "/usr\nkept\n")


async def test_a_kernel_that_comes_back_to_a_paused_container_resumes_it(owner, engine):
    person = owner("docker")
    await person.run("echo kept > /tmp/file")
    container = engine.containers.get(f"sandbook-{person.executor.info.sandbox_id}")
    await person.executor.close(restart=True)
    container.pause()

    successor = owner("docker")
    successor.executor._machine.request = person.executor._machine.request

    assert await successor.run("cat /tmp/file") == (0, "kept\n")


async def test_a_paused_container_goes_on_where_it_was(owner, engine):
    person = owner("docker")
    await person.run("x=1")
    container = engine.containers.get(f"sandbook-{person.executor.info.sandbox_id}")
    container.pause()
    threading.Timer(1, container.unpause).start()

    assert await person.run("echo $x") == (0, "1\n")
