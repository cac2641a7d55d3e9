"""What a terminal would show, beside pyte, a model that others trust."""

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyte.modes import LNM

from sandbook.agents.screen import HISTORY, ROWS, shown

CASES = {
    "plain": (b"a\nb\n", ["a", "b", ""]),
    "a tab": (b"a\tb\n\tc", ["a       b", "        c"]),
    "a tab among escapes": (b"\x1b[1ma\tb", ["a       b"]),
    "newlines of a terminal": (b"a\r\nb\r\n", ["a", "b", ""]),
    "progress": (b"10%\r20%\r100%\ndone\n", ["100%", "done", ""]),
    "a shorter line over a longer": (b"longer\rab", ["abnger"]),
    "erased to the end": (b"longer\rab\x1b[K", ["ab"]),
    "colours": (b"\x1b[1;31mred\x1b[0m\x1b[38;2;1;2;3mtrue\x1b[m", ["redtrue"]),
    "colours with colons": (b"\x1b[38:2::1:2:3mT\x1b[m", ["T"]),
    "a title": (b"\x1b]0;title\x07x\x1b]2;other\x1b\\y", ["xy"]),
    "a device control string": (b"\x1bP1;2q#0;2;0\x1b\\x", ["x"]),
    "an application command": (b"\x1b_Gi=1,a=T;AAAA\x1b\\x", ["x"]),
    "a link": (b"\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\", ["here"]),
    "backspace": (b"ab\bc", ["ac"]),
    "cursor up": (b"one\ntwo\x1b[1A\x1b[2Kone!", ["   one!", "two"]),
    "home and clear": (b"old\nold\n\x1b[H\x1b[2Jnew", ["new"]),
    "the whole terminal reset": (b"old\x1bcnew", ["new"]),
    "wide letters": ("日本\rX".encode(), ["X本"]),
    "combining letters": ("e\u0301\x1b[1mx".encode(), ["e\u0301x"]),
    "invalid UTF-8": (b"a\xffb", ["a\ufffdb"]),
    "NUL and bell": (b"a\0b\a", ["ab"]),
    "saved cursor": (b"\x1b7abc\x1b8X", ["Xbc"]),
    "saved cursor, twice": (b"a\x1b7bc\x1b8X\x1b8Y", ["aYc"]),
    "inserted and deleted": (b"abc\r\x1b[@X\x1b[2C\x1b[P", ["Xab"]),
    "other screen, left again": (b"main\n\x1b[?1049hvim\x1b[?1049lback", ["main", "back"]),
    "other screen, still there": (b"main\n\x1b[?1049h\x1b[Hvim", ["main", "", "vim"]),
    "a row of a region scrolls": (
        b"\x1b[1;3rA\nB\nC\nD\nE\x1b[r\x1b[4;1Hbelow",
        ["A", "B", "C", "D", "E", "below"],
    ),
    "lines inserted and deleted": (b"a\nb\nc\x1b[2A\x1b[Lx\x1b[2B\x1b[M", ["x", "a", "c"]),
    "half a sequence at the end": (b"x\x1b[3", ["x3"]),
    "an endless title": (b"x\x1b]0;never", ["x"]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_person_sees(name):
    data, lines = CASES[name]

    assert "\n".join(shown(data)).rstrip() == "\n".join(lines).rstrip()


@settings(max_examples=400)
@given(
    st.lists(
        st.one_of(
            st.text("abc XYZ", max_size=8),
            st.sampled_from(["\n", "\r", "\b", "\t", "\x1b[A", "\x1b[2B", "\x1b[3C", "\x1b[2D"]),
            st.sampled_from(["\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[H", "\x1b[2;3H"]),
            st.sampled_from(["\x1b[L", "\x1b[P", "\x1b[@", "\x1b[2X", "\x1bM", "\x1b[m"]),
            st.sampled_from(["\x1b[5G", "\x1b[4d"]),
            # For pyte, unlike terminals, a saved place can be gone back to only once.
            st.text("ab\n", max_size=3).map(lambda text: f"\x1b7{text}\x1b8"),
        ),
        max_size=40,
    )
)
def test_what_is_shown_is_what_pyte_shows(parts):
    text = "".join(parts) + "\x1b[m"  # so that the model is asked
    screen = pyte.HistoryScreen(200, ROWS, HISTORY)
    screen.set_mode(LNM)
    pyte.Stream(screen).feed(text)
    kept = ["".join(line[x].data for x in range(200)).rstrip() for line in screen.history.top]

    expected = "\n".join([*kept, *(line.rstrip() for line in screen.display)]).rstrip()
    assert "\n".join(shown(text.encode())).rstrip() == expected


@given(st.binary(max_size=200), st.binary(max_size=20))
def test_nothing_that_comes_breaks_it(data, more):
    shown(b"\x1b[" + data + b"\x1b" + more)


def test_a_hostile_program_costs_little():
    far = shown(b"\x1b[999999999C\x1b[999999999Bx\n" * 1000)

    assert max(map(len, far)) < 2000
    assert len(shown(b"\x1b[mx\n" * 50_000)) <= 2 * HISTORY + ROWS + 1
