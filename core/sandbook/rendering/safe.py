"""Makes text harmless before it becomes part of HTML. Pure."""

import re
import unicodedata
from html import escape
from urllib.parse import urlsplit

JOINER = "\u200d"
NO_COLOUR = "\x1b[0m"
NO_FORMULAS = "mathjax_ignore tex2jax_ignore"
"""Classes: front ends look for formulas in all that is shown, and formulas may link and style."""
BYTES_BEGIN, BYTES_END = 0xDC80, 0xDCFF
"""What stands for bytes that are no UTF-8 in names."""

_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that are not seen but change what is: controls, and marks that turn text around."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_STYLE = r"(?:0?[0-4]|2[234]|39|3[0-7]|9[0-7])"
_COLOUR = re.compile(rf"(\x1b\[(?:{_STYLE}(?:;{_STYLE})*)?m)", re.ASCII)
"""Colours of letters, and how strong they are. Neither backgrounds nor what conceals letters."""
_NO_ADDRESS = re.compile(r"[\x00-\x20\x7f-\x9f]")
_SPACE = 0x20
_LETTERS = 0x40
"""Terminals write a control character with the letter that stands so much further on."""


class OwnHtml(str):
    """HTML that we have written or made harmless. All other is hostile.

    Whatever is done to such a text gives an ordinary one, so that a mistake is a page sanitised
    once too often.
    """

    __slots__ = ()


def name_text(name: str) -> str:
    """Write a name on one line, so that nothing in it is hidden; not escaped yet."""
    return "".join(
        char if _is_plain(char, before) else _code(char)
        for before, char in zip(f" {name}", name, strict=False)
    )


def name_html(name: str) -> str:
    """Write a name as HTML, apart from the direction of what is around it."""
    return f"<bdi>{escape(name_text(name))}</bdi>"


def content_html(text: str) -> str:
    """Write text as HTML, with what is hidden in it made visible."""
    return _HIDDEN.sub(_mark, escape(text))


def content_text(text: str) -> str:
    """Write text so that it does nothing to a terminal but stand there."""
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def terminal_text(text: str) -> str:
    """Write text for a terminal: it may be coloured, and does nothing else to it."""
    pieces = _COLOUR.split(text.replace("\r\n", "\n"))
    shown = [_HIDDEN.sub(lambda match: _code(match[0]), piece) for piece in pieces[::2]]
    colours = [*pieces[1::2], NO_COLOUR if len(pieces) > 1 else ""]
    return "".join(piece + colour for piece, colour in zip(shown, colours, strict=True))


def is_place(url: str) -> bool:
    """Tell whether an address leads to a file or to the web, and not to a script or to data."""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        return False
    is_ours = not url.startswith(("//", "/\\", "\\")) and not _NO_ADDRESS.search(url)
    return scheme in {"", "http", "https"} and is_ours


def url_html(url: str) -> str:
    """Write an address for an attribute; empty unless it is a place."""
    return escape(url) if is_place(url) else ""


def link_html(url: str, inner: str, css_class: str = "") -> str:
    """Link HTML to an address; where that is none of ours, show it without a link."""
    target = url_html(url)
    classes = f' class="{css_class}"' if css_class else ""
    return f'<a href="{target}"{classes}>{inner}</a>' if target else inner


def _is_plain(char: str, before: str) -> bool:
    if char == JOINER:  # holds an emoji together; elsewhere it would hide
        return unicodedata.category(before) in {"So", "Sk", "Mn"}
    return char.isprintable()


def _code(char: str) -> str:
    point = ord(char)
    if BYTES_BEGIN <= point <= BYTES_END:
        return f"\\x{point - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()


def _mark(match: "re.Match[str]") -> str:
    point = ord(match[0])
    shown = f"^{chr(point + _LETTERS)}" if point < _SPACE else f"U+{point:04X}"
    return f'<span class="sb-hidden">{shown}</span>'
