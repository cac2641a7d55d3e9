"""OpenHands' JSON and our actions and observations: the only place that knows its names. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sandbook.actions import Action, EditAction, PythonAction, ReadAction, TurnAction, WriteAction
from sandbook.errors import InvalidActionError
from sandbook.observations import (
    Failure,
    FileEdited,
    FileRead,
    FileWritten,
    Observation,
    PythonResult,
    TurnResult,
)

Json = dict[str, Any]
LONGEST_S = 31_536_000
"""A year."""
SHORT = 200
DROPPED = {"keep_prompt", "task_completed", "timestamp"}
"""What older clients send."""
RENAMED = {"is_confirmed": "confirmation_state", "images_urls": "image_urls"}
COMMON = {"thought": str, "security_risk": int}
NO_BROWSER = "Browser functionality is not supported or disabled."
NOT_RUN = (
    *("null", "think", "finish", "reject", "delegate", "recall", "change_agent_state", "message"),
    *("system", "condensation", "condensation_request", "call_tool_mcp", "task_tracking"),
    "loop_recovery",
)
"""What clients keep to themselves."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of action: its arguments, and what it becomes."""

    required: Mapping[str, type | tuple[type, ...]]
    optional: Mapping[str, type | tuple[type, ...]]
    make: Callable[[Json, float | None], Action | Failure]


def action_from(body: object) -> Action | Failure:
    """Read an action as a client sends it; some are answered without being done.

    Raises:
        InvalidActionError: It is none; the message says what is wrong with it.
    """
    given = _object(body, "The action")
    name = given.get("action")
    if "observation" in given and name is None:
        raise InvalidActionError("400: Invalid action type")
    if name in NOT_RUN:
        raise InvalidActionError(
            f"The action {name!r} is not run in a sandbox; the client answers it itself."
        )
    if not isinstance(name, str) or name not in KINDS:
        raise InvalidActionError(
            f"'action['action']={_short(name)}' is not defined. "
            f"Available actions: {', '.join(KINDS)}"
        )
    arguments = _arguments(given, KINDS[name])
    return KINDS[name].make(arguments, _timeout(given.get("timeout")))


def json_from(observation: Observation) -> Json:
    """Write an observation as a client reads it."""
    match observation:
        case TurnResult():
            return _turn(observation)
        case PythonResult(code, content, image_urls):
            extras: Json = {"code": code, "image_urls": list(image_urls) or None}
            told = _envelope("Code executed in IPython cell.", "run_ipython", content, extras)
            return {**told, "success": True}
        case FileRead(path, content, numbered):
            source = "oh_aci" if numbered else "default"
            extras = {"path": path, "impl_source": source}
            return _envelope(f"I read the file {path}.", "read", content, extras)
        case FileWritten(path):
            return _envelope(f"I wrote to the file {path}.", "write", "", {"path": path})
        case FileEdited():
            return _edit(observation)
        case Failure(content):
            return _envelope(content, "error", content, {"error_id": ""})
        case _:
            raise InvalidActionError("That is nothing an agent is told.")


def _envelope(message: str, kind: str, content: str, extras: Json) -> Json:
    return {"message": message, "observation": kind, "content": content, "extras": extras}


def _turn(result: TurnResult) -> Json:
    where = result.where
    metadata = {
        "exit_code": where.exit_code,
        "pid": where.pid,
        "username": where.username,
        "hostname": where.hostname,
        "working_dir": where.working_dir,
        "py_interpreter_path": where.py_interpreter_path,
        "prefix": result.prefix,
        "suffix": result.suffix,
    }
    extras = {"command": result.command, "metadata": metadata, "hidden": result.hidden}
    message = f"Command `{result.command}` executed with exit code {where.exit_code}."
    told = _envelope(message, "run", result.content, extras)
    return {**told, "success": where.exit_code == 0}


def _edit(result: FileEdited) -> Json:
    extras = {
        "path": result.path,
        "prev_exist": False,
        "old_content": result.old_str,
        "new_content": result.new_str,
        "impl_source": "oh_aci",
        "diff": result.diff,
        "_diff_cache": None,
    }
    return _envelope(f"I edited the file {result.path}.", "edit", result.content, extras)


