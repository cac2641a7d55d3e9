"""What an execute request may ask for beside running code, as Jupyter's messages have it."""

import pytest

from tests.conftest import BACKENDS
from tests.kernel.client import running_kernel


async def send(client, code, **wishes):
    """Run a cell as a front end wishes; give back its reply, and what kinds of messages came."""
    kinds = []
    reply = await client.execute_interactive(
        code, output_hook=lambda message: kinds.append(message["msg_type"]), timeout=60, **wishes
    )
    return reply["content"], kinds


@pytest.mark.parametrize("backend", BACKENDS)
async def test_expressions_are_expanded_after_the_cell(backend, tmp_path):
    wishes = {
        "variable": "$x",
        "text": 'it\'s "$x" and ${#a[@]} of ${a[1]}',
        "sum": "$((x + 1))",
        "substitution": "$(echo 'a  b'; echo warning >&2; x=9)",
        "nothing": "",
        "plain": "x",
        "missing": "${nope:?is not there}",
        "wrong": "$((1 / 0))",
        "open": "$(ls",
    }
    async with running_kernel(backend, tmp_path) as (_, client):
        code = "x=5; a=(1 '2 3'); set -euT; trap 'echo dbg' DEBUG; exec >out.txt"
        reply, kinds = await send(client, code, user_expressions=wishes)
        after, _ = await send(client, "exec >/dev/tty", user_expressions={"x": "$x $?"})
        failed, _ = await send(client, "(exit 3)", user_expressions={"x": "$x"})

    told = reply["user_expressions"]
    values = {name: told[name]["data"]["text/plain"] for name in list(wishes)[:6]}
    assert values == {
        "variable": "5",
        "text": 'it\'s "5" and 2 of 2 3',
        "sum": "6",
        "substitution": "a  b",
        "nothing": "",
        "plain": "x",
    }
    assert {told[name]["status"] for name in ("missing", "wrong", "open")} == {"error"}
    assert "is not there" in told["missing"]["evalue"]
    assert "division by 0" in told["wrong"]["evalue"]
    assert after["user_expressions"]["x"]["data"] == {"text/plain": "5 0"}
    assert "x" not in failed.get("user_expressions", {})
    assert "error" not in kinds


async def test_a_silent_cell_says_nothing_and_is_not_counted(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        first, _ = await send(client, "echo one")
        silent, kinds = await send(client, "echo two; x=5", silent=True)
        failed, others = await send(client, "(exit 3)", silent=True)
        last, _ = await send(client, "echo $x", user_expressions={"x": "$x"})

    assert [kind for kind in kinds + others if kind != "status"] == []
    assert (silent["status"], failed["status"], failed["evalue"]) == (
        "ok",
        "error",
        "exit status 3",
    )
    assert last["execution_count"] == first["execution_count"] + 1
    assert last["user_expressions"]["x"]["data"] == {"text/plain": "5"}


async def test_a_cell_that_nobody_shall_remember_is_not_counted(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        first, _ = await send(client, "echo one")
        _, kinds = await send(client, "echo unseen", store_history=False)
        last, _ = await send(client, "echo three")
        asked = client.history(hist_access_type="tail", n=2)
        answer = await client.get_shell_msg(timeout=60)
        assert answer["parent_header"]["msg_id"] == asked

    assert "stream" in kinds
    assert last["execution_count"] == first["execution_count"] + 1
    assert [entry[2] for entry in answer["content"]["history"]] == ["echo one", "echo three"]


@pytest.mark.parametrize(("stop_on_error", "status"), [(True, "aborted"), (False, "ok")])
async def test_a_failure_stops_what_waits_behind_it_if_that_is_wished(
    stop_on_error, status, tmp_path
):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        failing = client.execute("sleep 0.5; (exit 3)", stop_on_error=stop_on_error)
        waiting = client.execute("echo next")
        replies = {}
        while waiting not in replies:
            reply = await client.get_shell_msg(timeout=60)
            replies[reply["parent_header"]["msg_id"]] = reply["content"]["status"]
        after, _ = await send(client, "echo on")

    assert (replies[failing], replies[waiting], after["status"]) == ("error", status, "ok")
