"""More than one shell: named ones, subshells, the background."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from tests.conftest import BACKENDS
from tests.kernel.client import execute, running_kernel, text_of


def shown(messages):
    return "\n".join(
        content["data"]["text/plain"] for kind, content in messages if kind == "display_data"
    )


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_named_shell_has_a_state_of_its_own(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        await execute(client, "x=main; cd /")
        await execute(client, "%%bash --session build\nx=build; cd /usr")
        _, main = await execute(client, "echo $x $PWD")
        _, build = await execute(client, "%bash --session build echo $x $PWD")
        _, listed = await execute(client, "%bash --list")

    assert text_of(main) == "main /\n"
    assert text_of(build) == "build /usr\n"
    assert "build" in shown(listed)
    assert "(the notebook's)" in shown(listed)


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_job_runs_in_the_background_with_what_the_shell_knows(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        await execute(client, 'x=known; cd /usr; f() { echo "$1 $x $PWD"; }')
        waits = "until [ -e go ]; do sleep 0.1; done"
        _, begun = await execute(client, f"%%bash --background\nf says; cd -; {waits}; exit 3")
        _, meanwhile = await execute(client, "echo free; echo $x")
        _, running = await execute(client, "%jobs")
        await execute(client, "cd -; touch go")
        for _ in range(100):
            _, ended = await execute(client, "%jobs 1")
            if "running" not in shown(ended):
                break
            await asyncio.sleep(0.1)
        wrong, _ = await execute(client, "%jobs 7")

    assert "Job 1 has begun" in shown(begun)
    assert text_of(meanwhile) == "free\nknown\n"
    assert "running" in shown(running)
    assert "exit status 3" in shown(ended)
    assert "says known /usr" in shown(ended)
    assert "no job 7" in wrong["evalue"]


async def test_a_job_can_be_stopped(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        _, none = await execute(client, "%jobs")
        await execute(client, "%bash --background sleep 1000")
        _, stopped = await execute(client, "%jobs 1 --stop")
        _, listed = await execute(client, "%jobs")

    assert "No jobs" in shown(none)
    assert "Job 1" in shown(stopped)
    assert "exit status 130" in shown(listed)


async def test_a_job_has_only_the_time_it_was_given(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        await execute(client, "%bash --background --timeout 0.2 sleep 1000")
        for _ in range(100):
            _, messages = await execute(client, "%jobs 1")
            if "running" not in shown(messages):
                break
            await asyncio.sleep(0.1)

    assert "timed out" in shown(messages)


async def test_a_subshell_is_a_second_shell_while_the_first_is_busy(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        await execute(client, "x=main")
        message = client.session.msg("create_subshell_request")
        client.control_channel.send(message)
        created = await client.get_control_msg(timeout=30)
        subshell = created["content"]["subshell_id"]
        main = client.session.msg("execute_request", _request("sleep 60"))
        client.shell_channel.send(main)
        other = client.session.msg("execute_request", _request('echo "${x-other}" >told'))
        other["header"]["subshell_id"] = subshell
        client.shell_channel.send(other)
        first = await reply_to_a_cell(client)
        client.control_channel.send(client.session.msg("interrupt_request"))
        second = await reply_to_a_cell(client)

    assert first["parent_header"]["msg_id"] == other["header"]["msg_id"]
    assert first["content"]["status"] == "ok"
    assert (tmp_path / "told").read_text() == "other\n"
    assert second["content"]["ename"] == "Interrupted"


async def test_the_shell_of_a_subshell_goes_with_it(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        client.control_channel.send(client.session.msg("create_subshell_request"))
        subshell = (await client.get_control_msg(timeout=30))["content"]["subshell_id"]
        inside = client.session.msg("execute_request", _request("x=1"))
        inside["header"]["subshell_id"] = subshell
        client.shell_channel.send(inside)
        await reply_to_a_cell(client)
        _, before = await execute(client, "%bash --list")
        deleted = client.session.msg("delete_subshell_request", {"subshell_id": subshell})
        client.control_channel.send(deleted)
        reply = await client.get_control_msg(timeout=30)
        _, after = await execute(client, "%bash --list")

    assert subshell in shown(before)
    assert reply["content"]["status"] == "ok"
    assert subshell not in shown(after)


async def test_history_is_written_on_after_a_subshell_has_ended(tmp_path):
    data = {"JUPYTER_DATA_DIR": str(tmp_path / "data")}
    async with running_kernel("bubblewrap", tmp_path, **data) as (_, client):
        client.control_channel.send(client.session.msg("create_subshell_request"))
        subshell = (await client.get_control_msg(timeout=30))["content"]["subshell_id"]
        request = {**_request("echo in the subshell"), "store_history": True}
        inside = client.session.msg("execute_request", request)
        inside["header"]["subshell_id"] = subshell
        client.shell_channel.send(inside)
        await reply_to_a_cell(client)
        deleted = client.session.msg("delete_subshell_request", {"subshell_id": subshell})
        client.control_channel.send(deleted)
        await client.get_control_msg(timeout=30)
        await execute(client, "echo after it")
        # Whoever asks the kernel, or ends it well, has it write all. A kernel may also be killed.
        file = tmp_path / "data" / "sandbook" / "history.sqlite"
        wanted = [request["code"], "echo after it"]
        for _ in range(200):
            if (written := written_to(file)) == wanted:
                break
            await asyncio.sleep(0.05)

    assert written == wanted


def written_to(file):
    query = "SELECT source FROM history ORDER BY line"
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            return [code for (code,) in database.execute(query)]
    except sqlite3.OperationalError:
        return []


async def reply_to_a_cell(client):
    """Wait for the end of a cell, past late answers to what was asked at the start."""
    while True:
        message = await client.get_shell_msg(timeout=30)
        if message["msg_type"] == "execute_reply":
            return message


def _request(code):
    return {
        "code": code,
        "silent": False,
        "store_history": False,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": True,
    }


async def test_what_the_background_says_later_shows_below_the_last_cell(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        client.execute("(sleep 0.5; echo late) &")
        text = ""
        while "late" not in text:
            message = await client.get_iopub_msg(timeout=30)
            text += message["content"].get("text", "")

    assert message["parent_header"]["msg_type"] == "execute_request"
