"""Who may come, how often, and how long a sandbox stays that nobody uses."""

import socket
import time

import httpx
import pytest

from tests.conftest import ISOLATED
from tests.contract.agent import run
from tests.contract.conftest import Server

PAGE = "https://agents.example.org"


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    made = Server(
        tmp_path_factory.mktemp("strict"),
        **{
            "AgentAccess.allowed_origins": PAGE,
            "AgentAccess.requests_per_second": 5,
            "AgentAccess.action_max_mb": 1,
        },
    )
    yield made
    made.close()


@pytest.fixture
def guest(strict):
    """An agent whose requests nobody has counted yet."""
    made = strict.agent("local")
    yield made
    strict.end(made)


def test_an_origin_that_is_allowed_may_ask_first(guest):
    asking = {
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-session-api-key",
    }

    answer = httpx.options(f"{guest.url}/execute_action", headers=asking)

    assert answer.status_code == 204
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE
    assert "x-session-api-key" in answer.headers["Access-Control-Allow-Headers"]
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]


def test_an_origin_that_is_allowed_is_answered(guest):
    told = guest.client.get("alive", headers={"Origin": PAGE})
    refused = httpx.get(f"{guest.url}/server_info", headers={"Origin": PAGE})

    assert (told.status_code, refused.status_code) == (200, 403)
    for answer in (told, refused):
        assert answer.headers["Access-Control-Allow-Origin"] == PAGE
        assert answer.headers["Vary"] == "Origin"


@pytest.mark.parametrize("origin", ["https://example.org", f"{PAGE}.evil.org", "null"])
def test_another_origin_is_refused(guest, origin):
    for method in ("GET", "OPTIONS"):
        answer = guest.client.request(method, "alive", headers={"Origin": origin})
        assert answer.status_code == 403
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_who_comes_too_often_is_told_when_to_come_back(guest, strict):
    answers = [guest.client.get("alive") for _ in range(20)]

    refused = [answer for answer in answers if answer.status_code == 429]
    assert 5 <= len(answers) - len(refused) < 20
    assert refused[0].headers["Retry-After"] == "1"
    assert "5 requests a second" in refused[0].json()["detail"]
    by_token = strict.client.get(f"/sandbook/{guest.id}/alive")
    assert by_token.status_code == 200
    time.sleep(1.1)
    assert guest.client.get("alive").status_code == 200


def test_an_action_has_a_size(guest):
    answer = guest.send(run("echo " + "x" * (1 << 20)))

    assert answer.status_code == 413
    assert "An action may have 1 MiB" in answer.json()["detail"]


def test_a_sandbox_that_nobody_uses_ends(server):
    agent = server.agent("local", timeout=2)
    url = f"/sandbook/{agent.id}/alive"
    for _ in range(3):
        agent.run("sleep 1")
    busy = agent.send(run("sleep 3", 10, blocking=True))

    assert busy.status_code == 200  # an action that takes longer is no idleness
    deadline = time.monotonic() + 20
    while server.client.get(url).status_code != 404:
        assert time.monotonic() < deadline
        time.sleep(0.3)
    agent.close()


@pytest.mark.parametrize("backend", ISOLATED)
def test_who_looks_at_files_uses_a_sandbox_too(server, backend):
    agent = server.agent(backend, timeout=1.5)
    size = 200 << 20
    agent.run(f"truncate -s {size} film; echo x >note")

    with agent.client.stream("GET", f"files{agent.home}/film") as film:
        pieces = film.iter_raw()
        count = len(next(pieces))
        time.sleep(3)
        assert server.client.get(f"/sandbook/{agent.id}/alive").status_code == 200
        count += sum(map(len, pieces))
    for _ in range(6):
        assert agent.client.get(f"contents{agent.home}/note").status_code == 200
        time.sleep(0.5)
    broken_off(agent, f"upload_file?destination={agent.home}")

    assert count == size
    deadline = time.monotonic() + 20
    while server.client.get(f"/sandbook/{agent.id}/alive").status_code != 404:
        assert time.monotonic() < deadline
        server.client.get(f"/sandbook/sandboxes/{agent.id}")  # to look after it is no use
        time.sleep(0.3)
    agent.close()


@pytest.fixture(scope="module")
def culling(tmp_path_factory):
    """A server that ends kernels which are idle, as those of many hubs do."""
    culled = {"cull_idle_timeout": 2, "cull_interval": 1}
    settings = {f"MappingKernelManager.{name}": value for name, value in culled.items()}
    made = Server(tmp_path_factory.mktemp("culling"), **settings)
    yield made
    made.close()


@pytest.mark.parametrize("backend", ISOLATED)
def test_jupyter_ends_no_sandbox_that_somebody_downloads_from(culling, backend):
    agent = culling.agent(backend)
    agent.run(f"truncate -s {200 << 20} film")

    with agent.client.stream("GET", f"files{agent.home}/film") as film:
        pieces = film.iter_raw()
        count = len(next(pieces))
        time.sleep(5)
        assert agent.client.get("alive").status_code == 200
        count += sum(map(len, pieces))

    assert count == 200 << 20
    agent.close()


def broken_off(agent, path):
    """Begin to send a file, and hang up."""
    url = httpx.URL(f"{agent.url}/{path}")
    head = (
        f"POST {url.raw_path.decode()} HTTP/1.1\r\nHost: {url.host}:{url.port}\r\n"
        f"X-Session-API-Key: {agent.key}\r\nContent-Length: 1000000\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    )
    with socket.create_connection((url.host, url.port)) as connection:
        connection.sendall(head.encode() + b"x" * 100_000)
        time.sleep(0.3)  # until it is under way


@pytest.mark.parametrize("timeout", ["-1", "NaN", '"5"', "1e400"])
def test_a_timeout_that_cannot_be_is_refused(server, timeout):
    body = f'{{"backend": "local", "timeout": {timeout}}}'

    answer = server.client.post("/sandbook/sandboxes", content=body)

    assert answer.status_code == 400
    assert "'timeout'" in answer.json()["detail"]
