"""An agent's turns at the shell, as the original answers them, less its defects."""

import asyncio

import pytest

from sandbook.actions import RunAction
from sandbook.agents import texts
from sandbook.errors import SandboxPausedError
from tests.core.sandbox.test_backends import eventually


def metadata(answer):
    return answer["extras"]["metadata"]


def told(answer):
    return answer["content"], metadata(answer)["exit_code"]


async def test_a_command_tells_where_it_has_left_the_shell(client):
    answer = await client.run("  mkdir -p sub && cd sub; echo hi; echo err >&2  ")

    where = metadata(answer)
    assert answer["message"] == (
        "Command `mkdir -p sub && cd sub; echo hi; echo err >&2` executed with exit code 0."
    )
    assert answer["content"] == "hi\nerr"
    assert answer["success"] is True
    assert where["working_dir"].endswith("/sub")
    assert where["username"]
    assert where["hostname"]
    assert where["py_interpreter_path"].rpartition("/")[2].startswith("python")
    assert (where["pid"], where["prefix"]) == (-1, "")
    assert where["suffix"] == "\n[The command completed with exit code 0.]"
    assert told(await client.run("(exit 3)")) == ("", 3)
    assert told(await client.run('echo "$?"')) == ("3", 0)


async def test_exit_does_not_kill_the_shell(client):
    await client.run("x=kept; cd /tmp")

    assert told(await client.run("exit 4")) == ("", 4)
    assert told(await client.run("echo $x; pwd")) == ("kept\n/tmp", 0)


async def test_a_command_in_the_background_tells_its_number(client):
    answer = await client.run("sleep 30 & jobs -p")

    pid = metadata(answer)["pid"]
    assert str(pid) in answer["content"]
    assert told(await client.run(f"kill {pid}"))[1] == 0


async def test_several_commands_are_refused(client):
    answer = await client.run("echo 1\necho 2")

    assert answer["observation"] == "error"
    assert answer["content"].endswith("Provided commands:\n(1) echo 1\n(2) echo 2")


async def test_without_a_command_there_is_nothing_to_wait_for(client):
    for command, is_input, why in (
        ("", False, texts.NOTHING_TO_WAIT_FOR),
        ("x", True, texts.NOTHING_TO_TYPE_TO),
        ("C-c", True, texts.NOTHING_TO_TYPE_TO),
    ):
        answer = await client.run(command, is_input=is_input)
        assert told(answer) == (why, -1)
        assert answer["extras"]["command"] == ""
    assert told(await client.run("C-c")) == ("^C", 130)


async def test_a_late_command_goes_on_and_can_be_waited_for(client):
    late = await client.run("echo a; sleep 3; echo b", timeout=0.5)
    refused = await client.run("ls", timeout=5)
    again = await client.run("", timeout=0.5)
    ended = await client.run("", timeout=20, blocking=True)

    assert told(late) == ("a", -1)
    assert metadata(late)["prefix"] == ""
    assert "[The command timed out after 0.5 seconds. You may wait" in metadata(late)["suffix"]
    assert told(refused) == ("", -1)
    assert metadata(refused)["prefix"] == texts.GOES_ON
    assert '[Your command "ls" is NOT executed.' in metadata(refused)["suffix"]
    assert told(again) == ("", -1)
    assert metadata(again)["prefix"] == texts.GOES_ON
    assert told(ended) == ("b", 0)
    assert metadata(ended)["prefix"] == ""
    assert told(await client.run("echo next")) == ("next", 0)


async def test_a_silent_command_can_be_typed_to(client):
    silent = await client.run("echo q; cat")
    typed = await client.run("hello", is_input=True, timeout=1)
    ended = await client.run("C-d", is_input=True, timeout=20)

    assert told(silent) == ("q", -1)
    assert "[The command has no new output after 1 seconds. You" in metadata(silent)["suffix"]
    assert told(typed) == ("hello", -1)
    assert told(ended)[1] == 0
    assert "CTRL+D was sent.]" in metadata(ended)["suffix"]


async def test_keys_stop_and_end_programs(client):
    await client.run("sleep 100", timeout=0.3)
    stopped = await client.run("C-z", is_input=True, timeout=20)
    listed = await client.run("jobs")
    await client.run("kill %1; wait; disown -a")  # bash tells of its end when it likes
    await client.run("sleep 100", timeout=0.3)
    refused = await client.run("C-c", timeout=20)
    ended = await client.run("C-c", is_input=True, timeout=20)

    assert stopped["content"].startswith("^Z")
    assert "Stopped" in stopped["content"]
    assert metadata(stopped)["exit_code"] == 148
    assert "Stopped" in listed["content"]
    assert "NOT executed" in metadata(refused)["suffix"]
    assert told(ended) == ("^C", 130)
    assert metadata(ended)["suffix"] == texts.ended(130, "C")


