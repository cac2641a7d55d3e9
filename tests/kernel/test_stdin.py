"""Programs that want input: boxes where there is a person, a clear error where there is none."""

import pytest

from tests.conftest import BACKENDS
from tests.kernel.client import execute, running_kernel, text_of

GETPASS = "python3 -c 'import getpass; print(len(getpass.getpass(\"pw: \")))'"


async def converse(client, code, *answers):
    """Run a cell and answer its questions; give back questions, reply and text."""
    asked, messages, left = [], [], list(answers)

    def answer(message):
        asked.append((message["content"]["prompt"].strip(), message["content"]["password"]))
        client.input(left.pop(0))

    reply = await client.execute_interactive(
        code, allow_stdin=True, stdin_hook=answer, output_hook=messages.append, timeout=60
    )
    return asked, reply["content"], text_of([(m["msg_type"], m["content"]) for m in messages])


@pytest.mark.parametrize("backend", BACKENDS)
async def test_questions_are_asked_and_passwords_hidden(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        name = await converse(client, "read -p 'name? ' x; echo \"hello $x\"", "Ada")
        secret = await converse(client, 'read -sp "pw: " x; echo "has ${#x}"', "tr0ub4")
        python = await converse(client, "python3 -c 'print(input(\"q: \")[::-1])'", "abc")
        hidden = await converse(client, GETPASS, "four")
        twice = await converse(client, "read -p 'a? ' a; read -p 'b? ' b; echo $a-$b", "1", "2")
        repl = await converse(client, "python3 -q", "print(6 * 7)", "exit()")

    assert name[0] == [("name?", False)]
    assert name[2].endswith("hello Ada\n")
    assert "Ada" not in name[2].removesuffix("hello Ada\n")
    assert secret[0] == [("pw:", True)]
    assert secret[2].endswith("has 6\n")
    assert "tr0ub4" not in secret[2]
    assert (python[0], python[2].split()[-1]) == ([("q:", False)], "cba")
    assert (hidden[0], hidden[2].split()[-1]) == ([("pw:", True)], "4")
    assert [prompt for prompt, _ in twice[0]] == ["a?", "b?"]
    assert twice[2].endswith("1-2\n")
    assert "42" in repl[2]
    assert all(reply["status"] == "ok" for _, reply, _ in (name, secret, python, hidden, twice))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("code", ["read x", "read -s x", "cat", "python3 -c 'input()'", "python3"])
async def test_where_nobody_can_answer_the_cell_fails_in_words(backend, code, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        reply = await client.execute_interactive(
            code, allow_stdin=False, output_hook=lambda _: None, timeout=60
        )
        _, messages = await execute(client, "echo alive")

    assert reply["content"]["ename"] == "StdinNotAvailable"
    assert code.split()[0].replace("read", "bash") in reply["content"]["evalue"]
    assert text_of(messages) == "alive\n"


async def test_what_is_only_slow_or_piped_is_not_taken_for_a_question(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        reply = await client.execute_interactive(
            "sleep 1; (sleep 1; echo x) | cat; sleep 1 & wait; printf 'working... '; sleep 1",
            allow_stdin=False,
            output_hook=lambda _: None,
            timeout=60,
        )

    assert reply["content"]["status"] == "ok"


async def test_an_answer_without_a_value_ends_the_cell(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):

        def answer(message):
            client.stdin_channel.send(client.session.msg("input_reply", {}))

        reply = await client.execute_interactive(
            "read x", allow_stdin=True, stdin_hook=answer, output_hook=lambda _: None, timeout=60
        )
        _, messages = await execute(client, "echo alive")

    assert reply["content"]["ename"] == "Defect"
    assert text_of(messages) == "alive\n"
