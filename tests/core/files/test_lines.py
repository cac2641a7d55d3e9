"""Lines in files that are too large to be kept."""

import pytest

from sandbook.files.encoding import Encoding
from sandbook.files.lines import find_line

NO_END = "\u0a41\u0100"
"""In UTF-16, the second and third byte of it look like a line end."""
LONG = "x" * 700_001


@pytest.mark.parametrize("name", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "latin-1"])
async def test_a_line_is_found_in_every_encoding(name, files):
    letters = "\xe9\x85\f" if name == "latin-1" else f"{NO_END}\u2028"
    lines = [letters, "", f"{LONG}{letters}\r", LONG, f"last{letters}"]
    data = "\n".join(lines).encode(name)
    await files.write("text", data)
    await files.write("ended", data + "\n".encode(name))

    for path in ("text", "ended"):
        places = [await find_line(files, path, number, Encoding(name)) for number in range(1, 8)]

        begins = [len("".join(f"{line}\n" for line in lines[:n]).encode(name)) for n in range(5)]
        assert places == [*begins, -5, -5]