async def test_what_a_command_said_last_comes_before_the_next_one(client):
    await client.run("sleep 0.7; echo late", timeout=0.2)
    await asyncio.sleep(1.2)

    assert told(await client.run("echo new")) == ("late\nnew", 0)


async def test_a_static_command_has_a_shell_of_its_own(client):
    await client.run("cd /usr; x=1")

    answer = await client.run("echo [$x]; pwd; cd /", is_static=True, cwd="/tmp", hidden=True)
    late = await client.run("echo a; sleep 50", is_static=True, timeout=0.5)

    assert told(answer) == ("[]\n/tmp", 0)
    assert answer["extras"]["hidden"] is True
    assert told(late) == ("a", -1)
    gone = "while pgrep -fx 'sleep 50' >/dev/null; do sleep 0.05; done"
    assert told(await client.run(f"pwd; {gone}", timeout=30)) == ("/usr", 0)


async def test_long_output_is_shortened_and_very_long_output_cut(client):
    long = await client.run("seq 1 8000", timeout=30)
    whole = await client.run("seq 1 8000", timeout=30, hidden=True)
    cut = await client.run('for i in $(seq 1 50000); do echo "Line $i"; done', timeout=60)

    assert len(long["content"]) == 30_047
    assert "[... Observation truncated due to length ...]" in long["content"]
    assert whole["content"].splitlines() == [str(n) for n in range(1, 8001)]
    assert metadata(cut)["prefix"] == texts.cut(10_013)
    assert "Line 40000" in cut["content"]
    assert cut["content"].endswith("Line 50000")


async def test_the_screen_is_what_is_told(client):
    answer = await client.run(r"printf '\033[31mred\033[0m\n10%%\r100%%\na\tb\n'")

    assert answer["content"] == "red\n100%\na       b"
    assert b"".join(client.heard).startswith(b"\x1b[31mred")


async def test_an_agent_waits_for_the_cell_of_a_person(client):
    await client.executor.start()
    cell = asyncio.ensure_future(
        client.executor.run(RunAction("sleep 0.5; echo cell >&2; x=cell"), lambda _: None)
    )
    await asyncio.sleep(0.1)

    assert told(await client.run("echo $x", timeout=20)) == ("cell", 0)
    assert (await cell).exit_code == 0
    busy = asyncio.ensure_future(client.executor.run(RunAction("sleep 100"), lambda _: None))
    await asyncio.sleep(0.3)
    refused = await client.run("echo no", timeout=0.5)
    await client.executor.interrupt()
    await busy
    assert "NOT executed" in metadata(refused)["suffix"]


async def test_an_agent_is_told_that_the_sandbox_was_replaced(client):
    await client.run("x=old")
    await client.executor._machine.backend.remove(client.executor.sandbox_id)

    async def is_noticed():
        return not client.executor.shells

    assert await eventually(is_noticed)

    read = await client.send("write", path="file", content="all\n")
    next_answer = await client.run("echo ${x-unset}")
    after = await client.run("echo on")

    assert read["observation"] == "write"
    assert next_answer["content"] == "unset"
    assert metadata(next_answer)["prefix"].startswith("[The sandbox has ended")
    assert "are gone" in metadata(next_answer)["prefix"]
    assert metadata(after)["prefix"] == ""


async def test_an_agent_is_told_that_the_sandbox_is_paused_and_runs_nothing(client):
    await client.run("x=kept")
    await client.executor.sandbox.pause()
    client.agents._seen_at = 0.0

    with pytest.raises(SandboxPausedError, match="Resume it"):
        await client.run("touch ran")
    await client.executor.sandbox.resume()

    assert told(await client.run("echo $x; ls")) == ("kept", 0)


async def test_keys_arrive_behind_input_that_nobody_reads(client):
    await client.run("sleep 100", timeout=0.5)
    await client.run("line\n" * 1000, is_input=True, timeout=0.5)

    await client.run("C-c", is_input=True, timeout=10)

    assert told(await client.run("echo on", timeout=20)) == ("on", 0)
