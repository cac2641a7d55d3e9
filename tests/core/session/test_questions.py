"""Programs that ask: noticed, answered, refused; and programs that only look as if they asked."""

import asyncio

import pytest

from tests.core.session.harness import HANG_S

LIKE_SSH = r"""
import os, sys, termios
tty = os.open("/dev/tty", os.O_RDWR)
old = termios.tcgetattr(tty)
new = termios.tcgetattr(tty)
new[3] &= ~termios.ECHO
termios.tcsetattr(tty, termios.TCSAFLUSH, new)
os.write(tty, b"password: ")
word = os.read(tty, 100).strip()
termios.tcsetattr(tty, termios.TCSAFLUSH, old)
os.write(tty, b"\n")
print("got", word.decode() or "nothing", flush=True)
sys.exit(0 if word else 5)
"""
LIKE_A_SERVER = r"""
import select, socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
print("listening", flush=True)
select.select([server, sys.stdin], [], [], 1.5)
"""

ASKING = {
    "read": ("read -p 'name? ' x; echo \"<$x>\"", [("bob", False)], "name? <bob>\n"),
    "read without a prompt": ('read x; echo "<$x>"', [("bob", False)], "<bob>\n"),
    "read -s": ("read -s -p 'pw: ' x; echo; echo \"<$x>\"", [("secret", True)], "pw: \n<secret>\n"),
    "two in a row": (
        "read -p 'a? ' a; read -p 'b? ' b; echo $a$b",
        [("1", False), ("2", False)],
        "a? b? 12\n",
    ),
    "an empty answer": ("read -p 'a? ' a; echo \"<$a>\"", [("", False)], None),
    "a strange answer": (
        "read -r -p 'a? ' a; echo \"<$a>\"",
        [("é 'x\\y", False)],
        "a? <é 'x\\y>\n",
    ),
    "a pipe that asks the terminal": ("read x </dev/tty | cat; echo ok", [("y", False)], "ok\n"),
    "sh": ('sh -c \'printf "q? "; read x; echo "<$x>"\'', [("bob", False)], "q? <bob>\n"),
    "a nested shell": (
        "bash --norc --noediting",
        [("echo in$((1+1))", False), ("exit 3", False)],
        None,
    ),
    "one key": ('read -n 1 x; echo "<$x>"', [("y", False)], "<y>\n"),
    "one key, then a line": (
        "read -n 1 -p 'sure? ' x; read -p 'name? ' y; echo \"<$x$y>\"",
        [("y", False), ("bob", False)],
        "sure? name? <ybob>\n",
    ),
    "one hidden key": ('read -s -n 1 x; echo "<$x>"', [("y", True)], "<y>\n"),
    "some keys": ('read -n 9 x; echo "<$x>"', [("bob", False)], "<bob>\n"),
    "up to a letter": ('read -d : x; echo "<$x>"', [("a:", False)], "<a>\n"),
    "the end of the input": ('cat; echo "<$?>"', [("one", False), ("\x04", False)], "one\n<0>\n"),
    "a line that can be edited": (
        'bash --norc --noprofile -c \'read -e -p "name? " x; echo "<$x>"\'',
        [("bob", False)],
        None,
    ),
    "a nested shell that edits lines": (
        "bash --norc",
        [("echo in$((1+1))", False), ("exit 3", False)],
        None,
    ),
    "select": ("select s in aa bb; do echo $s; break; done", [("2", False)], None),
}
IN_PYTHON = {
    "input": ("python3 -c 'print(input(\"name? \"))'", [("bob", False)], "name? bob\n"),
    "getpass": (
        "python3 -c 'import getpass; print(getpass.getpass(\"pw: \"))'",
        [("secret", True)],
        "pw: \nsecret\n",
    ),
    "like ssh": (f"python3 - <<'E'\n{LIKE_SSH}\nE", [("secret", True)], "password: \ngot secret\n"),
    "a nested Python": ("python3 -q", [("print(6 * 7)", None), ("exit()", None)], None),
}
QUIET = {
    "sleep": "sleep 1.5",
    "a pipeline": "(sleep 1.5) | cat",
    "sleep with the terminal as input": "sleep 1.5 </dev/tty",
    "a prompt that is none": "printf 'working... '; sleep 1.5; echo done",
    "a reader in the background": "cat & sleep 1.2; kill %1",
    "a job that reads a pipe": "mkfifo p; (sleep 1.2; echo x >p) & cat p; rm p",
    "a busy loop": "end=$((SECONDS + 2)); while ((SECONDS < end)); do :; done",
    "wait": "sleep 1.2 & wait",
}


