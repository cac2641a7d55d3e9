"""The framing, with bytes cut anywhere."""

import subprocess
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbook.session.framing import (
    COUNT,
    MAX_MARK,
    Hints,
    Mark,
    MarkScanner,
    Ticket,
    quote,
    report_end,
    source_of,
    wrap,
)

NONCE = "0123456789012345678"
TICKET = Ticket(5, "42")
MARK = b"\x1b]7717;" + NONCE.encode() + b";D;7;3;himBHs;42;/tmp\x07"


def scan(pieces):
    """Feed pieces one after the other; join the output between marks."""
    scanner = MarkScanner(NONCE)
    found = []
    for piece in pieces:
        for part in filter(None, scanner.feed(piece)):
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
    found = scan(cut(before + MARK + after + b"end" + MARK, places))

    marks = [part for part in found if isinstance(part, Mark)]
    output = b"".join(part for part in found if isinstance(part, bytes))
    assert marks == [Mark("D", (b"7", b"3", b"himBHs", b"42", b"/tmp"))] * 2
    assert output == before + after + b"end"


def test_a_mark_with_another_nonce_is_output():
    foreign = b"\x1b]7717;ffffffffffffffff;D;7;0;;1;/\x07."

    assert scan([foreign]) == [foreign]


@pytest.mark.parametrize("place", range(len(MARK) - 1, len(MARK) - 20, -1))
def test_a_mark_that_was_cut_off_is_no_output_and_keeps_nothing_waiting(place):
    scanner = MarkScanner(NONCE)

    found = [*scanner.feed(MARK[:place]), *scanner.feed(b"\nmore"), *scanner.feed(MARK)]

    assert b"".join(part for part in found if isinstance(part, bytes)) == b"\nmore"
    assert [part.kind for part in found if isinstance(part, Mark)] == ["cut", "D"]


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


# What a terminal may say, in pieces that come close to marks without being whole ones.
PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [
            MARK,
            b"\x1b]7717;" + NONCE.encode() + b";M;text/plain;;aGk=\x07",
            b"\x1b]1337;File=inline=1:aGk=\x07",
            b"\x1b]1337;File=inline=1:aGk=\x1b\\",
            b"\x1b]1337;File=name",
            b"\x1b]7717;",
            b"\x1b]7717;" + NONCE.encode(),
            b"\x1b]7717;" + NONCE.encode() + b";",
            b"\x1b]0;title\x07",
            b"\x1b]",
            b"\x1b",
            b"\x1b\\",
            b"\x07",
            b"7717;",
            b"\x1b[31m",
        ]
    ),
)


def written(mark):
    """Write a mark as it came, or might have come."""
    if mark.kind == "I":
        return b"\x1b]1337;File=" + b":".join(filter(None, mark.fields))
    if mark.kind == "cut":
        return b"\x1b]7717;" + b";".join((NONCE.encode(), *mark.fields))
    return b"\x1b]7717;" + b";".join((NONCE.encode(), mark.kind.encode("latin-1"), *mark.fields))


@pytest.mark.slow
@settings(max_examples=3_000)
@given(pieces=st.lists(PIECES, max_size=12), places=st.lists(st.integers(0, 300), max_size=12))
def test_however_it_is_cut_it_reads_the_same(pieces, places):
    data = b"".join(pieces) + b"\x07."  # whatever was open has an end now

    whole = scan([data])
    assert scan(cut(data, places)) == whole
    assert scan([data[at : at + 1] for at in range(len(data))]) == whole

    # Nothing is lost: what was said is the marks and the output, in their order.
    rest = data
    for part in whole:
        said = written(part) if isinstance(part, Mark) else part
        assert rest.startswith(said)
        rest = rest[len(said) :]
        if isinstance(part, Mark) and part.kind != "cut":
            rest = rest.removeprefix(b":")  # in a picture that has nothing else
            assert rest.startswith((b"\x07", b"\x1b\\"))
            rest = rest[1:] if rest.startswith(b"\x07") else rest[2:]
    assert rest == b""

    # And a mark that follows is found, whatever came before.
    assert scan([data, MARK])[-1] == scan([MARK])[-1]


def test_a_wrapped_command_shows_the_status_of_the_one_before():
    assert wrap(b"x", TICKET, status=3).startswith(b" if __sandbook_begin 5 3 ")
    assert wrap(b"x", TICKET).startswith(b" __sandbook_begin 5 0 ")


def test_the_end_is_reported_twice_in_case_the_first_line_is_thrown_away():
    ticket = Ticket(5, "42")
    done = b'{ __sandbook_done 5 42 "$?"; } 2>/dev/null'

    assert wrap(b"x", ticket).endswith(b"; " + done + b"\n" + done + b"\n" + COUNT)
    limited = wrap(b"x", ticket, hints=Hints(limits=True))
    assert limited.endswith(b"; " + done + b"\n" + report_end(ticket) + COUNT)
    assert report_end(ticket) == done + b" || __sandbook_give_up\n" + COUNT


def test_tracing_goes_on_inside_the_next_command_only():
    assert source_of("ls", "himxBHs") == b"{ __sandbook_trace 'x' 0; } 2>/dev/null\nls"
    assert source_of("ls", "himvxB", 3) == b"{ __sandbook_trace 'vx' 3 && ((1)); } 2>/dev/null\nls"
    assert source_of("ls", "himBHs") == b"ls"
    assert source_of("set -x", "hm") == b"{ __sandbook_trace '' 0; } 2>/dev/null\nset -x"
