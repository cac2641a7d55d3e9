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
    ],
)
def test_what_bash_says_to_an_interrupt_is_not_the_commands(pieces, said):
    echoes = Echoes()

    echoes.press()
    echoes.press()
    told = b"".join(map(echoes.strip, pieces)) + echoes.rest(interrupted=True)

    assert told == said
