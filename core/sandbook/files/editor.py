r"""Edits texts and says what it did, in the words that agents are used to. Pure.

Nothing here reads or writes: callers bring what a file holds and keep what comes back. Texts are
decoded, with the line ends that the file has; what is shown has only `\n`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sandbook.errors import EditError
from sandbook.files import editor_texts as texts
from sandbook.files.diff import lines_of, unified_diff
from sandbook.files.history import History
from sandbook.files.line_ends import dominant_end, splice, unified

CONTEXT = 4
"""How many lines are shown around an edit."""
TO_THE_END = -1


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that is to be written down."""

    content: str
    """What the agent is told."""
    text: str
    """What the file holds from now on."""
    diff: str
    before: str
    """What it held until now; goes to the history once the edit is written."""


def view(path: str, text: str, view_range: object = None) -> str:
    """Show a file with line numbers, or those of its lines that were asked for.

    Raises:
        EditError: The range is none of this file.
    """
    shown = unified(text)
    if not view_range:
        return texts.numbered(shown, path)
    lines = lines_of(shown)
    first, last = _checked_range(view_range, len(lines))
    note = ""
    if last > len(lines):
        last = len(lines)
        note = texts.only_so_many_lines(last)
    chosen = "".join(lines[first - 1 : last]).removesuffix("\n")
    return note + texts.numbered(chosen, path, first)


def create(path: str, file_text: str | None) -> Edit:
    """Make a new file; that there is none yet is for the caller to check.

    Raises:
        EditError: There is nothing to write.
    """
    if file_text is None:
        raise texts.missing_parameter("file_text", "create")
    diff = unified_diff(path, "", file_text)
    # The first undo after a `create` changes nothing, so what comes before is the text itself.
    return Edit(texts.created(path), file_text, diff, before=file_text)


def str_replace(path: str, text: str, old_str: str | None, new_str: str | None) -> Edit:
    """Replace the only place where `old_str` stands; without `new_str` it goes.

    Raises:
        EditError: It stands nowhere, or in several places, or nothing would change.
    """
    if old_str is None:
        raise texts.missing_parameter("old_str", "str_replace")
    if old_str == new_str:
        raise texts.nothing_to_replace(old_str)
    shown = unified(text)
    wanted, new = _as_in(text, old_str), _as_in(text, new_str or "")
    places = _places(shown, wanted)
    if not places:
        wanted, new = wanted.strip(), new.strip()
        places = _places(shown, wanted)
    if not places:
        raise EditError(texts.not_found(wanted, path))
    lines = _lines_at(shown, places)
    if len(places) > 1:
        raise EditError(texts.found_often(wanted, lines))
    edited = splice(text, places[0], places[0] + len(wanted), new)
    line = lines[0]
    block = _snippet(edited, line - CONTEXT, line + CONTEXT + new.count("\n"))
    content = texts.replaced(path, block, max(1, line - CONTEXT + 1))
    return Edit(content, edited, unified_diff(path, text, edited), before=text)


def insert(path: str, text: str, insert_line: object, new_str: str | None) -> Edit:
    """Insert whole lines behind a line; 0 is before the first.

    Raises:
        EditError: There is no such line, or nothing to insert.
    """
    line = line_number(insert_line)
    if line is None:
        raise texts.missing_parameter("insert_line", "insert")
    if new_str is None:
        raise texts.missing_parameter("new_str", "insert")
    lines = lines_of(text)
    if not 0 <= line <= len(lines):
        raise texts.line_out_of_range(line, len(lines))
    end = dominant_end(text)
    added = _as_in(text, new_str).split("\n")
    if line and not lines[line - 1].endswith("\n"):
        lines[line - 1] += end
    edited = "".join([*lines[:line], *(new + end for new in added), *lines[line:]])
    block = _snippet(edited, line - CONTEXT, line + CONTEXT + len(added))
    content = texts.inserted(path, block, max(1, line - CONTEXT + 1))
    return Edit(content, edited, unified_diff(path, text, edited), before=text)


def undo(path: str, text: str, history: History) -> Edit:
    """Take the last edit of a file back out of the history; write it, but push nothing.

    Raises:
        EditError: No edit is known.
    """
    earlier = history.pop(path)
    if earlier is None:
        raise EditError(texts.no_history(path))
    content = texts.undone(path, unified(earlier))
    return Edit(content, earlier, unified_diff(path, text, earlier), before=text)


def line_number(value: object) -> int | None:
    """Read a line number that may come as a string.

    Raises:
        EditError: It is no number. This comes before any other complaint.
    """
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    try:
        return int(str(value))
    except ValueError:
        raise EditError(texts.no_line_number(value)) from None


def _as_in(text: str, given: str) -> str:
    """Take line ends for what they mean, unless the file makes no difference between them."""
    return unified(given) if "\r\n" in text else given


def _places(text: str, wanted: str) -> list[int]:
    """Find all places that do not overlap; an empty string stands in every line, and at the end."""
    if not wanted:
        return sorted({0, *(end.end() for end in re.finditer("\n", text)), len(text)})
    places: list[int] = []
    at = text.find(wanted)
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + len(wanted))
    return places


def _lines_at(text: str, places: Sequence[int]) -> list[int]:
    """Count the lines in which places are, which come in order."""
    lines: list[int] = []
    line, at = 1, 0
    for place in places:
        line += text.count("\n", at, place)
        at = place
        if line not in lines[-1:]:
            lines.append(line)
    return lines


def _snippet(text: str, start: int, end: int) -> str:
    return "".join(lines_of(unified(text))[max(0, start) : end])


def _checked_range(view_range: object, total: int) -> tuple[int, int]:
    if not isinstance(view_range, (list, tuple)):
        raise texts.bad_range(view_range, texts.NO_RANGE)
    lines = cast("Sequence[object]", view_range)
    match lines:
        case [int(first), int(last)]:
            pass
        case _:
            raise texts.bad_range(lines, texts.NO_RANGE)
    if not 1 <= first <= total:
        raise texts.bad_range(lines, texts.starts_outside(first, total))
    if last == TO_THE_END:
        return first, total
    if last < first:
        raise texts.bad_range(lines, texts.ends_before_start(first, last))
    return first, last
