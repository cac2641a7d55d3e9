import pytest

from sandbook.actions import RunAction
from sandbook.errors import InvalidActionError
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.magics.bash import bash


@pytest.mark.parametrize(
    ("arguments", "body", "action"),
    [
        ("ls -la | head", None, RunAction("ls -la | head")),
        ('--root echo "a  b"', None, RunAction('echo "a  b"', root=True)),
        ("--root", "apt-get update\n", RunAction("\napt-get update\n", root=True)),
        ("", "exit 3", RunAction("\nexit 3")),
    ],
)
async def test_bash_takes_its_options_and_leaves_the_rest_as_it_is(arguments, body, action):
    assert await bash(None, MagicStep("bash", arguments, body)) == action


async def test_an_unknown_option_is_told_with_the_usage():
    with pytest.raises(InvalidActionError, match=r"--rot[\s\S]*usage: %%bash \[--root\]"):
        await bash(None, MagicStep("bash", "--rot ls"))
