"""Stopping a cell, by message and by signal, from the polite to the last resort."""

import asyncio
import signal

import pytest

from tests.conftest import BACKENDS
from tests.kernel.client import execute, running_kernel, text_of

pytestmark = pytest.mark.timeout(180)

DEAF = "trap '' INT; echo deaf; sleep 1000"


async def begin(client, code, word):
    """Run a cell; give it back, still running, when it has said a word."""
    said = asyncio.get_running_loop().create_future()

    def note(message):
        if word in message["content"].get("text", "") and not said.done():
            said.set_result(None)

    running = asyncio.create_task(client.execute_interactive(code, output_hook=note, timeout=60))
    await asyncio.wait_for(said, 30)
    return running


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("by", ["message", "signal"])
async def test_an_interrupt_ends_the_cell_and_not_the_kernel(backend, by, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "kept=yes")
        running = await begin(client, "echo begun; sleep 60; echo no", "begun")
        if by == "message":
            await manager.interrupt_kernel()
        else:
            await manager.signal_kernel(signal.SIGINT)
        reply = (await running)["content"]
        after, messages = await execute(client, "echo $kept")

    assert (reply["ename"], reply["evalue"]) == ("Interrupted", "exit status 130 (SIGINT)")
    assert after["status"] == "ok"
    assert text_of(messages) == "yes\n"


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_cell_is_stopped_while_its_shell_is_still_starting(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "kept=yes")

        def interrupt(message):
            if message["msg_type"] == "execute_input":
                interrupting.append(asyncio.ensure_future(manager.interrupt_kernel()))

        interrupting = []
        reply = await client.execute_interactive(
            "%bash --session other sleep 60", output_hook=interrupt, timeout=30
        )
        await asyncio.gather(*interrupting)
        _, messages = await execute(client, "echo $kept")

    assert reply["content"]["ename"] == "Interrupted"
    assert text_of(messages) == "yes\n"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("code", "told"),
    [
        (f'bash -c "{DEAF}"', "exit status 143 (SIGTERM)"),
        (f"bash -c \"trap '' TERM; {DEAF}\"", "exit status 137 (SIGKILL)"),
    ],
)
async def test_a_program_that_does_not_listen_is_ended(backend, code, told, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "kept=yes")
        running = await begin(client, code, "deaf")
        await manager.interrupt_kernel()
        reply = (await running)["content"]
        _, messages = await execute(client, "echo $kept")

    assert (reply["ename"], reply["evalue"]) == ("Interrupted", told)
    assert text_of(messages) == "yes\n"


async def test_a_question_can_be_interrupted(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (manager, client):

        def interrupt(_):
            interrupting.append(asyncio.ensure_future(manager.interrupt_kernel()))

        interrupting = []
        reply = await client.execute_interactive(
            "read -p 'name? ' x", stdin_hook=interrupt, allow_stdin=True, timeout=60
        )
        await asyncio.gather(*interrupting)
        _, messages = await execute(client, "echo alive")

    assert reply["content"]["ename"] == "Interrupted"
    assert text_of(messages) == "alive\n"


async def test_a_cell_may_have_a_time_limit(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        reply, messages = await execute(client, "%%bash --timeout 0.5\necho begun; sleep 60")
        _, after = await execute(client, "echo alive")

    assert (reply["ename"], text_of(messages)) == ("Timeout", "begun\n")
    assert reply["evalue"].startswith("stopped after 0.5 s")
    assert text_of(after) == "alive\n"
