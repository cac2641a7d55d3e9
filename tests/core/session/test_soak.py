"""Thousands of commands through one shell: each exit code and each output is right."""

import random

import pytest

ROUNDS = {"local": 5000, "docker": 1000, "bubblewrap": 1000}


def command(chance, number):
    """Make up a command; give back it, its exit code and its output."""
    status = chance.randrange(256)
    size = chance.randrange(1, 20_000)
    return chance.choice(
        [
            ("true", 0, ""),
            ("false", 1, ""),
            (f"(exit {status})", status, ""),
            (f"echo {number}; (exit {status})", status, f"{number}\n"),
            (f'f() {{ echo "f $1"; return {status}; }}; f {number}', status, f"f {number}\n"),
            (f"printf '%s' {number} | cat", 0, f"{number}"),
            (f"echo a | (cat; exit {status})", status, "a\n"),
            (f"printf '%0{size}d' 0", 0, "0" * size),
            (f"v={number}; echo $v; [[ $v == x ]]", 1, f"{number}\n"),
            (f"for i in {{1..{size % 50 + 1}}}; do echo $i; done; ! :", 1, lines(size % 50 + 1)),
            ("x=$(echo sub; exit 3)", 3, ""),
            (f"eval 'echo {number}'; no-such-program 2>/dev/null", 127, f"{number}\n"),
            (f"cat <<E\n{number}\nE", 0, f"{number}\n"),
        ]
    )


def rare(chance):
    """Make up a command that takes a shell with it."""
    status = chance.randrange(256)
    return chance.choice(
        [
            (f"exit {status}", status, ""),
            (f"set -e; (exit {status % 255 + 1}); echo no", status % 255 + 1, ""),
            (f"g() {{ exit {status}; }}; g", status, ""),
        ]
    )


def lines(count):
    return "".join(f"{number}\n" for number in range(1, count + 1))


@pytest.mark.timeout(240)
@pytest.mark.parametrize("machine", ROUNDS, indirect=True)
def test_each_of_thousands_of_commands_ends_right(machine):
    chance = random.Random(4)  # noqa: S311 -- any numbers will do, the same each time

    async def work():
        async with machine.person() as person:
            for number in range(ROUNDS[machine.name]):
                code, status, output = (
                    rare(chance) if number % 50 == 49 else command(chance, number)
                )
                assert await person.say(code) == (status, output), (number, code)
                if number % 50 == 49:
                    assert await person.say("echo $?; set +e") == (0, f"{status}\n"), number
                elif number % 10 == 0:
                    assert await person.say("echo $?") == (0, f"{status}\n"), number
            assert not person.idle

    machine.do(work(), timeout=240)
