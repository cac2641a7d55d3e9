import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbook_kernel.words import comment_of, quoted, words_of

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


def texts(line):
    return [word.text for word in words_of(line)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("  a  b ", ["a", "b"]),
        (r"two\ words", ["two words"]),
        ("'it'\\''s' \"a \\\"b\\\"\"", ["it's", 'a "b"']),
        (r"$'a\nb\t\x41\101é'", ["a\nb\tAAé"]),
        (r"$'\xff'", ["\udcff"]),
        ("''", [""]),
        ("a'b'\"c\"$'d'", ["abcd"]),
        ("$HOME 5$", ["$HOME", "5$"]),
        ("a#b c#  # 'd", ["a#b", "c#"]),
        (r"\#a '#b' $'#c' ''#d", ["#a", "#b", "#c", "#d"]),
        ("#a b", []),
    ],
)
def test_a_line_is_taken_apart_as_bash_does(line, words):
    assert texts(line) == words


@pytest.mark.parametrize(
    ("line", "quote"), [("a 'b", "'"), ('"a b', '"'), ("$'a", "$'"), ("a", "")]
)
def test_a_quote_that_is_left_open_is_told(line, quote):
    assert words_of(line)[-1].quote == quote


@pytest.mark.parametrize(
    ("line", "comment"), [("a  # it's b", "# it's b"), ("#", "#"), ("a#b '# c'", ""), ("", "")]
)
def test_a_comment_begins_where_a_word_would(line, comment):
    assert comment_of(line) == comment


@given(NAMES)
def test_a_quoted_name_is_the_same_name_again(name):
    for quote in ("", "'", '"'):
        assert texts(f"x {quoted(name, quote)} y") == ["x", name, "y"]


@given(st.lists(NAMES))
def test_words_that_python_quotes_are_the_same(names):
    assert texts(shlex.join(names)) == names


@pytest.mark.parametrize("name", ["a b", "it's", "a\nb", "$x `y` !z", "é\x1b[0m", "#", "*?[]{}"])
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_bash_reads_a_quoted_name_as_we_do(name, quote):
    command = ["bash", "-c", f"printf %s {quoted(name, quote)}"]

    assert subprocess.run(command, capture_output=True, check=True).stdout.decode() == name
