"""Colours code: lines of HTML with a class on each word that means something."""

import re
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from pygments import lex
from pygments.lexer import DelegatingLexer, Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.token import Token
from pygments.util import ClassNotFound

from sandbook.files.line_ends import unified
from sandbook.rendering.safe import content_html

MAX_COLOURED = 200_000
"""Longer texts stay without colours: a page of them is not worth the time."""
MIN_LINE, MAX_LINE = 500, 5_000
MAX_PLAIN = 1_000_000
"""How many characters of long lines are shown together."""
MAX_COLOURING_S = 0.5
"""Some languages look for an end that never comes, from every word on; then the colours end."""
_MONOTONOUS = re.compile(r"\s{200}|(..?)\1{200}", re.S)
"""What nobody writes by hand: some languages need years to find out where such a word ends."""

_CLASSES = (
    (Token.Comment.Preproc, "sb-meta"),
    (Token.Comment, "sb-comment"),
    (Token.Keyword.Constant, "sb-number"),
    (Token.Keyword.Type, "sb-type"),
    (Token.Keyword, "sb-keyword"),
    (Token.Literal.String, "sb-string"),
    (Token.Literal.Number, "sb-number"),
    (Token.Literal, "sb-string"),
    (Token.Operator.Word, "sb-keyword"),
    (Token.Operator, "sb-operator"),
    (Token.Name.Builtin, "sb-builtin"),
    (Token.Name.Function, "sb-function"),
    (Token.Name.Class, "sb-type"),
    (Token.Name.Tag, "sb-keyword"),
    (Token.Name.Attribute, "sb-function"),
    (Token.Name.Decorator, "sb-meta"),
    (Token.Name.Variable, "sb-variable"),
    (Token.Generic.Inserted, "sb-inserted"),
    (Token.Generic.Deleted, "sb-deleted"),
    (Token.Generic.Heading, "sb-heading"),
    (Token.Generic.Subheading, "sb-heading"),
)
TOKEN_CLASSES = {name for _, name in _CLASSES} | {"sb-hidden"}


def coloured_lines(text: str, language: str) -> list[str]:
    """Write each line of a text as HTML, coloured where the language is known."""
    if not language or len(text) > MAX_COLOURED or _has_long_line(text) or _MONOTONOUS.search(text):
        return _plain_lines(text.split("\n"))
    return list(_lines(text, language))


def coloured(text: str, language: str) -> str:
    """Write a text as HTML."""
    return "\n".join(coloured_lines(text, language))


def _has_long_line(text: str) -> bool:
    return any(len(line) > MAX_LINE for line in text.split("\n"))


def _plain_lines(lines: Sequence[str]) -> list[str]:
    """Write lines without colours; many long ones are cut shorter than one."""
    most = min(MAX_LINE, max(MIN_LINE, MAX_PLAIN // len(lines)))
    return [_plain_line(line, most) for line in lines]


def _plain_line(line: str, most: int) -> str:
    if len(line) <= most:
        return content_html(line)
    more = f'<span class="sb-muted"> … {len(line) - most:,} more characters</span>'
    return content_html(line[:most]) + more


def _lines(text: str, language: str) -> Iterator[str]:
    lexer = _lexer(language)
    if lexer is None:
        yield from map(content_html, text.split("\n"))
        return
    text = unified(text)  # as the lexer does
    line: list[str] = []
    done, latest = 0, time.thread_time() + MAX_COLOURING_S
    for token, value in lex(text, lexer):
        if time.thread_time() > latest:
            line.append(content_html(text[done:]))
            break
        done += len(value)
        css_class = _class_of(token)
        first, *others = value.split("\n")
        line.append(_word(first, css_class))
        for other in others:
            yield "".join(line)
            line = [_word(other, css_class)]
    yield from "".join(line).split("\n")


def _lexer(language: str) -> Lexer | None:
    """Find one that colours word by word; those made of two others cannot be stopped in time."""
    try:
        found = find_lexer_class_by_name(language)
    except ClassNotFound:
        return None
    return None if issubclass(found, DelegatingLexer) else found(stripnl=False, ensurenl=False)


def _word(value: str, css_class: str) -> str:
    shown = content_html(value)
    return f'<span class="{css_class}">{shown}</span>' if css_class and value.strip() else shown


@lru_cache(maxsize=512)
def _class_of(token: Any) -> str:
    return next((name for kind, name in _CLASSES if token in kind), "")
