"""The wall before every front end: what a sandbox shows is hostile. Pure.

Front ends trust what a kernel sends: JupyterLab runs the scripts in it, in its own page, where a
host terminal is one request away. So nothing leaves a kernel that could act. What is on the list
here passes, or is made harmless; everything else is refused in words, and its text stays.

Loads what it needs for HTML when there is some: most kernels never show any.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from sandbook.rendering.safe import OwnHtml

Bundle = dict[str, Any]
PLAIN, HTML = "text/plain", "text/html"
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")
"""Shown by `<img>`, in which nothing acts whatever the bytes are."""
SCRIPTS = ("application/javascript", "text/javascript", "application/x-javascript")
SVG_MAX = 4_000_000
PIXELS_MAX = 10_000
DEPTH_MAX = 100
"""Whatever handles an output later goes down into it by calling itself."""

NO_SCRIPT = (
    "JavaScript is not run in this page. Put it into HTML, <script>…</script>, and show that as "
    "text/html: it gets a frame of its own."
)
NOT_SHOWN = (
    "{} is not shown here, since a front end may run what is in it. Shown are pictures, text, "
    "JSON, Markdown and HTML; HTML with scripts gets a frame of its own."
)
NO_DOCUMENT = (
    "A PDF is not shown here: it may ask questions in this page's name, or lead the page "
    "elsewhere. Save it as a file, and look at it with %view."
)
TOO_DEEP = "This JSON is not shown: it is nested more than {} levels deep."
NOT_OF_TYPE = "What was to be shown as {} is none."
NO_FORMULA = "This LaTeX is shown as text: only plain formulas are typeset, and {} is not for one."

_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


class RefusedError(Exception):
    """This is not shown; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class Passed:
    """What may go out."""

    data: Bundle
    metadata: Bundle = field(default_factory=dict[str, Any])
    refused: tuple[str, ...] = ()
    """What is left out, and what to do instead: a sentence for each."""


def passed(data: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> Passed:
    """Let through what cannot act, and make harmless what can be."""
    found: Bundle = {}
    refused: list[str] = []
    for mime, value in data.items():
        try:
            shown = _TYPES.get(mime, _unknown)(mime, value)
        except RefusedError as error:
            refused.append(str(error))
        else:
            found = {**shown, **found} if mime != HTML else {**found, **shown}
    if not found.keys() - {PLAIN}:
        found.setdefault(PLAIN, ", ".join(data))
    return Passed(found, _sizes(found, metadata or {}), tuple(dict.fromkeys(refused)))


def inert(data: Mapping[str, Any]) -> Bundle:
    """Keep only text and pictures, of something from before there was a wall."""
    kept = {mime: data[mime] for mime in (*PICTURES, PLAIN) if mime in data}
    return passed(kept).data


def _sizes(data: Bundle, metadata: Mapping[str, Any]) -> Bundle:
    """Keep how large a picture is to be; anything else may be a switch of some front end."""
    found: Bundle = {}
    for mime in data:
        given: object = metadata.get(mime)
        if mime in PICTURES and isinstance(given, dict):
            told = cast("dict[str, object]", given)
            size = {name: told[name] for name in ("width", "height") if _is_size(told.get(name))}
            found.update({mime: size} if size else {})
    return found


def _is_size(value: object) -> bool:
    return type(value) is int and 0 < value <= PIXELS_MAX


def _text(mime: str, value: Any) -> Bundle:
    return {mime: _string(mime, value)}


def _string(mime: str, value: Any) -> str:
    if not isinstance(value, str):
        raise RefusedError(NOT_OF_TYPE.format(mime))
    return _encodable(value)


def _encodable(text: str) -> str:
    """Replace halves of characters, which cannot be sent."""
    return text.encode("utf-8", "replace").decode()


def _picture(mime: str, value: Any) -> Bundle:
    base64 = "".join(_string(mime, value).split())
    if not _BASE64.fullmatch(base64):
        raise RefusedError(NOT_OF_TYPE.format(mime))
    return {mime: base64}


def _document(_mime: str, _value: Any) -> Bundle:
    raise RefusedError(NO_DOCUMENT)


def _json(mime: str, value: Any) -> Bundle:
    return {mime: _tree(value, DEPTH_MAX)}


def _tree(value: Any, depth: int) -> Any:
    """Copy JSON, so that all of it can be sent."""
    if isinstance(value, str):
        return _encodable(value)
    if not isinstance(value, (dict, list)):
        return value
    if not depth:
        raise RefusedError(TOO_DEEP.format(DEPTH_MAX))
    if isinstance(value, list):
        return [_tree(part, depth - 1) for part in cast("list[Any]", value)]
    pairs = cast("dict[str, Any]", value).items()
    return {_encodable(name): _tree(part, depth - 1) for name, part in pairs}


def _drawing(mime: str, value: Any) -> Bundle:
    """Show a drawing as a picture. Some front ends would make it part of their page."""
    from sandbook.rendering.media import data_url  # noqa: PLC0415 -- as said above

    drawing = _string(mime, value)
    if len(drawing) > SVG_MAX:
        raise RefusedError("This drawing is too large to be shown. Save it as a picture.")
    url = data_url(mime, drawing.encode("utf-8", "replace"))
    return {HTML: OwnHtml(f'<img src="{url}" alt="" style="max-width:100%">')}


def _html(mime: str, value: Any) -> Bundle:
    if isinstance(value, OwnHtml):
        return {mime: value}
    from sandbook.rendering.foreign import foreign_html  # noqa: PLC0415 -- as said above

    return {mime: foreign_html(_string(mime, value))}


def _markdown(mime: str, value: Any) -> Bundle:
    """Render it here: each front end has its own idea of Markdown, and of what to let through."""
    from sandbook.rendering.foreign import foreign_markdown  # noqa: PLC0415 -- as said above

    return {HTML: foreign_markdown(_string(mime, value))}


def _latex(mime: str, value: Any) -> Bundle:
    from sandbook.rendering.formulas import unknown_command  # noqa: PLC0415 -- as said above

    formula = _string(mime, value)
    if (command := unknown_command(formula)) is not None:
        raise RefusedError(NO_FORMULA.format(command))
    return {mime: formula}


def _script(_mime: str, _value: Any) -> Bundle:
    raise RefusedError(NO_SCRIPT)


def _unknown(mime: str, _value: Any) -> Bundle:
    raise RefusedError(NOT_SHOWN.format(mime))


_TYPES: dict[str, Callable[[str, Any], Bundle]] = {
    PLAIN: _text,
    **dict.fromkeys(PICTURES, _picture),
    "application/pdf": _document,
    "application/json": _json,
    "image/svg+xml": _drawing,
    HTML: _html,
    "text/markdown": _markdown,
    "text/latex": _latex,
    **dict.fromkeys(SCRIPTS, _script),
}
