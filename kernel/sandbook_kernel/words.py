r"""The words of a line, as bash has them: blanks between, quotes, backslashes, comments. Pure.

`$'…'` is known, too: it is how bash writes names that no other quotes could hold (`$'a\nb'`).
"""

import re
from dataclasses import dataclass

_PART = re.compile(
    r"""\$'(?P<codes>(?:[^'\\]|\\.)*)(?P<codes_end>'?)"""
    r"""|'(?P<single>[^']*)(?P<single_end>'?)"""
    r"""|"(?P<double>(?:[^"\\]|\\.)*)(?P<double_end>"?)"""
    r"""|\\(?P<escaped>.?)|(?P<plain>[^\s'"\\])""",
    re.S,
)
_BLANKS = re.compile(r"\s*")
_CODE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|.)", re.S)
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "e": "\x1b",
    "a": "\a",
    "b": "\b",
    "v": "\v",
    "f": "\f",
}
_HARMLESS = re.compile(r"[\w@%+=:,./^-]+")
_ESCAPED = re.compile(r"([^\w@%+=:,./^~-])", re.ASCII)
_DOUBLE = re.compile(r'(["\\$`])')


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line: where it begins, and what it says."""

    start: int
    text: str
    quote: str = ""
    """The quote that is still open at its end."""
    is_plain: bool = True
    """It begins without a quote, so `~` is more than a character."""


def words_of(line: str) -> list[Word]:
    """Take a line apart; where a quote is left open, the last word tells."""
    return _words_and_end(line)[0]


def comment_of(line: str) -> str:
    """Give back the comment that a line ends in: it begins with the `#` of a word."""
    return line[_words_and_end(line)[1] :]


def open_quote(line: str) -> tuple[str, int]:
    """Find the quote that is still open at the end of a line, and where its text begins."""
    for match in _PART.finditer(line):
        _, quote = _said(match)
        if quote:
            return quote, match.start() + len(quote)
    return "", len(line)


def quoted(name: str, quote: str = "") -> str:
    """Write a name so that it is one word; with the quote that somebody has begun it with."""
    raw = name.encode("utf-8", "surrogateescape")
    if not name.isprintable():
        return f"$'{_coded(raw)}'"
    if quote == "'" and "'" not in name:
        return f"'{name}'"
    if quote == '"':
        return '"' + _DOUBLE.sub(r"\\\1", name) + '"'
    return name if _HARMLESS.fullmatch(name) else _ESCAPED.sub(r"\\\1", name)


def _words_and_end(line: str) -> tuple[list[Word], int]:
    found: list[Word] = []
    at = _after_blanks(line, 0)
    while at < len(line) and line[at] != "#":
        word, at = _word(line, at)
        found.append(word)
        at = _after_blanks(line, at)
    return found, at


def _word(line: str, at: int) -> tuple[Word, int]:
    start, said, quote = at, b"", ""
    while match := _PART.match(line, at):
        if match.end() == at:
            break
        at = match.end()
        piece, quote = _said(match)
        said += piece
    text = said.decode("utf-8", "surrogateescape")
    return Word(start, text, quote, is_plain=line[start] not in "'\"\\$"), at


def _said(match: "re.Match[str]") -> tuple[bytes, str]:
    if (codes := match["codes"]) is not None:
        return _decoded(codes), "" if match["codes_end"] else "$'"
    if (single := match["single"]) is not None:
        return _bytes(single), "" if match["single_end"] else "'"
    if (double := match["double"]) is not None:
        text = re.sub(r'\\(["\\$`])', r"\1", double)
        return _bytes(text), "" if match["double_end"] else '"'
    return _bytes(match["escaped"] or match["plain"] or ""), ""


def _decoded(codes: str) -> bytes:
    r"""Read `\n`, `\x41`, `\101` and the like."""
    said, at = b"", 0
    for match in _CODE.finditer(codes):
        said += _bytes(codes[at : match.start()]) + _byte(match[1])
        at = match.end()
    return said + _bytes(codes[at:])


def _byte(code: str) -> bytes:
    if code[0] == "x" and len(code) > 1:
        return bytes([int(code[1:], 16)])
    if code[0] in "uU" and len(code) > 1:
        return _bytes(chr(min(int(code[1:], 16), 0x10FFFF)))
    if code[0] in "01234567":
        return bytes([int(code, 8) & 0xFF])
    return _bytes(_LETTERS.get(code, code))


def _coded(raw: bytes) -> str:
    """Write bytes so that `_decoded` reads them; letters beyond ASCII stay if they can be seen."""
    said = ""
    for char in raw.decode("utf-8", "surrogateescape"):
        if char in "'\\":
            said += f"\\{char}"
        elif char.isprintable():
            said += char
        else:
            said += "".join(f"\\x{byte:02x}" for byte in _bytes(char))
    return said


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _after_blanks(line: str, at: int) -> int:
    match = _BLANKS.match(line, at)
    return match.end() if match else at
