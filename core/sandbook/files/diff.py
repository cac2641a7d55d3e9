"""What an edit changed, as a unified diff. Pure."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

MAX_COMPARISONS = 4_000_000
"""Where more lines would be compared with each other, all are taken to have changed."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Change(NamedTuple):
    """Lines of the old text that others of the new text replace."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def lines_of(text: str) -> list[str]:
    r"""Split a text after each `\n`, and nowhere else."""
    return _LINE.findall(text)


def unified_diff(path: str, old: str, new: str, context: int = 0) -> str:
    """Compare two texts of a file; empty where they are the same.

    Line ends do not show, but a line where only they changed counts as changed.
    """
    before, after = lines_of(old), lines_of(new)
    if before == after:
        return ""
    shown = [f"--- {path}", f"+++ {path}"]
    for hunk in _hunks(_changes(before, after), context):
        shown.extend(_hunk(hunk, before, after, context))
    return "\n".join(line.rstrip() for line in shown)


def _changes(before: list[str], after: list[str]) -> list[Change]:
    """Compare only what lies between the first and the last difference: edits are small."""
    shortest = min(len(before), len(after))
    head = next((i for i in range(shortest) if before[i] != after[i]), shortest)
    most = shortest - head
    tail = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(old) * len(new) > MAX_COMPARISONS:
        return [Change(head, head + len(old), head, head + len(new))]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Change(i1 + head, i2 + head, j1 + head, j2 + head)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _hunks(changes: list[Change], context: int) -> list[list[Change]]:
    """Put changes together that are so near that the lines around them would touch."""
    hunks = [changes[:1]]
    for last, change in pairwise(changes):
        if change.old_start - last.old_end <= 2 * context:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return hunks


def _hunk(
    changes: list[Change], before: list[str], after: list[str], context: int
) -> Iterator[str]:
    first, last = changes[0], changes[-1]
    lead = min(context, first.old_start)
    trail = min(context, len(before) - last.old_end)
    old_range = _range(first.old_start - lead, last.old_end + trail)
    yield f"@@ -{old_range} +{_range(first.new_start - lead, last.new_end + trail)} @@"
    at = first.old_start - lead
    for change in changes:
        yield from (f" {line}" for line in before[at : change.old_start])
        yield from (f"-{line}" for line in before[change.old_start : change.old_end])
        yield from (f"+{line}" for line in after[change.new_start : change.new_end])
        at = change.old_end
    yield from (f" {line}" for line in before[at : at + trail])


def _range(start: int, end: int) -> str:
    """Name lines as `diff` does: counted from 1, and empty ones by the line before them."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
