"""What a terminal repeats is taken away, and nothing else is."""

import pytest

from sandbook.session.echoes import Echoes


@pytest.mark.parametrize(
    ("typed", "pieces", "said"),
    [
        (b"bob\n", [b"bob\n", b"<bob>\n"], b"<bob>\n"),
        (b"bob\n", [b"bo", b"b\n<bob>\n"], b"<bob>\n"),
        (b"bob\n", [b"bob\r\n<bob>\n"], b"<bob>\n"),
        (b"bob\n", [b"noise bob\n<bob>\n"], b"noise <bob>\n"),
        (b"y", [b"y", b"got y\n"], b"got y\n"),
        (b"y\n", [b"no echo\n", b"got y\n"], b"no echo\ngot y\n"),
    ],
)
def test_an_echo_is_taken_away_once_and_in_its_turn(typed, pieces, said):
    echoes = Echoes()

    echoes.expect(typed)

    assert b"".join(map(echoes.strip, pieces)) == said


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([b"a\n\x03\n"], b"a\n"),
        ([b"a\n\x03", b"\n", b"\x03\n"], b"a\n"),
        ([b"\x03\n\x03\n"], b""),
        ([b"\n\x03"], b""),  # the echo came later than bash's line
        ([b"\n", b"\x03"], b""),
        ([b"\n"], b""),
        ([b"a\n\n\x03"], b"a\n"),
        ([b"a\n", b"\n", b"\x03"], b"a\n"),
        ([b"a\n\n\x03\n\x03"], b"a\n"),
        ([b"a\x03\n"], b"a"),
        ([b"a\n\x03"], b"a\n"),
        ([b"\n\n\n\x03\n", b"\x03\n"], b"\n\n\n"),
        ([b"a\n\x03\n", b"b\n"], b"a\n\nb\n"),
    ],
)
def test_what_bash_says_to_an_interrupt_is_not_the_commands(pieces, said):
    echoes = Echoes()

    for _ in range(max(1, b"".join(pieces).count(b"\x03"))):
        echoes.press()
    told = b"".join(map(echoes.strip, pieces)) + echoes.rest(interrupted=True)

    assert told == said


@pytest.mark.parametrize("pieces", [[b"a\n\n"], [b"a\n", b"\n"], [b"\n"], [b"a\n\x03\n"]])
def test_a_command_that_was_not_interrupted_keeps_its_empty_lines(pieces):
    echoes = Echoes()

    echoes.press()
    told = b"".join(map(echoes.strip, pieces)) + echoes.rest(interrupted=False)

    assert told == b"".join(pieces).replace(b"\x03", b"")


def test_an_interrupt_that_was_not_asked_for_is_output():
    assert Echoes().strip(b"a\x03\n\n") == b"a\x03\n\n"


@pytest.mark.parametrize("pieces", [[b"\x03\n"], [b"\n\x03"], [b"\n", b"\x03"], [b"\x03", b"\n"]])
def test_a_late_interrupt_says_nothing(pieces):
    echoes = Echoes()

    echoes.press()
    echoes.clear()

    assert b"".join(map(echoes.strip_idle, pieces)) == b""
