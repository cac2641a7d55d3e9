"""The framing, with bytes cut anywhere."""

import subprocess
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbook.session.framing import MAX_MARK, Mark, MarkScanner, quote, wrap

NONCE = "0123456789abcdef"
MARK = b"\x1b]7717;" + NONCE.encode() + b";D;7;3;himBHs;42;/tmp\x07"


def scan(pieces):
    """Feed pieces one after the other; join the output between marks."""
    scanner = MarkScanner(NONCE)
    found = []
    for piece in pieces:
        for part in scanner.feed(piece):
            if isinstance(part, bytes) and found and isinstance(found[-1], bytes):
                found[-1] += part
            else:
                found.append(part)
    return found


def cut(data, places):
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize("place", range(len(MARK) + 4))
def test_a_mark_is_found_wherever_it_is_cut(place):
    data = b"ab" + MARK + b"cd"

    found = scan([data[:place], data[place:]])

    assert found == [b"ab", Mark("D", (b"7", b"3", b"himBHs", b"42", b"/tmp")), b"cd"]


@given(
    before=st.binary(max_size=200),
    after=st.binary(max_size=200),
    places=st.lists(st.integers(0, 500), max_size=12),
)
def test_output_around_a_mark_is_exact(before, after, places):
    found = scan(cut(before + MARK + after + b"end", places))

    marks = [part for part in found if isinstance(part, Mark)]
    output = b"".join(part for part in found if isinstance(part, bytes))
    assert marks == [Mark("D", (b"7", b"3", b"himBHs", b"42", b"/tmp"))]
    assert output == before + after + b"end"


def test_a_mark_with_another_nonce_is_output():
    foreign = b"\x1b]7717;ffffffffffffffff;D;7;0;;1;/\x07."

    assert scan([foreign]) == [foreign]


def test_a_mark_that_never_ends_becomes_output_before_it_eats_the_memory():
    endless = b"\x1b]7717;" + NONCE.encode() + b";M;" + b"x" * (MAX_MARK + 1)

    assert sum(len(part) for part in scan([endless])) == len(endless)


@given(st.binary(max_size=300).filter(lambda data: b"\0" not in data))
def test_a_quoted_word_is_one_line(data):
    assert b"\n" not in quote(data)


@pytest.mark.parametrize(
    "text",
    ["plain", "it's", "tab\tand\nnewline", "back\\slash \\n", "$x `id` !!", "é ☃ 😀", "\r\x7f"],
)
def test_bash_reads_back_what_was_quoted(text):
    command = b"printf %s " + quote(text.encode())

    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)

    assert done.stdout.decode() == text


def test_a_wrapped_command_shows_the_status_of_the_one_before():
    assert wrap("echo $?", number=5, status=3).startswith(b" if __sandbook_status 3;")


def test_tracing_goes_on_inside_the_next_command_only():
    assert b"eval $'set -x; ls'" in wrap("ls", number=1, flags="himxBHs")
