"""What nobody should send, and what should not happen: an answer in time, and nothing left."""

import json
import os
import signal
import socket
import threading
import time

import httpx
import psutil
import pytest

from tests.contract.agent import Expected, Like, That, action, check, detail, failed, ran, raw, run

ON = ["docker"]
INVALID = "Invalid request parameters"
FOREIGN = "https://evil.example"


@pytest.fixture
def own(server, request):
    """An agent with a sandbox that nobody else uses: it may break."""
    made = server.agent(getattr(request, "param", "local"))
    made.run("true")
    yield made
    server.end(made)


def kernel_of(agent, server):
    """Find the process of an agent's kernel: it has the id in the name of its connection file."""
    for child in psutil.Process(server.process.pid).children(recursive=True):
        if any(agent.id in word for word in child.cmdline()):
            return child
    return pytest.fail("There is no kernel.")


def invalid(body, reason):
    return [(raw(body), detail(INVALID, 422, errors=Like(f".*{reason}.*")))]


RUN = '{"action": {"action": "run", "args": {"command": %s}}}'

CASES = {
    "bytes that are no UTF-8": invalid(RUN.encode() % b'"\xff\xfe"', "it is not UTF-8"),
    "half a letter": invalid(RUN % r'"echo \ud800"', "it is not UTF-8"),
    "half a letter in a key": invalid(
        r'{"action": {"action": "run", "args": {"command": "x", "\udfff": 1}}}', "it is not UTF-8"
    ),
    "both halves of a letter": [(raw(RUN % r'"echo \ud83d\ude00"'), ran("\U0001f600"))],
    "lists in lists": invalid(RUN % ("[" * 100_000 + "]" * 100_000), "nested too deeply"),
    "objects in objects": invalid('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    "something nested beside the action": [
        (
            raw(
                '{"action": {"action": "run", "args": {"command": "echo x"}, "id": %s}}'
                % ("[" * 300 + "]" * 300)
            ),
            ran("x"),
        )
    ],
    "a number of many digits": invalid('{"action": {"timeout": %s}}' % ("9" * 5000), "digits"),
    "lines that no file has": [
        (
            action("write", path="n.txt", content="x", start=10**30, end=10**30),
            Expected(That(bool)),
        ),
        (action("read", path="n.txt", start=10**30, end=10**31), Expected(That(bool))),
        (action("read", path="n.txt", start=-(10**30), end=-5), Expected(That(bool))),
    ],
    "NUL in a command": [
        (run("echo a\0b"), detail(Like("Internal server error: .*NUL.*"), 400)),
    ],
    "a quote that is left open": [
        (run("echo 'a"), detail(Like("Internal server error: line 1: .* Nothing was run."), 400)),
    ],
    "NUL in a path to read": [
        (action("read", path="a\0b"), failed("A path cannot contain a NUL character."))
    ],
    "NUL in a path to write": [
        (
            action("write", path="a\0b", content="x"),
            failed("A path cannot contain a NUL character."),
        )
    ],
    "an empty path": [
        (action("read", path=""), failed("The path is empty. Name a file or a folder."))
    ],
    "a path that is too long": [
        (action("read", path="x" * 5000), failed(Like(".*too long.*|File not found.*")))
    ],
    "a folder that is not there, for a static command": [
        (run("pwd", is_static=True, cwd="/no/such/folder"), Expected(That(bool))),
        (run("echo still there"), ran("still there")),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_answered(agent, place, name):
    check(agent, place, CASES[name])

    assert agent.said("echo there") == "there"


def test_a_command_of_10_megabytes_runs(agent, place):
    words = "x" * (10 << 20)

    answer = agent.run(f"w={words}; echo ${{#w}}", 60, blocking=True)

    assert answer["content"] == str(10 << 20)
    assert agent.said("echo there; unset w") == "there"


def test_many_commands_are_answered(agent, place):
    """More than the parser is trusted with is one piece of bash: at 64 KiB it would crash."""
    lines = agent.send(run("echo x\n" * 20_000, 60, blocking=True))
    pipes = agent.send(run("true|" * 20_000 + "echo y", 0.5))

    assert lines.status_code == pipes.status_code == 200
    assert lines.json()["content"].startswith("x\nx\n")
    agent.run("C-c", 10, is_input=True)


def test_a_write_of_20_megabytes_is_done(agent, place):
    agent.act("write", path="big", content="y" * (20 << 20))

    assert agent.said("stat -c %s big; rm big") == str((20 << 20) + 1)


def test_a_write_of_100_megabytes_is_refused(agent, place):
    answer = agent.send(action("write", path="huge", content="z" * 100_000_000))

    assert answer.status_code == 413
    assert "An action may have 32 MiB" in answer.json()["detail"]
    assert agent.said("ls huge 2>/dev/null") == ""


@pytest.mark.parametrize(
    ("backend", "wish", "why"),
    [
        ("docker", {"limits": {"cpus": 100_000}}, "CPUs"),
        ("docker", {"image": "sandbook/none:here"}, "has no image"),
        ("bubblewrap", {"user": "root"}, "has no root"),
    ],
)
def test_where_no_sandbox_can_be_made_the_service_is_unavailable(server, backend, wish, why):
    agent = server.agent(backend, **wish)

    answer = agent.send(run("true"))

    assert answer.status_code == 503
    assert why in answer.json()["detail"]
    server.end(agent)


def test_an_unknown_sandbox_is_not_found(server):
    url = "/sandbook/00000000-0000-0000-0000-000000000000/execute_action"

    answer = server.client.post(url, json={"action": {"action": "run", "args": {"command": "x"}}})

    assert answer.status_code == 404
    assert answer.json()["code"] == "sandbox-not-found"


@pytest.mark.parametrize("headers", [{}, {"X-Session-API-Key": "x"}, {"X-Session-API-Key": "é"}])
def test_a_wrong_key_opens_nothing(agent, headers):
    encoded = {name: value.encode() for name, value in headers.items()}

    answer = httpx.post(f"{agent.url}/execute_action", headers=encoded, content="{")

    assert (answer.status_code, answer.json()) == (403, {"detail": "Invalid API Key"})


def test_a_probe_needs_no_key_and_is_told_nothing_else(agent, server):
    there = httpx.get(f"{agent.url}/alive")
    gone = httpx.get(f"{server.url}/sandbook/00000000-0000-0000-0000-000000000000/alive")

    assert (there.status_code, there.json()) == (200, {"status": "ok"})
    assert (gone.status_code, gone.json()) == (404, {"detail": "Not Found"})


def test_the_key_of_another_sandbox_opens_nothing(agent, own):
    for path in ("execute_action", "server_info", "list_files", "nope"):
        answer = httpx.get(f"{agent.url}/{path}", headers={"X-Session-API-Key": own.key})
        assert (answer.status_code, answer.json()) == (403, {"detail": "Invalid API Key"})


def test_a_key_opens_neither_jupyter_nor_the_list_of_sandboxes(server, own):
    for path in ("/api/kernels", "/api/contents", "/sandbook/sandboxes"):
        answer = httpx.get(server.url + path, headers={"X-Session-API-Key": own.key})
        assert answer.status_code == 403


def test_a_page_of_another_origin_gets_nothing(agent):
    for method, path in (("POST", "execute_action"), ("GET", "alive"), ("OPTIONS", "alive")):
        answer = agent.client.request(method, path, headers={"Origin": FOREIGN})
        assert answer.status_code == 403
        assert f"Pages of {FOREIGN} may not use this server" in answer.json()["detail"]
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_page_of_our_own_origin_is_served(agent, server):
    answer = agent.client.get("alive", headers={"Origin": server.url})

    assert answer.status_code == 200


def test_a_kernel_that_is_killed_is_told_and_comes_back(own, server):
    kernel = kernel_of(own, server)
    kernel.send_signal(signal.SIGKILL)

    answer = own.send(run("touch must-not-be", 30))

    assert answer.status_code == 502
    assert "its kernel died" in answer.json()["detail"]
    deadline = time.monotonic() + 30
    while (again := own.send(run("ls must-not-be; echo again", 30))).status_code != 200:
        assert again.status_code == 502
        assert time.monotonic() < deadline
    assert again.json()["content"].endswith("again")
    assert "No such file" in again.json()["content"]


def test_a_kernel_that_dies_meanwhile_is_told(own, server):
    kernel = kernel_of(own, server)
    timer = threading.Timer(0.7, kernel.send_signal, [signal.SIGKILL])
    timer.start()
    begun = time.monotonic()

    answer = own.send(run("sleep 300", 100, blocking=True))

    timer.join()
    assert answer.status_code == 502
    assert "its kernel died" in answer.json()["detail"]
    assert time.monotonic() - begun < 20


def leave(agent, path, command, after=b"", **more):
    """Send an action, wait until something was said, and hang up."""
    url = httpx.URL(f"{agent.url}/{path}")
    body = json.dumps({"action": {"action": "run", "args": {"command": command, **more}}}).encode()
    head = (
        f"POST {url.raw_path.decode()} HTTP/1.1\r\nHost: {url.host}:{url.port}\r\n"
        f"X-Session-API-Key: {agent.key}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((url.host, url.port)) as connection:
        connection.sendall(head.encode() + body)
        said = b""
        while after and after not in said:
            said += connection.recv(1 << 16)
        if not after:
            time.sleep(0.5)


def until_idle(agent, seconds):
    """Ask until a command is taken, and say what it says."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = agent.run("echo free", 5)
        if answer["extras"]["metadata"]["exit_code"] == 0:
            return answer["content"]
        time.sleep(0.1)
    return pytest.fail("The command was never stopped.")


@pytest.mark.parametrize("path", ["execute_action", "execute_action_stream"])
def test_who_hangs_up_interrupts_nothing_and_blocks_nobody(own, path):
    after = b'"text"' if path.endswith("stream") else b""
    leave(own, path, "echo one; while :; do sleep 0.1; echo two; done", after, blocking=True)
    begun = time.monotonic()

    refused = own.run("echo next", 5)

    assert "is NOT executed" in refused["extras"]["metadata"]["suffix"]
    assert time.monotonic() - begun < 3
    stopped = own.run("C-c", 10, is_input=True)
    assert stopped["extras"]["metadata"]["exit_code"] == 130
    assert (refused["content"] + stopped["content"]).startswith("one")
    assert own.said("echo next") == "next"


def test_who_hangs_up_and_wants_it_interrupts(own):
    leave(
        own,
        "execute_action_stream?interrupt=1",
        "echo one; while :; do sleep 0.1; echo two; done",
        after=b'"text"',
    )

    assert until_idle(own, 20).endswith("free")


@pytest.mark.parametrize("own", ["docker"], indirect=True)
def test_a_python_cell_that_nobody_waits_for_keeps_its_state(own):
    own.act("run_ipython", code="kept = 1")
    body = {
        "action": {
            "action": "run_ipython",
            "args": {"code": "import time; time.sleep(1); kept = 2"},
        }
    }
    with pytest.raises(httpx.ReadTimeout):
        own.client.post("execute_action", json=body, timeout=0.3)

    assert own.act("run_ipython", code="kept", include_extra=False)["content"] == "2"


def test_nothing_is_left_when_a_sandbox_is_ended_during_an_action(server):
    agent = server.agent("local")
    agent.run("true")
    mark = f"{os.getpid()}{time.monotonic_ns()}"[-9:]
    waiting = threading.Thread(target=agent.send, args=[run(f"sleep {mark}", 200, blocking=True)])
    waiting.start()
    time.sleep(0.7)

    begun = time.monotonic()
    server.client.delete(f"/sandbook/sandboxes/{agent.id}")
    waiting.join(30)
    agent.close()

    assert not waiting.is_alive()
    assert time.monotonic() - begun < 20
    deadline = time.monotonic() + 10
    while left := [
        p for p in psutil.process_iter(["cmdline"]) if mark in (p.info["cmdline"] or [])
    ]:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)
