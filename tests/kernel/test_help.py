"""Completion, inspection, and what a cell with a question mark shows."""

import pytest

from tests.conftest import ISOLATED
from tests.kernel.client import execute, running_kernel


async def matches(client, code):
    reply = await client.complete(code, len(code), reply=True, timeout=30)
    return reply["content"]["matches"]


async def found(client, code, detail=0):
    reply = await client.inspect(code, len(code), detail, reply=True, timeout=30)
    return reply["content"]["data"].get("text/plain", "")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_completion_knows_the_shell_its_files_and_its_programs(backend, tmp_path):
    (tmp_path / "two words.txt").touch()
    (tmp_path / "folder").mkdir()
    async with running_kernel(backend, tmp_path) as (_, client):
        await execute(client, "my_variable=1; my_function() { :; }; alias my_alias=ls; (exit 3)")

        assert await matches(client, "my_") == ["my_alias", "my_function"]
        assert await matches(client, "echo ${my_v") == ["${my_variable"]
        assert await matches(client, "ls; cat two") == [r"two\ words.txt"]
        assert await matches(client, "cd fol") == ["folder/"]
        assert "bash" in await matches(client, "for i in 1; do bas")
        assert "bash" in await matches(client, "! bas")
        assert await matches(client, "cat 'two") == ["two words.txt"]
        assert await matches(client, 'cat "two w') == ["two words.txt"]
        assert await matches(client, "cd two") == []
        assert await matches(client, "unset my_") == ["my_function", "my_variable"]
        assert await matches(client, "echo ${#my_") == ["${#my_variable"]
        assert await matches(client, 'echo "$my_') == ["$my_variable"]
        assert await matches(client, "echo '$my_") == []
        assert await matches(client, r"echo \$my_") == []
        assert await matches(client, "%sand") == ["%sandbox"]
        _, messages = await execute(client, "echo $?")

    assert ("stream", {"name": "stdout", "text": "3\n"}) in messages


async def test_completion_asks_bash_completion(tmp_path):
    async with running_kernel("docker", tmp_path) as (_, client):
        found = await matches(client, "git che")

    assert {"checkout", "cherry-pick"} <= set(found)


async def test_inspection_tells_what_a_word_is(tmp_path):
    async with running_kernel("docker", tmp_path) as (_, client):
        await execute(client, "my_function() { echo inside; }")

        assert "inside" in await found(client, "my_function")
        assert "shell builtin" in await found(client, "cd")
        assert "Change the shell working directory" in await found(client, "cd")
        assert "/ls" in await found(client, "ls")
        assert await found(client, "no_such_word_at_all") == ""
        assert "usage: %bash" in await found(client, "%bash")
        assert "keyword" in await found(client, "[[")
        assert "PWD=" in await found(client, "echo ${PWD}")


async def test_a_question_mark_shows_help(tmp_path):
    async with running_kernel("docker", tmp_path) as (_, client):
        reply, _ = await execute(client, "git?")
        of_magic, _ = await execute(client, "%bash?")

    assert "usage: git" in reply["payload"][0]["data"]["text/plain"]
    assert "--session NAME" in of_magic["payload"][0]["data"]["text/plain"]
