r"""Keeps the line ends of a file while people and agents only ever write `\n`. Pure."""

import re

_END = re.compile(r"\r?\n")
_WINDOWS_END = re.compile(r"\r\n")


def unified(text: str) -> str:
    r"""Write every line end as `\n`."""
    return text.replace("\r\n", "\n")


def dominant_end(text: str) -> str:
    r"""Tell how most lines of a text end."""
    windows = text.count("\r\n")
    return "\r\n" if windows and windows * 2 >= text.count("\n") else "\n"


def splice(text: str, start: int, end: int, new: str) -> str:
    """Put something in the place of a part of a text, with the line ends that are used there.

    The positions count each line end as one character, as in the unified text.
    """
    if "\r\n" not in text:
        return text[:start] + new + text[end:]
    first, last = _real_position(text, start), _real_position(text, end)
    found: list[str] = _END.findall(text, first, last)
    usual = found[-1] if found else dominant_end(text)
    lines = unified(new).split("\n")
    ends = [*found, *[usual] * len(lines)][: len(lines) - 1]
    placed = "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))
    return text[:first] + placed + text[last:]


def _real_position(text: str, position: int) -> int:
    before = 0
    for match in _WINDOWS_END.finditer(text):
        if match.start() - before >= position:
            break
        before += 1
    return position + before
