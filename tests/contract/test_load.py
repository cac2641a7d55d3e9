"""Many actions on a machine that has no time, and many agents at once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.contract.agent import run

SPINNERS = 4
ACTIONS = 500


@pytest.fixture
def load():
    """Programs that leave no time to others."""
    spin = [sys.executable, "-c", "while True: pass"]
    spinners = [subprocess.Popen(spin) for _ in range(SPINNERS)]
    yield
    for spinner in spinners:
        spinner.kill()
        spinner.wait()


@pytest.mark.slow
def test_500_quick_commands_under_load_are_all_answered_right(server, load):
    agent = server.agent("bubblewrap")
    wrong = []
    for number in range(ACTIONS):
        answer = agent.run(f"echo n{number}; (exit {number % 7})")
        got = (answer["content"], answer["extras"]["metadata"]["exit_code"])
        if got != (f"n{number}", number % 7):
            wrong.append((number, got))
    server.end(agent)

    assert not wrong


def work(agent, name):
    """Do 100 things, one of them slow; everything must be this agent's own."""
    slow = agent.send(run(f"sleep 3; echo slow {name}", 0.2))
    assert slow.json()["extras"]["metadata"]["exit_code"] == -1
    for number in range(24):
        text = f"{name} {number}"
        path = f"{agent.folder}/f{number % 3}"
        agent.act("write", path=path, content=text)
        assert agent.act("read", path=path)["content"] == f"{text}\n"
        edited = agent.act("edit", path=path, command="str_replace", old_str=name, new_str="X")
        assert edited["extras"]["diff"].endswith(f"-{text}\n+X {number}")
        if number == 0:
            assert agent.run("", 60, blocking=True)["content"] == f"slow {name}"
        assert agent.said(f"cat {path}; x={name}; echo $x") == f"X {number}\n{name}"
    assert agent.said("echo $x") == name


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "count"), [("bubblewrap", 20), ("docker", 5)])
def test_many_agents_at_once_do_not_disturb_each_other(server, backend, count):
    agents = [server.agent(backend, no_change_timeout_s=60) for _ in range(count)]
    with ThreadPoolExecutor(count) as pool:
        for agent in agents:
            agent.folder = agent.home
        done = [pool.submit(work, agent, f"agent-{n}") for n, agent in enumerate(agents)]
        failures = [future.exception() for future in done]
    for agent in agents:
        server.end(agent)

    assert failures == [None] * count
