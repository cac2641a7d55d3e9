"""Agents over real HTTP: a server, a kernel, a sandbox, and what a client of OpenHands sends."""

import asyncio
import json
import shutil
import signal
from pathlib import Path

import pytest
from tornado.httpclient import HTTPClientError

import sandbook_kernel
from tests.conftest import BACKENDS

KERNELSPEC = Path(sandbook_kernel.__file__).parent / "kernelspec"


@pytest.fixture(params=BACKENDS)
def backend_name(request, monkeypatch):
    monkeypatch.setenv("SANDBOOK_BACKEND", request.param)
    return request.param


@pytest.fixture
def jp_server_config(backend_name):
    return {
        "ServerApp": {
            "jpserver_extensions": {"sandbook_server": True, "jupyter_server_terminals": False},
        },
        "LocalBackend": {"allow_agents": True},
    }


class Agent:
    """A client that knows nothing but a URL and a token."""

    def __init__(self, fetch, kernel_id):
        self._fetch = fetch
        self.kernel_id = kernel_id

    async def ask(self, *parts, **options):
        try:
            response = await self._fetch("sandbook", self.kernel_id, *parts, **options)
        except HTTPClientError as error:
            return error.code, json.loads(error.response.body)
        return response.code, json.loads(response.body)

    async def act(self, name, timeout=None, **arguments):
        body = {"action": {"action": name, "args": arguments, "timeout": timeout}}
        return await self.ask("execute_action", method="POST", body=json.dumps(body))

    async def run(self, command, timeout=30, **arguments):
        status, answer = await self.act("run", timeout, command=command, **arguments)
        assert status == 200, answer
        return answer["content"], answer["extras"]["metadata"]["exit_code"]


@pytest.fixture
def agent(jp_serverapp, jp_fetch, jp_data_dir, jp_asyncio_loop):
    shutil.copytree(KERNELSPEC, jp_data_dir / "kernels" / "sandbook", dirs_exist_ok=True)
    kernels = jp_serverapp.kernel_manager
    kernel_id = jp_asyncio_loop.run_until_complete(
        kernels.start_kernel(kernel_name="sandbook", path="agent.ipynb")
    )
    yield Agent(jp_fetch, kernel_id)
    if kernel_id in kernels:
        jp_asyncio_loop.run_until_complete(kernels.shutdown_kernel(kernel_id))


async def test_an_agent_works_in_the_shell_of_the_notebook(agent, jp_serverapp):
    assert await agent.ask("alive") == (200, {"status": "ok"})
    assert await agent.run("echo hi; x=agent; cd /tmp") == ("hi", 0)
    assert await agent.run("echo $x; pwd; false") == ("agent\n/tmp", 1)
    client = jp_serverapp.kernel_manager.get_kernel(agent.kernel_id).client()
    client.start_channels()
    said = []
    reply = await client.execute_interactive(
        "echo cell sees $x; y=cell", output_hook=lambda m: said.append(m["content"].get("text"))
    )
    client.stop_channels()
    assert reply["content"]["status"] == "ok"
    assert "cell sees agent\n" in said
    assert await agent.run("echo $y") == ("cell", 0)
    status, info = await agent.ask("server_info")
    assert (status, set(info)) == (200, {"uptime", "idle_time", "resources"})
    assert info["idle_time"] < 30
    assert await agent.ask("vscode", "connection_token") == (200, {"token": None})


async def test_files_and_the_editor(agent):
    status, written = await agent.act("write", path="a.txt", content="one\ntwo")
    path = written["extras"]["path"]
    _, read = await agent.act("read", path="a.txt")
    _, edited = await agent.act(
        "edit", path=path, command="str_replace", old_str="two", new_str="2", impl_source="oh_aci"
    )

    assert status == 200
    assert read["content"] == "one\ntwo\n"
    assert edited["extras"]["diff"].endswith("-two\n+2")
    assert await agent.run("cat a.txt") == ("one\n2", 0)
    assert await agent.ask("list_files", method="POST", body="{}") == (200, ["a.txt"])


async def test_a_long_command_goes_on_and_everything_else_is_answered(agent):
    assert await agent.run("echo a; sleep 2; echo b", 0.5) == ("a", -1)
    assert (await agent.run("echo no"))[1] == -1
    status, read = await agent.act("read", path="/etc/passwd")
    assert (status, read["observation"]) == (200, "read")
    assert await agent.run("", 20, blocking=True) == ("b", 0)


