"""What is left out of a progress bar is never missed, neither in a terminal nor in a browser."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sandbook_kernel.carriage import Screen, collapse, columns, strip_escapes

PIECES = ["a", "bc", " ", "100%", "█", "你", "é", "😀"]
RETURNS = ["\r", "\r", "\r", "\n", "\r\n"]
COLOURS = ["\x1b[31m", "\x1b[0m", "\x1b[m", "\x1b[1;32m"]
ERASURES = ["\x1b[K", "\x1b[0K", "\x1b[2K"]
MOVES = ["\t", "\x1b[A", "\b"]


def texts(*pieces, size=40):
    return st.lists(st.sampled_from([each for group in pieces for each in group]), max_size=size)


class Terminal:
    """As much of one as output needs: columns, colours, erasing, moving."""

    def __init__(self):
        self.cells = {}
        self.row = self.column = 0
        self.colour = ""

    def feed(self, text):
        for token in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.", text, re.DOTALL):
            if token.endswith("m") and len(token) > 1:
                self.colour = "" if token in {"\x1b[0m", "\x1b[m"} else self.colour + token
            elif token.endswith("K") and len(token) > 1:
                self.erase(0 if token == "\x1b[2K" else self.column)
            else:
                self.act(token)
        return self

    def act(self, token):
        match token:
            case "\r":
                self.column = 0
            case "\n":
                self.row, self.column = self.row + 1, 0
            case "\t":
                self.column += 8 - self.column % 8
            case "\b":
                self.column = max(0, self.column - 1)
            case "\x1b[A":
                self.row -= 1
            case _:
                self.write(token)

    def write(self, character):
        for _ in range(columns(character)):
            self.cells[self.row, self.column] = (character, self.colour)
            self.column += 1

    def erase(self, begin):
        for row, column in list(self.cells):
            if row == self.row and column >= begin:
                del self.cells[row, column]

    @property
    def look(self):
        return self.cells, self.row, self.column, self.colour


def browser(text):
    """What JupyterLab keeps of a stream: it counts UTF-16 units, also those of escapes."""
    data = text.encode("utf-16-le")
    screen, at = [], 0
    for unit in (
        data[i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(data), 2)
    ):
        if unit == "\r":
            at = len(screen) - screen[::-1].index("\n") if "\n" in screen else 0
        elif unit == "\n":
            screen.append("\n")
            at = len(screen)
        elif unit == "\b":
            if at and screen[at - 1] != "\n":
                at -= 1
                del screen[at]
        else:
            screen[at : at + 1] = [unit]
            at += 1
    return screen, at


@given(*[texts(PIECES, RETURNS, COLOURS, ERASURES, MOVES) for _ in range(3)])
@settings(max_examples=500)
@example(["longer"], ["\r", "a", "\r", "\x1b[K", "b", "\r", "c"], [])
@example([], ["x", "\r", "\x1b[31m", "a", "\r", "\x1b[0m", "a", "\r", "bc", "\r", "bc"], [])
def test_a_terminal_shows_the_same(before, text, after):
    before, text, after = map("".join, (before, text, after))

    assert (
        Terminal().feed(before + collapse(text) + after).look
        == Terminal().feed(before + text + after).look
    )


@given(*[texts(PIECES, RETURNS, COLOURS, MOVES) for _ in range(3)])
@settings(max_examples=500)
def test_a_browser_shows_the_same(before, text, after):
    before, text, after = map("".join, (before, text, after))

    assert browser(before + collapse(text) + after) == browser(before + text + after)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\rb", "a\rb"),
        ("a\rb\rc", "a\rb\rc"),
        ("a\r\nb\r\nc\r\nd\r\n", "a\r\nb\r\nc\r\nd\r\n"),
        ("\r 1%\r 2%\r 3%\r 4%", "\r 4%"),
        (" 1%\r 2%\r 3%\r", " 1%\r 3%\r"),
        ("\rlonger\rlo\rlo", "\rlonger\rlo"),
        ("\rlonger\rlong\r\x1b[Klo", "\r\x1b[Klo"),
        (
            "\r\x1b[32m1\x1b[0m\r\x1b[32m2\x1b[0m\r\x1b[32m3\x1b[0m\r\x1b[32m4\x1b[0m",
            "\r\x1b[32m1\x1b[0m\r\x1b[32m4\x1b[0m",
        ),
        ("\r1\r2\r3\r4\r\nnext\r\n", "\r4\r\nnext\r\n"),
        ("\ra\rb\x1b[A\rc\rd", "\ra\rb\x1b[A\rc\rd"),
    ],
)
def test_what_later_segments_cover_is_left_out(text, left):
    assert collapse(text) == left


def test_a_long_bar_becomes_short():
    bar = "".join(f"\r{step:5}/10000 |{'█' * (step // 500):20}|" for step in range(10_000))

    assert len(collapse(bar)) < 100
    assert collapse(bar).endswith("\r 9999/10000 |███████████████████ |")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (b"", 0),
        (b"ab\ncd", 5),
        (b"10%\r20%\r30%", 3),
        (b"longer\rlo", 6),
        (b"a\r\nb\r\n", 4),
        (b"1\r2\n3\r4", 3),
    ],
)
def test_the_screen_counts_what_can_be_seen(text, size):
    whole, bytewise = Screen(), Screen()

    whole.write(text)
    for at in range(len(text)):
        bytewise.write(text[at : at + 1])

    assert whole.size == bytewise.size == size


def test_escapes_are_not_for_reading():
    assert strip_escapes("\x1b[1mA\x1b[0m\x1b]0;title\x07B\x1b[?2004hC\x1b(BD") == "ABCD"
