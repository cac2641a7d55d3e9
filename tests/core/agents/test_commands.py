"""One command, or several."""

import subprocess
import sys

import pytest

from sandbook.agents.commands import separate_commands

ONE = [
    "ls",
    "a; b",
    "a &&\nb",
    "a |\nb",
    "for i in 1 2; do\n echo $i\ndone",
    "if a\nthen b\nfi",
    "cat <<E\nx\ny\nE",
    "cat <<'E' >f\n$x\nE",
    "a \\\n b",
    "echo 'a\nb'",
    'echo "a\n$(ls\npwd)"',
    "{\na\nb\n}",
    "(a\nb)",
    "f() {\n x\n}",
    "# why\nls",
    "ls # why\n# why",
    "a & b",
    "find . -name x -exec rm {} \\;",
    "echo $((1 +\n2))",
    "x=(1\n2)",
    "",
    "# only this",
    "if",  # bash will say what is wrong with it
    "echo 'open\necho b",
]


@pytest.mark.parametrize("code", ONE)
def test_this_is_one_command(code):
    assert len(separate_commands(code)) <= 1


@pytest.mark.parametrize(
    ("code", "commands"),
    [
        ("echo 1\necho 2", ["echo 1", "echo 2"]),
        ("a\n\n\nb", ["a", "b"]),
        ("cat <<E\nx\nE\nls", ["cat <<E\nx\nE", "ls"]),
        ("a &\nb", ["a &", "b"]),
        ("x=1\ny=2\nz", ["x=1", "y=2", "z"]),
        ("echo é\necho 日", ["echo é", "echo 日"]),
        ("for i in 1; do\nx\ndone\nls", ["for i in 1; do\nx\ndone", "ls"]),
    ],
)
def test_these_are_several(code, commands):
    assert separate_commands(code) == commands


def test_long_lines_are_taken_apart_again_and_again():
    program = """
from sandbook.agents.commands import separate_commands
code = "echo " + "a" * 1000
for _ in range(1000):
    assert separate_commands(code) == [code]
    assert separate_commands(code + "\\n" + code) == [code, code]
"""

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert ended.returncode == 0, ended.stderr.decode()  # not even by a signal