@pytest.mark.parametrize("backend_name", ["local"], indirect=True)
async def test_what_a_command_says_comes_as_it_happens(agent, jp_fetch):
    events = []
    body = {"action": {"action": "run", "args": {"command": "echo a; sleep 0.5; echo b"}}}

    await jp_fetch(
        "sandbook",
        agent.kernel_id,
        "execute_action_stream",
        method="POST",
        body=json.dumps(body),
        streaming_callback=events.append,
    )

    names = [line[7:] for line in b"".join(events).decode().splitlines() if line[:5] == "event"]
    assert names == ["start", "output", "output", "complete"]
    last = json.loads(b"".join(events).decode().strip().splitlines()[-1][6:])
    assert last["content"] == "a\nb"
    assert len(events) >= 3


@pytest.mark.parametrize("backend_name", ["local"], indirect=True)
async def test_nonsense_is_answered_with_a_reason(agent):
    for body, status, words in (
        ("{", 422, "Invalid request parameters"),
        ("[]", 422, "Invalid request parameters"),
        ('{"action": "x"}', 422, "Invalid request parameters"),
        ('{"action": {"action": "frobnicate"}}', 400, "'frobnicate'"),
        ('{"action": {"action": "run", "args": {"command": "x", "z": 1}}}', 400, "'z'"),
        ('{"action": {"action": "run", "args": {"command": "a\\u0000b"}}}', 400, "NUL"),
    ):
        answer = await agent.ask("execute_action", method="POST", body=body)
        assert answer[0] == status
        assert words in answer[1]["detail"]
    assert (await agent.ask("update_mcp_server", method="POST", body="{}"))[0] == 400
    servers = json.dumps([{"name": "x", "command": "true", "args": []}])
    assert (await agent.ask("update_mcp_server", method="POST", body=servers))[0] == 200
    unknown = Agent(agent._fetch, "00000000-0000-0000-0000-000000000000")
    status, answer = await unknown.act("run", command="true")
    assert (status, answer["code"]) == (404, "sandbox-not-found")


@pytest.mark.parametrize("backend_name", ["local"], indirect=True)
async def test_a_kernel_that_dies_is_told_at_once(agent, jp_serverapp):
    await agent.run("true")
    kernel = jp_serverapp.kernel_manager.get_kernel(agent.kernel_id)
    first = kernel.provisioner.pid
    acting = asyncio.ensure_future(agent.act("run", 100, command="sleep 100", blocking=True))
    await asyncio.sleep(0.5)

    await kernel.signal_kernel(signal.SIGKILL)  # anything else would interrupt the command first

    status, answer = await asyncio.wait_for(acting, 20)
    assert status == 502
    assert "kernel died" in answer["detail"]
    # Jupyter starts it again; a manager that is in the middle of it cannot be shut down.
    for _ in range(600):
        if kernel.provisioner.pid not in {None, first} and kernel.ready.done():
            break
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("backend_name", ["local"], indirect=True)
async def test_no_answer_is_missed_that_comes_while_something_is_sent(agent):
    await agent.act("write", path="a.txt", content="a")

    async def read_often():
        return [await agent.act("read", path="a.txt") for _ in range(200)]

    answers = await asyncio.wait_for(asyncio.gather(*[read_often() for _ in range(5)]), 120)

    assert {answer["content"] for some in answers for _, answer in some} == {"a\n"}


@pytest.mark.parametrize("backend_name", ["local"], indirect=True)
async def test_an_answer_waits_for_what_the_command_has_said(agent, jp_serverapp, monkeypatch):
    link = await jp_serverapp.web_app.settings["sandbook_links"].to(agent.kernel_id)
    action = {"action": "run", "args": {"command": "echo one; sleep 0.1; echo two"}}
    said = []
    await link.observe(action, said.append)
    news = link._client.iopub_channel
    hear = news.get_msg

    async def hear_late(**options):
        message = await hear(**options)
        await asyncio.sleep(0.3)
        return message

    monkeypatch.setattr(news, "get_msg", hear_late)
    said.clear()
    for _ in range(2):  # the first one is already being waited for in the old way
        await link.observe(action, said.append)

    assert "".join(said) == "one\ntwo\n" * 2


async def test_nothing_is_run_in_a_paused_sandbox(agent, jp_fetch):
    async def do(what):
        address = ("sandbook", "sandboxes", agent.kernel_id, what)
        await jp_fetch(*address, method="POST", allow_nonstandard_methods=True)

    await agent.run("x=kept")
    await do("pause")
    await asyncio.sleep(1)  # a sandbox that has just answered is not asked

    status, answer = await agent.act("run", command="touch ran")
    await do("resume")

    assert status == 409
    assert "is paused" in answer["detail"]
    assert await agent.run("echo $x; ls ran 2>&1 | wc -l") == ("kept\n1", 0)
    assert (await agent.run("[ -e ran ]"))[1] == 1
