"""Ctrl-C at any moment: the command ends with the right status, and the shell keeps its state."""

import asyncio
import random

import pytest

from sandbook.errors import SessionLostError
from tests.core.session.harness import HANG_S

SIGNALLED = {"INT": 130, "TERM": 143, "KILL": 137}
PYTHON = "python3 -c 'import time; time.sleep(60)'"

COMMANDS = {
    "sleep": ("sleep 60", 130),
    "a busy loop": ("while :; do :; done", 130),
    "a flood": ("yes", 130),
    "a pipeline": ("(sleep 60; echo x) | cat", 130),
    "a subshell": ("(sleep 60; echo no)", 130),
    "a substitution": ("y=$(sleep 60); echo no", 130),
    "read": ("read x; echo no", 130),
    "cat": ("cat", 130),
    "a program with its own answer": (
        f"if command -v python3 >/dev/null; then {PYTHON}; fi 2>&1",
        None,
    ),
    "a loop over programs": ("for i in {1..1000}; do sleep 0.05; done", 130),
    "a function": ("f() { sleep 60; echo no; }; f", 130),
    "wait": ("sleep 60 & wait", 130),
    "set -e": ("set -e; sleep 60", 130),
    "prompts of the user": ("PS1='zz> '; PROMPT_COMMAND='echo PC'; sleep 60", 130),
    "a trap that goes on": ("trap 'echo got' INT; sleep 60; trap - INT; echo after", 0),
    "a program deaf to INT": ("bash -c 'trap \"\" INT; sleep 60; sleep 60'", 143),
    "a program deaf to INT and TERM": ("bash -c 'trap \"\" INT TERM; sleep 60; sleep 60'", 137),
}


async def interrupted(person, code, after_s=0.2, times=1):
    """Run a cell and interrupt it; give back how it ended."""
    running = asyncio.ensure_future(person.run(code))
    for _ in range(5):  # steps of the event loop, until the shell has it
        await asyncio.sleep(0)
    assert person.shell.is_busy
    await asyncio.sleep(after_s)
    await asyncio.gather(*(person.shell.interrupt() for _ in range(times)))
    return await asyncio.wait_for(running, HANG_S)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_ends_the_command_and_keeps_the_shell(machine, name):
    code, status = COMMANDS[name]

    async def work():
        async with machine.person() as person:
            await person.say("x=kept; cd /usr")
            result, said = await interrupted(person, code)
            assert result.interrupted
            assert status is None or result.exit_code == status, (result, said)
            assert b"no\n" not in b"".join(said)
            wanted = f"{result.exit_code} kept /usr\n"
            assert (await person.say("echo $? $x $PWD"))[1] == wanted
            await person.say("kill $! 2>/dev/null; wait 2>/dev/null")

    machine.do(work())


def test_an_interrupt_says_nothing_of_its_own(machine):
    async def work():
        async with machine.person() as person:
            _, said = await interrupted(person, "echo begun; sleep 60")
            assert b"".join(said) == b"begun\n"
            _, said = await interrupted(
                person, "trap 'echo got' INT; sleep 60; trap - INT; echo on"
            )
            assert b"".join(said).strip() == b"on"  # as in any bash: the program was hit, not it

    machine.do(work())


def test_a_deaf_shell_is_replaced_and_that_is_told(machine):
    async def work():
        async with machine.person() as person:
            await person.say("cd /usr")
            with pytest.raises(SessionLostError, match="did not answer"):
                await interrupted(person, "trap '' INT; while :; do :; done")
            await person.replace()
            assert await person.say("pwd") == (0, "/usr\n")

    machine.do(work())


@pytest.mark.parametrize("times", [1, 5])
def test_an_interrupt_at_once(machine, times):
    async def work():
        async with machine.person() as person:
            for _ in range(5):
                result, _ = await interrupted(person, "sleep 60", after_s=0, times=times)
                assert result.exit_code == 130
            assert await person.say("echo hi") == (0, "hi\n")

    machine.do(work())


