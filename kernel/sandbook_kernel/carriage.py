r"""Carriage returns in output: what progress bars overwrite need not be sent. Pure.

A line is a row of segments with a `\r` between them, each written from the first column on. A
segment that later ones cover whole may be left out: the screen looks the same. Nothing is ever
rewritten, so that this holds in a terminal, which counts columns, and in a browser, which counts
UTF-16 units and takes escape sequences for letters.
"""

import re
import unicodedata
from collections.abc import Generator
from dataclasses import dataclass
from functools import lru_cache

MANY_RETURNS = 3
"""From so many on, in one line of one window, it is a progress bar."""

ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, moving, erasing
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # OSC: titles, links
    r"|[ -/]*[0-~])"
)
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_RESET = re.compile(r"\x1b\[[0;]*m")
_ERASE = re.compile(r"\x1b\[[02]?K")
_OTHER_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_END_OF_LINE = re.compile(r"(\r?\n)")
_WHOLE_LINE = float("inf")


def strip_escapes(text: str) -> str:
    """Leave only what a person reads."""
    return ESCAPE.sub("", text)


def columns(text: str) -> int:
    """Count the columns that text without control characters takes in a terminal."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


@lru_cache(maxsize=4096)
def _columns_of(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def units(text: str) -> int:
    """Count the UTF-16 units of text, as a browser does."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def collapse(text: str) -> str:
    """Leave out what progress bars overwrite within this text; it looks the same on the screen."""
    if text.count("\r") - text.count("\r\n") < MANY_RETURNS:
        return text
    return "".join(map(_collapse_line, _END_OF_LINE.split(text)))


def _collapse_line(line: str) -> str:
    if line.count("\r") < MANY_RETURNS:
        return line
    segments = list(map(_Segment.of, line.split("\r")))
    if any(segment.unknown for segment in segments):
        return line
    return "\r".join(segment.text for segment in _visible(segments))


@dataclass(frozen=True, slots=True)
class _Segment:
    text: str
    columns: float
    units: float
    unknown: bool
    """It does more than write from the left to the right."""
    coloured: bool
    resets: bool
    """It leaves colours switched off."""

    @classmethod
    def of(cls, text: str) -> "_Segment":
        if text.isascii() and text.isprintable():
            return cls(text, len(text), len(text), unknown=False, coloured=False, resets=False)
        erases = _ERASE.search(text) is not None
        plain = _COLOUR.sub("", _ERASE.sub("", text))
        colours = _COLOUR.findall(text)
        return cls(
            text,
            columns=_WHOLE_LINE if erases else columns(plain),
            units=_WHOLE_LINE if erases else units(text),
            unknown=_OTHER_CONTROL.search(plain) is not None,
            coloured=bool(colours),
            resets=bool(colours) and _RESET.fullmatch(colours[-1]) is not None,
        )


def _visible(segments: list[_Segment]) -> list[_Segment]:
    """Keep those that later ones do not cover whole. The first stays: it may begin anywhere."""
    last = len(segments) - 1
    kept: list[_Segment] = []
    covered_columns = covered_units = -1.0
    for at, change in reversed(list(enumerate(_change_colours(segments)))):
        segment = segments[at]
        covered = segment.columns <= covered_columns and segment.units <= covered_units
        if at in {0, last} or change or not covered:
            kept.append(segment)
            covered_columns = max(covered_columns, segment.columns)
            covered_units = max(covered_units, segment.units)
    return kept[::-1]


def _change_colours(segments: list[_Segment]) -> Generator[bool, None, None]:
    """Tell of each whether what comes after it may look different without it."""
    off = False  # what was before is not known
    for segment in segments:
        yield segment.coloured and not (off and segment.resets)
        off = segment.resets if segment.coloured else off


class Screen:
    """Counts how many bytes of what was written can still be seen; progress bars take little."""

    def __init__(self) -> None:
        self._finished = 0
        self._column = 0
        self._width = 0

    @property
    def size(self) -> int:
        """Tell how much there is to see."""
        return self._finished + self._width

    @property
    def at_begin_of_line(self) -> bool:
        """Tell whether the last line is still empty."""
        return not self._width

    def write(self, data: bytes) -> None:
        """Take what goes to the screen next."""
        data = data.replace(b"\r\n", b"\n")
        if b"\r" not in data:
            finished, newline, last = data.rpartition(b"\n")
            self._write_segment(finished)
            if newline:
                self._end_line()
            self._write_segment(last)
            return
        *finished, last = data.split(b"\n")
        for line in finished:
            self._write_line(line)
            self._end_line()
        self._write_line(last)

    def _end_line(self) -> None:
        self._finished += self._width + 1
        self._column = self._width = 0

    def _write_line(self, line: bytes) -> None:
        first, *others = line.split(b"\r")
        self._write_segment(first)
        for segment in others:
            self._column = 0
            self._write_segment(segment)

    def _write_segment(self, segment: bytes) -> None:
        self._column += len(segment)
        self._width = max(self._width, self._column)
