"""BashSession on every backend; `sandbox` is parametrised in tests/conftest.py."""

import asyncio

import pytest

from sandbook.errors import InvalidActionError, SessionBusyError, SessionLostError
from sandbook.session.shell import Shell


@pytest.fixture
def shell(sandbox, jp_asyncio_loop):
    started = Shell(sandbox)
    jp_asyncio_loop.run_until_complete(started.session.start())
    yield started
    started.close()


@pytest.fixture
def session(shell):
    return shell.session


async def run(session, command):
    """Run a command; give back its exit code and its output."""
    output = bytearray()
    result = await session.run(command, output.extend)
    return result.exit_code, output.decode()


async def test_it_starts_in_the_workspace(session, sandbox):
    assert await run(session, "pwd") == (0, f"{sandbox.workspace}\n")


async def test_it_keeps_directory_variables_and_functions(session):
    await run(session, "cd /tmp; x='a b'; f() { echo \"f $1\"; }")

    assert await run(session, 'pwd; f "$x"') == (0, "/tmp\nf a b\n")
    assert session.cwd == "/tmp"


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("true", 0),
        ("false", 1),
        ("(exit 42)", 42),
        ("no-such-program 2>/dev/null", 127),
        ("echo ${unset:?} 2>/dev/null", 1),
        ("readonly r=1; r=2", 1),
        ("if then", 2),
    ],
)
async def test_the_exit_code_is_the_commands(session, command, status):
    assert (await run(session, command))[0] == status
    assert await run(session, "echo $?") == (0, f"{status}\n")


@pytest.mark.parametrize("command", ["exit 4", "set -e; (exit 4)"])
async def test_state_survives_the_end_of_the_shell(session, command):
    await run(session, "x=5; cd /tmp; declare -A map=([k]=v); f() { echo f; }; alias hi='echo hi'")

    assert (await run(session, command))[0] == 4

    assert await run(session, 'echo "$x $PWD ${map[k]}"; f; hi') == (0, "5 /tmp v\nf\nhi\n")


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("printf 'no newline'", "no newline"),
        ("printf 'a\\tb\\rc\\n'", "a\tb\rc\n"),
        ("printf '\\033[31mred\\033[0m'", "\x1b[31mred\x1b[0m"),
        ("echo one\necho two", "one\ntwo\n"),
        ("cat <<'E'\n\ttab $x\nE", "\ttab $x\n"),
        ('echo "wow!"', "wow!\n"),
        ("cat <<< 'é 😀'", "é 😀\n"),
        ("PS1='$ '; PROMPT_COMMAND='echo prompt'; echo x", "x\n"),
        ("exec 3>&1; echo x >&3", "x\n"),
    ],
)
async def test_output_is_exact(session, command, output):
    assert await run(session, command) == (0, output)
    assert await run(session, "echo next") == (0, "next\n")


async def test_the_terminal_is_a_real_one(session):
    assert await run(session, "[ -t 0 ] && [ -t 1 ] && echo yes; stty size </dev/tty") == (
        0,
        "yes\n40 120\n",
    )


async def test_output_comes_while_the_command_still_runs(shell):
    first = asyncio.get_running_loop().create_future()

    def on_output(data):
        if not first.done():
            first.set_result(data)

    running = asyncio.create_task(shell.run("echo first; sleep 5; echo last", on_output))

    assert await asyncio.wait_for(first, 3) == b"first\n"
    assert not running.done()
    await shell.interrupt()
    await running


@pytest.mark.parametrize("command", ["sleep 60", "while :; do :; done", "yes", "cat"])
async def test_an_interrupt_ends_the_command_and_keeps_the_shell(shell, session, command):
    await run(session, "x=kept")
    begun = asyncio.get_running_loop().create_future()
    code = f"echo begun; {command}"

    def on_output(_):
        if not begun.done():
            begun.set_result(None)

    running = asyncio.create_task(shell.run(code, on_output))
    await begun

    await shell.interrupt()

    assert (await asyncio.wait_for(running, 10)).exit_code == 130
    assert await run(session, "echo $x") == (0, "kept\n")


async def test_a_large_command_arrives_whole(session):
    lines = "\n".join(f"echo {number}" for number in range(10_000))

    status, output = await run(session, lines)

    assert status == 0
    assert output.split() == [str(number) for number in range(10_000)]


async def test_megabytes_of_output_arrive_whole(session):
    status, output = await run(session, "seq 1000000")

    assert status == 0
    assert len(output) == 6_888_896
    assert output.endswith("\n1000000\n")


async def test_a_second_command_is_refused_while_one_runs(shell, session):
    running = asyncio.create_task(shell.run("sleep 5", lambda _: None))
    await asyncio.sleep(0.05)

    with pytest.raises(SessionBusyError):
        await session.run("echo no", lambda _: None)
    with pytest.raises(SessionBusyError):
        await shell.run("echo no", lambda _: None)

    await shell.interrupt()
    await running


async def test_our_own_questions_leave_no_trace(session):
    await run(session, "x=5; (exit 3)")

    assert await session.ask("echo $x; x=6; exit 4") == b"5\n"

    assert await run(session, "echo $? $x") == (0, "3 5\n")


@pytest.mark.parametrize(
    "before",
    [
        "exec 9>&1 >own.txt",
        "exec 9>&1 >&-",
        "set -T; trap 'echo dbg' DEBUG",
        "set -E; trap 'echo err' ERR",
        "set -eux",
        "printf() { echo mine; }",
    ],
)
async def test_our_own_questions_are_answered_whatever_the_user_has_done(session, before):
    await run(session, f": >own.txt; exec 9>&1; {before}")

    assert await session.ask("echo a; false") == b"a\n"

    _, said = await run(session, "set +x; exec >&9; wc -c <own.txt")
    assert said.split()[-1] == "0"


async def test_a_command_with_a_nul_is_refused(session):
    with pytest.raises(InvalidActionError, match="NUL"):
        await run(session, "echo a\0b")

    assert await run(session, "echo hi") == (0, "hi\n")


async def test_a_copy_goes_on_with_the_same_state(session, sandbox):
    await run(session, "x=5; f() { echo f; }; alias hi='echo hi'; trap 'echo bye' EXIT; set -- a b")
    other = Shell(sandbox, session.cwd, state=await session.copy())
    await other.session.start()

    assert await run(other.session, "echo $x $2; f; hi") == (0, "5 b\nf\nhi\n")
    other.close()
    assert await run(session, "echo $x") == (0, "5\n")


async def test_a_killed_shell_is_told_as_lost(session):
    with pytest.raises(SessionLostError, match="next cell starts a new one"):
        await run(session, "kill -9 $$")

    assert not session.is_alive
