"""What is different when a cell is run again. Pure."""

import difflib
from collections.abc import Iterable
from typing import Any

from nbformat import NotebookNode

from sandbook.agents.screen import shown

FILE_KINDS = {"read", "write", "edit"}
"""What these say is told to an agent in other words than to a person."""
STOPPED = {"exit status 130", "exit status 148"}
CONTEXT = 1
MAX_LINES = 40


def differences(recorded: NotebookNode, again: NotebookNode) -> list[str]:
    """Say what is different, in lines; nothing, if all is as it was."""
    was, now = _failure(recorded), _failure(again)
    if bool(was) != bool(now):
        return [f"now it fails: {now}" if now else f"it does not fail any more: {was}"]
    facts = recorded.metadata.get("sandbook", {})
    stopped = facts.get("status") == "timed out" or was in STOPPED
    if stopped or facts.get("kind") in FILE_KINDS:
        return []
    told = [f"it failed with {was}, and now with {now}"] if was != now else []
    return told + _changed_lines(_text(recorded), _text(again))


def _changed_lines(was: str, now: str) -> list[str]:
    lines = list(difflib.unified_diff(_lines(was), _lines(now), n=CONTEXT, lineterm=""))[2:]
    rest = len(lines) - MAX_LINES
    return lines if rest <= 0 else [*lines[:MAX_LINES], f"… and {rest} lines more"]


def _lines(text: str) -> list[str]:
    """Take what a terminal would show: what was recorded may be just that."""
    return "\n".join(shown(text.encode("utf-8", "replace"))).strip().splitlines()


def _failure(cell: NotebookNode) -> str:
    errors = (output.evalue for output in _outputs(cell) if output.output_type == "error")
    return next(errors, "")


def _text(cell: NotebookNode) -> str:
    return "".join(_text_of(output) for output in _outputs(cell))


def _text_of(output: NotebookNode) -> str:
    if output.output_type == "stream":  # what Sandbook has to say itself is told as stderr
        return output.text if output.name == "stdout" else ""
    data: dict[str, Any] = output.get("data", {})
    return f"{data.get('text/plain', '')}\n" if "image/png" not in data else ""


def _outputs(cell: NotebookNode) -> Iterable[NotebookNode]:
    return cell.get("outputs", [])