@pytest.mark.parametrize("code", ["sleep 60", "stty raw; sleep 60"])
@pytest.mark.parametrize("line", ["typed\n", "typed"])
def test_an_interrupt_of_what_does_not_read_what_was_typed(machine, code, line):
    async def work():
        async with machine.person() as person:
            running = asyncio.ensure_future(person.run(f"echo begun; {code}"))
            await asyncio.wait_for(person.shell.session.begun(), HANG_S)
            typing = person.shell.session.type(line.encode() * 6_000)
            await asyncio.wait_for(typing, HANG_S)
            await asyncio.wait_for(person.shell.interrupt(), HANG_S)

            assert (await asyncio.wait_for(running, HANG_S))[0].exit_code == 130
            code_after, said = await person.say('echo next; read -t 0.2 x; echo "<$x>"')
            assert (code_after, said.split("\n")[0]) == (0, "next")
            if machine.name == "bubblewrap":  # an engine has taken all that was typed, and keeps it
                assert said == "next\n<>\n"
            assert (await interrupted(person, "sleep 60"))[0].exit_code == 130

    machine.do(work())


def test_an_interrupt_while_a_large_cell_is_still_on_its_way(machine):
    large = "x='" + "y" * 200_000 + "'; sleep 60"

    async def work():
        async with machine.person() as person:
            for after_s in (0, 0.001, 0.01, 0.05):
                result, _ = await interrupted(person, large, after_s=after_s)
                assert result.exit_code == 130
            assert await person.say("echo hi") == (0, "hi\n")

    machine.do(work())


def test_interrupts_at_random_moments(machine):
    chance = random.Random(7)  # noqa: S311 -- any numbers will do, the same each time

    async def work():
        async with machine.person() as person:
            await person.say("x=kept")
            for number in range(50):
                result, said = await interrupted(person, "sleep 60", chance.uniform(0, 0.1))
                assert (result.exit_code, b"".join(said)) == (130, b""), number
            assert await person.say("echo $? $x") == (0, "130 kept\n")

    machine.do(work())


def test_interrupts_of_quick_commands_lose_nothing(machine):
    chance = random.Random(8)  # noqa: S311 -- any numbers will do, the same each time

    async def work():
        async with machine.person() as person:
            for number in range(60):
                running = asyncio.ensure_future(person.say(f"echo {number}"))
                await asyncio.sleep(chance.uniform(0, 0.002))
                await person.shell.interrupt()
                status, said = await asyncio.wait_for(running, HANG_S)
                assert (status, said) in {(0, f"{number}\n"), (130, ""), (130, f"{number}\n")}
                assert await person.say("echo next") == (0, "next\n")

    machine.do(work())


def test_a_time_limit_interrupts(machine):
    async def work():
        async with machine.person() as person:
            result, _ = await person.run("sleep 60", timeout_s=0.2)
            assert (result.exit_code, result.timed_out, result.interrupted) == (130, True, True)
            result, _ = await person.run("true", timeout_s=20)
            assert (result.exit_code, result.timed_out, result.interrupted) == (0, False, False)

    machine.do(work())


def test_an_interrupt_during_a_question(machine):
    async def work():
        asked = asyncio.Event()

        async def never(_):
            asked.set()
            await asyncio.sleep(HANG_S * 2)

        async with machine.person() as person:
            running = asyncio.ensure_future(person.run("read -p 'name? ' x; echo no", never))
            await asyncio.wait_for(asked.wait(), HANG_S)
            await person.shell.interrupt()
            result, said = await asyncio.wait_for(running, HANG_S)
            assert (result.exit_code, b"".join(said).strip()) == (130, b"name?")
            assert await person.say("echo hi") == (0, "hi\n")

    machine.do(work())


def test_a_stopped_shell_goes_on(machine):
    async def work():
        async with machine.person() as person:
            result, _ = await interrupted(person, "kill -STOP $$; sleep 60; echo no")
            assert result.exit_code == 130
            assert await person.say("echo hi") == (0, "hi\n")

    machine.do(work())


def test_an_interrupt_of_nothing_does_nothing(machine):
    async def work():
        async with machine.person() as person:
            await person.shell.interrupt()
            assert await person.say("echo hi") == (0, "hi\n")

    machine.do(work())
