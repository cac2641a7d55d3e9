"""What agents do is told to whoever subscribes to the server's events."""

import asyncio
import json

import pytest

from sandbook_server.activity import SCHEMA_ID, outcome_of, subject_of
from tests.server_ext.handlers.test_actions import agent, backend_name, jp_server_config

__all__ = ["agent", "backend_name", "jp_server_config"]


@pytest.mark.parametrize(
    ("action", "subject"),
    [
        ({"action": "run", "args": {"command": "ls"}}, "ls"),
        ({"action": "read", "args": {"path": "/a"}}, "/a"),
        ({"action": "run_ipython", "args": {"code": "x" * 5000}}, "x" * 2000),
        ({"action": "run", "args": None}, ""),
        ({"action": "run"}, ""),
    ],
)
def test_an_action_is_about_something(action, subject):
    assert subject_of(action) == subject


def run(exit_code, content=""):
    metadata = {"exit_code": exit_code}
    return {"observation": "run", "content": content, "extras": {"metadata": metadata}}


@pytest.mark.parametrize(
    ("observation", "state"),
    [
        (run(0), "done"),
        (run(3), "failed"),
        (run(-1), "running"),
        ({"observation": "write", "content": "", "extras": {}}, "done"),
        ({"observation": "error", "content": "no", "extras": {}}, "failed"),
        ({"observation": "edit", "content": "ERROR:\nno", "extras": {}}, "failed"),
    ],
)
def test_an_action_goes_some_way(observation, state):
    assert outcome_of(observation)["state"] == state


@pytest.mark.parametrize("backend_name", ["bubblewrap"], indirect=True)
async def test_who_subscribes_hears_of_each_action_twice(agent, jp_ws_fetch):
    await agent.run("true")
    heard = await jp_ws_fetch("api", "events", "subscribe")

    await agent.run("echo hi; exit 3")

    events = [json.loads(await asyncio.wait_for(heard.read_message(), 10)) for _ in range(2)]
    heard.close()
    assert {event["schema_id"] for event in events} == {SCHEMA_ID}
    begun, ended = events
    assert (begun["state"], begun["subject"]) == ("begun", "echo hi; exit 3")
    assert (ended["state"], ended["exit_code"], ended["output"]) == ("failed", 3, "hi")
    assert begun["action_id"] == ended["action_id"]
    assert begun["sandbox_id"] == agent.kernel_id


@pytest.mark.parametrize("backend_name", ["bubblewrap"], indirect=True)
async def test_whoever_is_attached_to_the_kernel_hears_of_it_on_iopub(agent, jp_serverapp):
    client = jp_serverapp.kernel_manager.get_kernel(agent.kernel_id).client()
    client.start_channels()
    await client.wait_for_ready(timeout=30)

    await agent.run("echo hi")

    heard = []
    while not heard or "observation" not in heard[-1][1]:
        message = await client.get_iopub_msg(timeout=10)
        if message["msg_type"] in {"sandbook_action", "stream"}:
            heard.append((message["msg_type"], message["content"]))
    client.stop_channels()
    assert [kind for kind, _ in heard] == ["sandbook_action", "stream", "sandbook_action"]
    assert heard[0][1]["action"]["args"] == {"command": "echo hi"}
    assert heard[1][1] == {"name": "stdout", "text": "hi\n"}
    assert heard[2][1]["observation"]["content"] == "hi"