NOT_READ = {
    "a line more": ("read -p 'a? ' a; echo $a", "one\ntwo", "a? one\n"),
    "half a line": ("read -n 1 a; echo $a", "onetwo", "o\n"),
}


def has_python(machine):
    return machine.do(machine.sandbox.run("sh", "-c", "command -v python3")).exit_code == 0


async def answering(person, code, answers):
    """Run a cell and give these answers; give back how it ended, its text and what was hidden."""
    left, hidden = list(answers), []

    async def ask(question):
        hidden.append(question.hidden)
        return left.pop(0)[0] if left else None

    result, said = await person.run(code, ask)
    return result, b"".join(said).decode(), hidden


def check_answers(machine, code, answers, output):
    async def work():
        async with machine.person() as person:
            result, said, hidden = await answering(person, code, answers)
            assert len(hidden) == len(answers), (result, said)
            for seen, (_, wanted) in zip(hidden, answers, strict=True):
                assert wanted in {None, seen}
            assert output is None or said == output
            assert not result.refused
            assert (await person.say("echo hi"))[1].endswith("hi\n")

    machine.do(work())


@pytest.mark.parametrize("name", ASKING)
def test_a_question_is_asked_and_answered(machine, name):
    check_answers(machine, *ASKING[name])


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_question_of_a_python_program(machine, name):
    assert has_python(machine), "the image has no Python to try this with"
    check_answers(machine, *IN_PYTHON[name])


@pytest.mark.parametrize("name", [*ASKING, *IN_PYTHON])
def test_a_question_that_nobody_answers_ends_the_command(machine, name):
    code = {**ASKING, **IN_PYTHON}[name][0]

    async def work():
        async with machine.person() as person:
            result, _, hidden = await answering(person, code, [])
            assert hidden
            assert result.refused
            assert (await person.say("echo hi"))[1].endswith("hi\n")

    machine.do(work())


def test_a_program_that_asks_on_and_on_is_ended(machine):
    async def work():
        async with machine.person() as person:
            code = 'bash -c \'trap "" INT; while :; do read -p "again? " x; done\''
            result, _, _ = await answering(person, code, [])
            assert result.refused
            assert (await person.say("echo hi"))[1].endswith("hi\n")

    machine.do(work())


@pytest.mark.parametrize("name", QUIET)
def test_no_question_where_nobody_asks(machine, name):
    async def work():
        async with machine.person() as person:
            result, said, hidden = await answering(person, QUIET[name], [("wrong", False)])
            assert not hidden, (result, said)

    machine.do(work())


def test_no_question_of_a_server_that_listens(machine):
    async def work():
        async with machine.person() as person:
            _, _, hidden = await answering(person, f"python3 -c '{LIKE_A_SERVER}'", [])
            assert not hidden

    machine.do(work())


def test_an_answer_goes_nowhere_when_the_command_has_ended(machine):
    async def work():
        cancelled = asyncio.Event()

        async def slow(_):
            try:
                await asyncio.sleep(HANG_S * 3)
            finally:
                cancelled.set()

        async with machine.person() as person:
            result, _ = await person.run("read -t 5 -p 'a? ' x", slow)
            assert result.exit_code == 142
            await asyncio.wait_for(cancelled.wait(), HANG_S)
            assert await person.say("echo hi") == (0, "hi\n")

    machine.do(work())


@pytest.mark.parametrize("name", NOT_READ)
def test_what_was_not_read_is_no_answer_for_the_next_command(machine, name):
    async def work():
        code, answer, output = NOT_READ[name]
        async with machine.person() as person:
            _, said, _ = await answering(person, code, [(answer, False)])
            assert said.replace("netwo", "").replace("two\n", "") == output
            result, said, hidden = await answering(person, 'read x; echo "<$x>"', [("new", False)])
            assert (result.exit_code, said, hidden) == (0, "<new>\n", [False])

    machine.do(work())


def test_where_asking_fails_the_command_ends_and_that_is_told(machine):
    async def work():
        async def fail(_):
            raise RuntimeError("nobody can be reached")

        async with machine.person() as person:
            with pytest.raises(RuntimeError, match="nobody can be reached"):
                await person.run("read x; echo no", fail)
            assert await person.say("echo hi") == (0, "hi\n")

    machine.do(work())
