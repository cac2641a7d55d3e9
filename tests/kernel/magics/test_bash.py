import pytest

from sandbook.actions import RunAction
from sandbook.errors import InvalidActionError
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.magics import MAGICS, Context
from sandbook_kernel.magics.bash import bash

NOWHERE = Context(executor=None)


@pytest.mark.parametrize(
    ("arguments", "body", "action"),
    [
        ("ls -la | head", None, RunAction("ls -la | head")),
        ('--root echo "a  b"', None, RunAction('echo "a  b"', root=True)),
        ("--root", "apt-get update\n", RunAction("\napt-get update\n", root=True)),
        ("", "exit 3", RunAction("\nexit 3")),
        ("--session build make -j2", None, RunAction("make -j2", session="build")),
        ("--session=build", "make", RunAction("\nmake", session="build")),
        ("--timeout 1.5 --root sleep 9", None, RunAction("sleep 9", root=True, timeout_s=1.5)),
        ("--session 'a b' ls", None, RunAction("ls", session="a b")),
        (r"--session=a\ b", "ls", RunAction("\nls", session="a b")),
        ("echo --session x", None, RunAction("echo --session x")),
    ],
)
async def test_bash_takes_its_options_and_leaves_the_rest_as_it_is(arguments, body, action):
    assert await bash(NOWHERE, MagicStep("bash", arguments, body)) == action


async def test_a_subshell_is_the_shell_of_a_cell_that_names_none():
    action = await bash(Context(None, session="other"), MagicStep("bash", "ls"))

    assert action.session == "other"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--rot ls", r"unrecognized arguments: --rot\nusage: %bash"),
        ("--timeout soon ls", r"invalid float value: 'soon'\nusage: %bash"),
        ("--timeout 0 ls", r"seconds above 0\nusage: %bash"),
    ],
)
async def test_a_wrong_option_is_told_with_the_usage(arguments, told):
    with pytest.raises(InvalidActionError, match=told):
        await bash(NOWHERE, MagicStep("bash", arguments))


@pytest.mark.parametrize("name", sorted(MAGICS))
async def test_every_magic_tells_how_to_use_it(name):
    shown = await MAGICS[name].run(NOWHERE, MagicStep(name, "--help"))

    assert shown.data["text/plain"].startswith(f"usage: %{name}")
    assert MAGICS[name].summary.endswith(".")