def _object(value: object, what: str) -> Json:
    if not isinstance(value, dict):
        raise InvalidActionError(f"{what} must be a JSON object.")
    return cast("Json", value)


def _timeout(value: object) -> float | None:
    if value is None or value == 0:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST_S:
        raise InvalidActionError(
            f"The timeout must be a number of seconds from 0 to {LONGEST_S}, not {_short(value)}."
        )
    return float(value)


def _arguments(body: Json, kind: Kind) -> Json:
    given = _object(body.get("args", {}), "What is in args")
    arguments = {RENAMED.get(key, key): value for key, value in given.items() if key not in DROPPED}
    known = {**kind.required, **kind.optional, **COMMON, "confirmation_state": str}
    for key, value in arguments.items():
        if key not in known:
            raise _wrong(body, f"there is no argument {_short(key)}")
        wanted = known[key]
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is int):
            raise _wrong(body, f"{key!r} has the wrong type")
    if missing := [key for key in kind.required if key not in arguments]:
        raise _wrong(body, f"{missing[0]!r} is missing")
    return arguments


def _short(value: object) -> str:
    """Repeat what somebody has sent, up to a point."""
    said = repr(value)
    return said if len(said) < SHORT else f"{said[:SHORT]}..."


def _wrong(body: Json, reason: str) -> InvalidActionError:
    return InvalidActionError(
        f"The action {body.get('action')!r} has the wrong arguments: {reason}."
    )


def _run(arguments: Json, timeout_s: float | None) -> Action:
    return TurnAction(
        arguments["command"],
        is_input=arguments.get("is_input", False),
        timeout_s=timeout_s,
        blocking=arguments.get("blocking", False),
        is_static=arguments.get("is_static", False),
        cwd=arguments.get("cwd") or "",
        hidden=arguments.get("hidden", False),
    )


def _python(arguments: Json, timeout_s: float | None) -> Action:
    return PythonAction(arguments["code"], arguments.get("include_extra", True), timeout_s)


def _read(arguments: Json, _: float | None) -> Action:
    return ReadAction(
        arguments["path"],
        arguments.get("start", 0),
        arguments.get("end", -1),
        numbered=arguments.get("impl_source") == "oh_aci",
        view_range=arguments.get("view_range"),
    )


def _write(arguments: Json, _: float | None) -> Action:
    return WriteAction(
        arguments["path"],
        arguments["content"],
        arguments.get("start", 0),
        arguments.get("end", -1),
        is_exact=arguments.get("exact", False),
    )


def _edit_action(arguments: Json, _: float | None) -> Action:
    if arguments.get("impl_source") == "llm_based_edit":
        raise InvalidActionError("Edits by a language model are made by the client, not here.")
    taken = ("command", "file_text", "old_str", "new_str", "insert_line")
    given = {key: arguments[key] for key in taken if key in arguments}
    return EditAction(arguments["path"], **given)


def _no_browser(*_: object) -> Failure:
    return Failure(NO_BROWSER)


_TEXT_OR_NONE = (str, type(None))
KINDS: dict[str, Kind] = {
    "run": Kind(
        {"command": str},
        {
            "is_input": bool,
            "blocking": bool,
            "is_static": bool,
            "cwd": _TEXT_OR_NONE,
            "hidden": bool,
        },
        _run,
    ),
    "run_ipython": Kind({"code": str}, {"include_extra": bool, "kernel_init_code": str}, _python),
    "read": Kind(
        {"path": str},
        {"start": int, "end": int, "impl_source": str, "view_range": (list, type(None))},
        _read,
    ),
    "write": Kind(
        {"path": str, "content": str},
        {"start": int, "end": int, "exact": bool},  # the last of them is ours
        _write,
    ),
    "edit": Kind(
        {"path": str},
        {
            "command": str,
            "file_text": _TEXT_OR_NONE,
            "old_str": _TEXT_OR_NONE,
            "new_str": _TEXT_OR_NONE,
            "insert_line": (int, str, type(None)),
            "content": str,
            "start": int,
            "end": int,
            "impl_source": str,
        },
        _edit_action,
    ),
    "browse": Kind({"url": str}, {"return_axtree": bool}, _no_browser),
    "browse_interactive": Kind(
        {"browser_actions": str},
        {"browsergym_send_msg_to_user": str, "return_axtree": bool},
        _no_browser,
    ),
}
