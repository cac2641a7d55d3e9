"""Magics that bash would get: below other code, or mistyped. Bash takes their names for jobs."""

import re
from difflib import get_close_matches

from sandbook.errors import InvalidActionError
from sandbook.observations import Output
from sandbook.session.syntax import LARGE, parse
from sandbook_kernel.magics import MAGICS

TOP = "Magics stand at the top of a cell, each at the beginning of a line, and bash below them."
LIST = "%lsmagic lists the magics."
MOST = 20
"""So many names of one cell are listened for."""

_LINE = re.compile(r"^[ \t]*(?P<magic>(?P<sign>%%?)(?P<name>[A-Za-z]\w*))(?=[ \t]|$)", re.MULTILINE)
_LONGEST = 200


def refuse_misplaced(code: str) -> None:
    """Refuse a `%%name` that bash would run: what stands below it is no bash.

    `%name` may be a job, which only the shell knows. A `%%name` in a here-document is text.

    Raises:
        InvalidActionError: There is one.
    """
    for found in _LINE.finditer(code):
        if found["sign"] == "%%" and _is_command(code, found.start("magic"), found.end()):
            raise InvalidActionError(f"{_hint(found['magic'], found['name'])} Nothing was run.")


def _is_command(code: str, start: int, end: int) -> bool:
    if end > LARGE:
        return False
    before, source = code[:start].encode("utf-8", "replace"), code[:end].encode("utf-8", "replace")
    tree = parse(source)
    word = tree.descendant_for_byte_range(len(before), len(source))
    place: list[str] = []
    while word is not None:
        place.append(word.type)
        word = word.parent
    return not tree.has_error and place == ["word", "command_name", "command", "program"]


class Misread:
    """Listens to what bash says of the `%name` at the beginning of lines of a cell."""

    def __init__(self, code: str) -> None:
        names = {found["magic"]: found["name"] for found in _LINE.finditer(code)}
        self._names = dict(list(names.items())[:MOST])
        self._last = b""
        self.hints: list[str] = []
        """What to say of those that name no job."""

    def hear(self, part: Output) -> None:
        """Take a piece of output, cut anywhere."""
        if not self._names or not isinstance(part, bytes):
            return
        data = self._last + part
        self._last = data[-_LONGEST:]
        for magic, name in list(self._names.items()):
            if f"g: {magic}: no such job".encode() in data:
                del self._names[magic]
                self.hints.append(_hint(magic, name))


def _hint(magic: str, name: str) -> str:
    if name in MAGICS:
        return f"{magic} is a magic. {TOP}"
    sign = magic.removesuffix(name)
    close = get_close_matches(name.lower(), MAGICS, n=1)
    meant = f" Did you mean {sign}{close[0]}?" if close else ""
    unknown = "There is neither a job nor a magic" if sign == "%" else "There is no magic"
    return f"{unknown} {magic}.{meant} {LIST}"
