"""What a terminal shows in the end: bytes are played on a model of one, and read off it. Pure.

Written by hand since pyte, the usual model and the oracle of our tests, was measured at 0.15 MB/s
and shows what DCS and APC strings hold. Lines are never folded: agents read text, not screens.
"""

import re
from collections.abc import Callable

from wcwidth import wcwidth

ROWS = 40
WIDE = 1000
"""How far a program may move to the right where nothing is yet."""
HISTORY = 10_000
TAB = 8
_MOVES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|(?:\x1b\[|\x9b)(?P<mode>[<-?]?)(?P<numbers>[0-?]*)[ -/]*(?P<final>[@-~])"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x18\x1a\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b(?P<escape>[0-~])"
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
)
ALTERNATE = {47, 1047, 1049}

Line = list[str]
"""A cell each; the second half of a wide character is empty."""


def shown(data: bytes) -> list[str]:
    """Give the lines that a person would see, without blanks at their ends."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    if not _MOVES.search(text):  # then the model would only take its time
        return [line.expandtabs(TAB).rstrip() for line in text.split("\n")]
    screen = Screen()
    screen.feed(text)
    return ["".join(line).rstrip() for line in screen.lines]


class Screen:
    """Lines, of which the last ones are on the screen, and a cursor among those."""

    def __init__(self) -> None:
        self._lines: list[Line] = [[]]
        self._behind: list[Line] = []
        """What the alternate screen hides."""
        self._top = 0
        self._row = self._column = 0
        self._saved = (0, 0)
        self._region = (0, ROWS - 1)
        self._kept = (0, 0, 0)
        self._controls: dict[str, Callable[[], None]] = {
            "\n": self._new_line,
            "\x0b": self._new_line,
            "\x0c": self._new_line,
            "\x85": self._new_line,
            "\r": lambda: self._go(column=0),
            "\b": lambda: self._go(column=self._column - 1),
            "\t": lambda: self._go(column=(self._column // TAB + 1) * TAB),
        }
        self._escapes: dict[str, Callable[[], None]] = {
            "7": self._save,
            "8": self._restore,
            "D": self._index,
            "E": self._new_line,
            "M": self._reverse_index,
            "c": self._reset,
        }
        self._sequences: dict[str, Callable[[int, int], None]] = {
            "@": lambda n, _: self._insert(n or 1),
            "A": lambda n, _: self._go(self._row - (n or 1)),
            "B": lambda n, _: self._go(self._row + (n or 1)),
            "C": lambda n, _: self._go(column=self._column + (n or 1)),
            "D": lambda n, _: self._go(column=self._column - (n or 1)),
            "E": lambda n, _: self._go(self._row + (n or 1), 0),
            "F": lambda n, _: self._go(self._row - (n or 1), 0),
            "G": lambda n, _: self._go(column=n - 1),
            "H": lambda n, m: self._go(n - 1, m - 1),
            "J": lambda n, _: self._erase_screen(n),
            "K": lambda n, _: self._erase_line(n),
            "L": lambda n, _: self._insert_lines(n or 1),
            "M": lambda n, _: self._delete_lines(n or 1),
            "P": lambda n, _: self._delete(n or 1),
            "X": lambda n, _: self._blank(n or 1),
            "`": lambda n, _: self._go(column=n - 1),
            "a": lambda n, _: self._go(column=self._column + (n or 1)),
            "d": lambda n, _: self._go(n - 1),
            "e": lambda n, _: self._go(self._row + (n or 1)),
            "f": lambda n, m: self._go(n - 1, m - 1),
            "r": self._set_region,
            "s": lambda _, __: self._save(),
            "u": lambda _, __: self._restore(),
        }

    @property
    def lines(self) -> list[Line]:
        """All lines, also those that have left the screen."""
        return self._behind + self._lines

    def feed(self, text: str) -> None:
        """Play what a program has sent."""
        for token in _TOKEN.finditer(text):
            match token.lastgroup:
                case "text":
                    self._write(token["text"])
                case "final":
                    self._control_sequence(token["mode"], token["numbers"], token["final"])
                case "escape":
                    self._escapes.get(token["escape"], _nothing)()
                case "control":
                    self._controls.get(token["control"], _nothing)()
                case _:
                    pass

    def _control_sequence(self, mode: str, numbers: str, final: str) -> None:
        found = [int(number) if number.isdecimal() else 0 for number in numbers.split(";")]
        if mode == "?" and final in "hl":
            if ALTERNATE.intersection(found):
                self._switch(to_alternate=final == "h")
        elif not mode and final in self._sequences:
            self._sequences[final](found[0], found[1] if len(found) > 1 else 0)

    @property
    def _line(self) -> Line:
        """The line under the cursor."""
        at = self._top + self._row
        while len(self._lines) <= at:
            self._lines.append([])
        return self._lines[at]

    def _write(self, text: str) -> None:
        line = self._line
        if len(line) < self._column:
            line.extend(" " * (self._column - len(line)))
        cells = list(text) if text.isascii() else _cells(text)
        line[self._column : self._column + len(cells)] = cells
        self._column += len(cells)

    def _go(self, row: int | None = None, column: int | None = None) -> None:
        if row is not None:
            self._row = min(max(row, 0), ROWS - 1)
        if column is not None:
            self._column = min(max(column, 0), max(WIDE, self._column, len(self._line)))

    def _new_line(self) -> None:
        self._index()
        self._column = 0

    def _index(self) -> None:
        first, last = self._region
        if self._row != last:
            self._row = min(self._row + 1, ROWS - 1)
            _ = self._line
            return
        self._fill()
        if first == 0:  # what leaves at the top is kept
            self._lines.insert(self._top + last + 1, [])
            self._top += 1
            if self._top > HISTORY * 2:
                del self._lines[: self._top - HISTORY]
                self._top = HISTORY
        else:
            del self._lines[self._top + first]
            self._lines.insert(self._top + last, [])

    def _reverse_index(self) -> None:
        first, last = self._region
        if self._row != first:
            self._row = max(self._row - 1, 0)
            return
        self._fill()
        del self._lines[self._top + last]
        self._lines.insert(self._top + first, [])

    def _fill(self) -> None:
        """Give the screen all its lines, so that they can be moved."""
        while len(self._lines) < self._top + ROWS:
            self._lines.append([])

    def _insert_lines(self, count: int) -> None:
        first, last = self._region
        if first <= self._row <= last:
            self._fill()
            for _ in range(min(count, last - self._row + 1)):
                del self._lines[self._top + last]
                self._lines.insert(self._top + self._row, [])
            self._column = 0

    def _delete_lines(self, count: int) -> None:
        first, last = self._region
        if first <= self._row <= last:
            self._fill()
            for _ in range(min(count, last - self._row + 1)):
                del self._lines[self._top + self._row]
                self._lines.insert(self._top + last, [])
            self._column = 0

    def _insert(self, count: int) -> None:
        self._line[self._column : self._column] = [" "] * min(count, WIDE)

    def _delete(self, count: int) -> None:
        del self._line[self._column : self._column + count]

    def _blank(self, count: int) -> None:
        line = self._line
        end = min(self._column + count, len(line))
        line[self._column : end] = [" "] * max(end - self._column, 0)

    def _erase_line(self, how: int) -> None:
        line = self._line
        if how == 0:
            del line[self._column :]
        elif how == 1:
            end = min(self._column + 1, len(line))
            line[:end] = [" "] * end
        elif how == 2:  # noqa: PLR2004 -- the whole line
            line.clear()

    def _erase_screen(self, how: int) -> None:
        at = self._top + self._row
        if how == 0:
            self._erase_line(0)
            del self._lines[at + 1 :]
        elif how == 1:
            self._erase_line(1)
            for line in self._lines[self._top : at]:
                line.clear()
        elif how == 2:  # noqa: PLR2004 -- what has left it stays
            del self._lines[self._top :]
        else:
            del self._lines[: self._top]
            self._top = 0

    def _set_region(self, first: int, last: int) -> None:
        top, bottom = max(first - 1, 0), min(last or ROWS, ROWS) - 1
        if top < bottom:
            self._region = (top, bottom)
            self._go(0, 0)

    def _save(self) -> None:
        self._saved = (self._row, self._column)

    def _restore(self) -> None:
        self._row, self._column = self._saved

    def _switch(self, *, to_alternate: bool) -> None:
        if to_alternate and not self._behind:
            self._kept = (self._top, self._row, self._column)
            self._behind, self._lines = self._lines, [[]]
            self._top, self._region = 0, (0, ROWS - 1)
        elif not to_alternate and self._behind:
            self._behind, self._lines = [], self._behind
            self._top, self._row, self._column = self._kept
            self._region = (0, ROWS - 1)

    def _reset(self) -> None:
        self._switch(to_alternate=False)
        self._region = (0, ROWS - 1)
        self._erase_screen(2)
        self._go(0, 0)


def _cells(text: str) -> Line:
    """Give each letter its cells: some take two, and some go into the one before."""
    cells: Line = []
    last = -1
    for letter in text:
        width = wcwidth(letter)
        if width > 0:
            last = len(cells)
            cells += [letter, ""][:width]
        elif last >= 0:
            cells[last] += letter
    return cells


def _nothing() -> None:
    pass
