"""Lines that say how far a part is, on the terminal and apart from the results."""

import sys
from collections.abc import Iterator

LINES_WITHOUT_TERMINAL = 5


def rounds(name: str, count: int) -> Iterator[int]:
    """Count to `count`, and say so: in place on a terminal, now and then elsewhere."""
    on_terminal = sys.stderr.isatty()
    every = 1 if on_terminal else max(1, count // LINES_WITHOUT_TERMINAL)
    for number in range(count):
        if number % every == 0:
            _say(f"  {name}: round {number + 1} of {count}", in_place=on_terminal)
        yield number
    if on_terminal:
        _say("", in_place=True)  # the table comes here


def say(line: str) -> None:
    """Say what happens now."""
    _say(f"  {line}", in_place=sys.stderr.isatty())


def _say(line: str, *, in_place: bool) -> None:
    text = f"\r\x1b[K{line}" if in_place else f"{line}\n"
    print(text, end="", file=sys.stderr, flush=True)
