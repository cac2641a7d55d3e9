"""OpenHands' JSON: what is taken, and what is refused."""

import pytest

from sandbook.actions import EditAction, PythonAction, ReadAction, TurnAction, WriteAction
from sandbook.errors import InvalidActionError
from sandbook.observations import Failure, PythonResult
from sandbook.wire import NO_BROWSER, action_from, json_from


def test_a_command_as_the_client_sends_it():
    action = action_from(
        {
            "id": 7,
            "timestamp": "2025-01-01T00:00:00.000001",
            "source": "agent",
            "message": "Running command: ls",
            "action": "run",
            "args": {
                "command": "ls",
                "is_input": False,
                "thought": "",
                "blocking": False,
                "is_static": False,
                "cwd": None,
                "hidden": False,
                "confirmation_state": "confirmed",
                "security_risk": -1,
            },
            "timeout": 120.0,
        }
    )

    assert action == TurnAction("ls", timeout_s=120.0)


@pytest.mark.parametrize(
    ("name", "arguments", "action"),
    [
        ("run", {"command": "x", "keep_prompt": True, "is_input": True}, TurnAction("x", True)),
        ("run", {"command": "x", "is_confirmed": "confirmed"}, TurnAction("x")),
        ("run_ipython", {"code": "1", "kernel_init_code": ""}, PythonAction("1")),
        ("read", {"path": "a", "impl_source": "default"}, ReadAction("a")),
        (
            "read",
            {"path": "/a", "impl_source": "oh_aci", "view_range": [1, 2]},
            ReadAction("/a", numbered=True, view_range=[1, 2]),
        ),
        ("write", {"path": "a", "content": "x", "start": 1}, WriteAction("a", "x", 1)),
        (
            "edit",
            {"path": "/a", "command": "insert", "insert_line": "3", "new_str": "y", "content": ""},
            EditAction("/a", "insert", new_str="y", insert_line="3"),
        ),
        ("browse", {"url": "http://x"}, Failure(NO_BROWSER)),
        ("browse_interactive", {"browser_actions": "noop()"}, Failure(NO_BROWSER)),
    ],
)
def test_an_action_is_taken(name, arguments, action):
    assert action_from({"action": name, "args": arguments}) == action


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (None, "must be a JSON object"),
        ([], "must be a JSON object"),
        ({}, "is not defined"),
        ({"action": "frobnicate"}, "'frobnicate'"),
        ({"action": ["run"]}, "is not defined"),
        ({"observation": "run", "content": ""}, "400: Invalid action type"),
        ({"action": "run", "args": "x"}, "What is in args must be a JSON object"),
        ({"action": "run", "args": {}}, "'command' is missing"),
        ({"action": "run", "args": {"command": "ls", "zzz": 1}}, "no argument 'zzz'"),
        ({"action": "run", "args": {"command": 1}}, "'command' has the wrong type"),
        ({"action": "run", "args": {"command": "x", "is_input": "no"}}, "'is_input' has the wrong"),
        ({"action": "read", "args": {"path": "x", "start": True}}, "'start' has the wrong type"),
        ({"action": "run", "args": {"command": "x"}, "timeout": "soon"}, "timeout must be"),
        ({"action": "run", "args": {"command": "x"}, "timeout": -1}, "timeout must be"),
        ({"action": "run", "args": {"command": "x"}, "timeout": True}, "timeout must be"),
        ({"action": "edit", "args": {"path": "x", "impl_source": "llm_based_edit"}}, "the client"),
        ({"action": "think", "args": {"thought": "x"}}, "'think'"),
    ],
)
def test_nonsense_is_refused_with_a_reason(body, words):
    with pytest.raises(InvalidActionError) as refused:
        action_from(body)

    assert words in str(refused.value)


def test_no_time_limit_is_none_or_zero():
    for timeout in (None, 0, 0.0):
        body = {"action": "run", "args": {"command": "x"}, "timeout": timeout}
        assert action_from(body) == TurnAction("x")


def test_python_is_told_with_its_pictures():
    assert json_from(PythonResult("x", "1", ("data:image/png;base64,AA",))) == {
        "message": "Code executed in IPython cell.",
        "observation": "run_ipython",
        "content": "1",
        "extras": {"code": "x", "image_urls": ["data:image/png;base64,AA"]},
        "success": True,
    }
    assert json_from(PythonResult("x", "1"))["extras"]["image_urls"] is None
