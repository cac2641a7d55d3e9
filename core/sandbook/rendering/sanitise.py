"""Takes everything out of foreign HTML that could act, load or look like something of ours."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from urllib.parse import unquote, urlsplit

import nh3

from sandbook.rendering.safe import is_place
from sandbook.rendering.source import Links
from sandbook.rendering.syntax import TOKEN_CLASSES

TAGS = {
    *("a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "col"),
    *("colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption"),
    *("figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li"),
    *("mark", "ol", "p", "pre", "q", "s", "samp", "small", "span", "strong", "sub", "summary"),
    *("sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var"),
}
_ATTRIBUTES = {
    "*": {"title", "dir", "lang"},
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "ol": {"start"},
    "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align", "scope"},
    "details": {"open"},
}
_CONTENT_TOO = {
    "script",
    "style",
    "title",
    "template",
    "noscript",
    "iframe",
    "object",
    "svg",
    "math",
}
"""Elements of which not even the text is wanted."""
_STYLES = {
    *("color", "background-color", "text-align", "vertical-align", "white-space", "opacity"),
    *("font-weight", "font-style", "font-size", "font-family", "text-decoration"),
    *("border", "border-collapse", "border-color", "border-style", "border-width"),
    *("border-top", "border-right", "border-bottom", "border-left"),
    *("padding", "padding-top", "padding-right", "padding-bottom", "padding-left"),
}
"""None of them lays an element over others, or loads anything."""
_SCHEMES = {"http", "https", "mailto", "data", "attachment"}
_PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp|avif|bmp|svg\+xml);base64,[A-Za-z0-9+/]*=*")


_OPENING = re.compile(r"<[a-zA-Z]")
MAX_ELEMENTS = 10_000
"""Parsers take time by the square of how deep elements are nested, and all of them may be."""
MAX_LENGTH = 100_000
"""They take it by the square of how many attributes an element has, too."""
_CUT = '<p class="sb-note">… The rest is too long to be shown like this.</p>'


def sanitised(
    html: str,
    links: Links | None = None,
    attachments: Mapping[str, str] | None = None,
    *,
    styled: bool = False,
    css_class: str = "",
) -> str:
    """Keep what shows something and drop the rest.

    Pictures come from the document itself or through our own addresses, never from elsewhere:
    whoever wrote a file should not learn that somebody looks at it.

    Args:
        attachments: Pictures that come with the document, as data URLs.
        styled: Colours and such stay, as far as they change nothing but the element itself.
        css_class: Stays on `span`; whoever wrote the document must not know it.
    """
    shown, cut = _beginning(html)
    attributes = {**_ATTRIBUTES, "*": _ATTRIBUTES["*"] | {"style"}} if styled else _ATTRIBUTES
    clean = nh3.clean(
        shown,
        tags=TAGS,
        clean_content_tags=_CONTENT_TOO,
        attributes=attributes,
        filter_style_properties=_STYLES if styled else None,
        attribute_filter=partial(_attribute, links or Links(), attachments or {}),
        url_schemes=_SCHEMES,
        allowed_classes={"span": TOKEN_CLASSES | {css_class}},
        link_rel="noopener noreferrer nofollow",
    )
    return clean + cut


def _beginning(html: str) -> tuple[str, str]:
    """Take as many elements as are parsed in no time, and say what is missing."""
    end = next(islice(_OPENING.finditer(html), MAX_ELEMENTS, None), None)
    return (html[: end.start()], _CUT) if end else (html, "")


def is_short(html: str) -> bool:
    """Tell whether all of it can be sanitised in no time."""
    return len(html) <= MAX_LENGTH and not _beginning(html)[1]


def is_picture_url(url: str) -> bool:
    """Tell whether a data URL holds a picture, which cannot act."""
    return bool(_PICTURE.fullmatch(url))


def _attribute(
    links: Links, attachments: Mapping[str, str], _tag: str, name: str, value: str
) -> str | None:
    if name == "src":
        return _source(links, attachments, value)
    if name == "href":
        return _target(links, value)
    return value


def _source(links: Links, attachments: Mapping[str, str], url: str) -> str | None:
    if is_picture_url(url):
        return url
    scheme, _, rest = url.partition(":")
    if scheme.lower() == "attachment":
        return attachments.get(rest)
    return _ours(links.raw_of, url)


def _target(links: Links, url: str) -> str | None:
    """Let links lead to the web and to files; scripts and data are no places."""
    if url.lower().startswith(("http://", "https://", "mailto:")):
        return url
    return _ours(links.view_of, url)


def _ours(address_of: Callable[[str], str] | None, url: str) -> str | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if address_of is None or parts.scheme or parts.netloc or not parts.path:
        return None
    address = address_of(unquote(parts.path))
    return address if is_place(address) else None
