"""Agents' actions, written as cells."""

import pytest

from sandbook.actions import EditAction, PythonAction, ReadAction, TurnAction
from sandbook_kernel.cell import BashStep, MagicStep, parse
from sandbook_kernel.magics import MAGICS
from sandbook_kernel.trajectory.sources import (
    Course,
    python_source,
    read_source,
    replace_source,
    run_source,
    write_source,
)


@pytest.mark.parametrize(
    ("command", "course", "source"),
    [
        ("echo hi", Course(), "echo hi"),
        ("cat <<E\n%view x\nE", Course(), "cat <<E\n%view x\nE"),
        ("ls ?", Course(), "%%bash\nls ?"),
        ("%view x", Course(), "%%bash\n%view x"),
        ("read a", Course(("it's me",)), "%%bash --input it\\'s\\ me\nread a"),
        ("read a b", Course(("", "ä\tb")), "%%bash --input '' --input $'ä\\x09b'\nread a b"),
        ("sleep 9", Course(stopped_after_s=1.2), "%%bash --timeout 3\nsleep 9"),
    ],
)
def test_a_command_is_a_cell(command, course, source):
    assert run_source(TurnAction(command), course, "/workspace") == source


def test_a_command_of_its_own_changes_nothing_for_others():
    static = TurnAction("cd /etc; x=1 # done", is_static=True, cwd="/a b")

    source = run_source(static, Course(), "/workspace")

    assert source == "(\ncd -- /a\\ b || exit\ncd /etc; x=1 # done\n)"
    assert run_source(static, Course(), "/workspace", root=True).startswith("%%bash --root\n(")


@pytest.mark.parametrize(
    ("action", "source"),
    [
        (ReadAction("/a b"), "%view /a\\ b"),
        (ReadAction("/a", 1, 3), "%view /a 2:3"),
        (ReadAction("/a", 2, -1), "%view /a 3:"),
        (ReadAction("/a", numbered=True, view_range=[2, -1]), "%view /a 2:"),
        (ReadAction("/a", numbered=True, view_range=[2, 5]), "%view /a 2:5"),
        (ReadAction("/a", numbered=True, view_range="nonsense"), "%view /a"),
    ],
)
def test_a_look_is_a_magic(action, source):
    assert read_source(action, action.path) == source


@pytest.mark.parametrize("text", ["", "a\n", "a", "%%bash\nx\n", "\n\n", "a\r\nb"])
def test_a_file_is_a_cell_that_holds_it(text):
    source = write_source("/new\nline", text, ("--mkdir",), root=True)

    (step,) = parse(source, MAGICS)
    assert isinstance(step, MagicStep)
    assert step.body == text
    assert step.arguments.startswith("$'/new\\x0aline' --mkdir --root")
    assert step.arguments.endswith("--no-newline") is (not text.endswith("\n") and bool(text))


def test_a_replacement_is_a_line_whatever_it_holds():
    action = EditAction("/a", "str_replace", old_str="x\n'y'", new_str=None)

    assert replace_source(action) == "%edit /a --replace $'x\\x0a\\'y\\'' ''"


def test_python_is_a_cell():
    assert python_source(PythonAction("x = 1"), timed_out=False) == "%%python\nx = 1"
    late = PythonAction("while True: pass", timeout_s=2.0)
    assert python_source(late, timed_out=True) == "%%python --timeout 2\nwhile True: pass"


def test_no_command_of_an_agent_is_taken_for_a_magic():
    for command in ("%edit x", "%%edit x\ny", "%1", "%lsmagic"):
        steps = parse(run_source(TurnAction(command), Course(), "/"), MAGICS)
        assert steps in ([MagicStep("bash", "", command)], [BashStep(command)])
