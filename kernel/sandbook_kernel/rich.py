"""Turns bytes that a program shows into something for the front end. Pure."""

import json
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Any

from sandbook.errors import InvalidActionError
from sandbook_kernel.display import Display, amount
from sandbook_kernel.pictures import size_of, type_of

AUTO = "auto"
CELL_PIXELS = {"width": 8, "height": 17}
"""What a character cell of a terminal takes here, about."""
PLAIN_LENGTH = 2000
HEAD_LENGTH = 4096

_NAME = re.compile(r"[\w.+-]+/[\w.+-]+")
_COMMENTS = r"(<!--(?:(?!-->).)*-->\s*)*"
"""A comment ends where its first `-->` is: if it could go on, many would take years to match."""
_SVG = re.compile(
    rf"\s*(<\?xml[^>]*>\s*)?{_COMMENTS}(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]",
    re.S,
)
_HTML = re.compile(
    rf"\s*{_COMMENTS}<(!doctype html|html|head|body|div|table|p|h[1-6]|ul|ol|pre)\b[^>]*>",
    re.S | re.I,
)
_TEXT = re.compile(r"text/.*|image/svg\+xml|application/(javascript|xml|x-latex)")
_READABLE = {"text/plain", "text/markdown", "text/latex"}
"""What reads well as it is, also where it cannot be rendered."""


def display_from(mime: str, data: bytes) -> Display:
    """Show data of a MIME type, or of the one it looks like (`auto`).

    Raises:
        InvalidActionError: The type is none, or the data is not of it.
    """
    mime = sniff(data) if mime == AUTO else mime
    if not _NAME.fullmatch(mime):
        raise InvalidActionError(
            f"{mime!r} is no MIME type. Write for example image/png, text/html, or auto."
        )
    if mime == "application/json" or mime.endswith("+json"):
        return _json(mime, data)
    if _TEXT.fullmatch(mime):
        return _text(mime, data)
    metadata = dict(zip(("width", "height"), size_of(data), strict=False))
    return Display(
        {mime: b64encode(data).decode(), "text/plain": _about(mime, data)},
        {mime: metadata} if metadata else {},
    )


def sniff(data: bytes) -> str:
    """Tell what data looks like. Markdown looks like any text, so it must be named."""
    if picture := type_of(data):
        return picture
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    head = text[:HEAD_LENGTH]
    if _SVG.match(head):
        return "image/svg+xml"
    if _HTML.match(head):
        return "text/html"
    if text.lstrip()[:1] in {"{", "["} and _is_json(text):
        return "application/json"
    return "text/plain"


def iterm_image(arguments: bytes, base64: bytes) -> Display | None:
    """Show what a program sent as an iTerm2 inline image; None if it is no such thing.

    Arguments are as in `File=name=...;width=...;inline=1`, with or without the first word.
    """
    given = _arguments(arguments)
    if given.get("inline") != "1":
        return None
    try:
        data = b64decode(base64)
    except Base64Error:
        return None
    mime = type_of(data) or sniff(data)
    if not mime.startswith(("image/", "application/pdf")):
        return None
    shown = display_from(mime, data)
    name = _file_name(given.get("name", ""))
    plain = f"{name}: {_about(mime, data)}" if name else _about(mime, data)
    size = _size_wanted(given, size_of(data))
    return Display({**shown.data, "text/plain": plain}, {mime: size} if size else shown.metadata)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json(mime: str, data: bytes) -> Display:
    try:
        content: Any = json.loads(data)
        plain = json.dumps(content, ensure_ascii=False, indent=2)
    except (ValueError, RecursionError) as error:
        raise InvalidActionError(f"What was to be shown as {mime} is no JSON: {error}.") from None
    return Display({mime: content, "text/plain": _shortened(plain)})


def _text(mime: str, data: bytes) -> Display:
    text = data.decode("utf-8", "replace")
    if mime == "text/plain":
        return Display({mime: text.removesuffix("\n")})
    plain = _shortened(text.removesuffix("\n")) if mime in _READABLE else _about(mime, data)
    return Display({mime: text, "text/plain": plain})


def _shortened(text: str) -> str:
    return text if len(text) <= PLAIN_LENGTH else f"{text[:PLAIN_LENGTH]}…"


def _about(mime: str, data: bytes) -> str:
    size = size_of(data)
    pixels = [f"{size[0]}×{size[1]}"] if size else []  # noqa: RUF001 -- times, not x
    return ", ".join([mime, *pixels, amount(len(data))])


def _arguments(given: bytes) -> dict[str, str]:
    text = given.decode("utf-8", "replace").removeprefix("File=")
    return {
        name.strip().lower(): value.strip()
        for name, equals, value in (part.partition("=") for part in text.split(";"))
        if equals
    }


def _file_name(base64: str) -> str:
    try:
        name = b64decode(base64, validate=True).decode()
    except ValueError:
        return ""
    return "".join(filter(str.isprintable, name))


def _size_wanted(given: dict[str, str], real: tuple[int, int] | tuple[()]) -> dict[str, int]:
    """Tell the pixels that were asked for; a share of the window cannot be told in pixels."""
    wanted = {
        name: pixels
        for name in ("width", "height")
        if (pixels := _pixels(given.get(name, ""), CELL_PIXELS[name]))
    }
    if (
        len(wanted) < len(CELL_PIXELS)
        or not real
        or 0 in real
        or given.get("preserveaspectratio") == "0"
    ):
        return wanted
    scale = min(wanted["width"] / real[0], wanted["height"] / real[1])
    return {"width": max(1, round(real[0] * scale)), "height": max(1, round(real[1] * scale))}


def _pixels(value: str, cell: int) -> int:
    match = re.fullmatch(r"(\d{1,5})(px)?", value)
    if match is None:
        return 0
    return int(match[1]) * (1 if match[2] else cell)
