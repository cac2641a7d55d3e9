"""Shows notebooks: cells, and what they put out."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from sandbook.rendering.code import render_code
from sandbook.rendering.json_tree import Tree
from sandbook.rendering.markdown import markdown_html
from sandbook.rendering.media import data_url
from sandbook.rendering.paging import amount, page_of, shortened
from sandbook.rendering.safe import content_html
from sandbook.rendering.sanitise import sanitised
from sandbook.rendering.source import Links, Part, Source, View
from sandbook.rendering.syntax import coloured

CELLS_PER_PAGE = 100
MAX_OUTPUTS = 50
MAX_TEXT = 50_000
MAX_HTML = 400_000
MAX_CODE = 100_000
"""So much on one page is coloured."""
MAX_PAGE_TEXT = 1_000_000
OUTPUT, ERROR = "sb-output", "sb-output sb-error"

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_BASE64 = re.compile(r"[A-Za-z0-9+/]*=*")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")


class _Page:
    """Writes what is on one page, up to limits: each kind takes its own time and room."""

    def __init__(self, links: Links, language: str) -> None:
        self._links = links
        self._language = language
        self._left = {"html": MAX_HTML, "code": MAX_CODE, "text": MAX_PAGE_TEXT}
        self._tree = Tree()

    def html(self, text: str) -> str:
        """Show foreign HTML; nothing, if there was too much of it."""
        return self._framed(sanitised(text, self._links)) if self._takes("html", text) else ""

    def markdown(self, text: str, attachments: Mapping[str, str] | None = None) -> str:
        """Show Markdown; as text, if there was too much of it."""
        if not self._takes("html", text):
            return self.text(text)
        return self._framed(markdown_html(text, self._links, attachments))

    def code(self, text: str) -> str:
        """Show code, in colours if there was not too much of it."""
        return coloured(text, self._language if self._takes("code", text) else "")

    def text(self, text: str, css_class: str = OUTPUT) -> str:
        """Show text, or that there was too much of it."""
        if not text:
            return ""
        cut = shortened(_ESCAPES.sub("", text[: 2 * MAX_TEXT]), MAX_TEXT)
        if not self._takes("text", cut):
            return '<p class="sb-muted">… too long to be shown here</p>'
        return f'<pre class="{css_class}">{content_html(cut)}</pre>'

    def json(self, value: Any) -> str:
        """Show a value as a tree."""
        return self._tree.html(value)

    def _takes(self, kind: str, text: str) -> bool:
        self._left[kind] -= len(text)
        return self._left[kind] >= 0

    def _framed(self, html: str) -> str:
        return f'<div class="sb-prose sb-said">{html}</div>'


def render_notebook(source: Source, view: View) -> Part:
    """Show the cells of a notebook; what is no notebook is shown as text."""
    try:
        document = _mapping(json.loads(source.text))
        cells = [_mapping(cell) for cell in _cells(document)]
    except (ValueError, RecursionError):
        return render_code(source, view)
    if view.lines or not cells:
        return render_code(source, view)
    language = _language(document)
    part = page_of(len(cells), CELLS_PER_PAGE, view.page)
    shown = part.of(cells)
    page = _Page(view.links, language)
    body = "".join(_cell(cell, page) for cell in shown)
    plain = "\n\n".join(_text(cell.get("source")) for cell in shown)
    facts = [amount(len(cells), "cell"), *([language] if language else [])]
    return Part(body, shortened(plain), facts, "", part.pages, part.page)


def _cells(document: Mapping[str, Any]) -> list[Any]:
    """Find the cells; notebooks of version 3 keep them on worksheets."""
    sheets = [_mapping(sheet) for sheet in _list(document.get("worksheets"))]
    old = [cell for sheet in sheets for cell in _list(sheet.get("cells"))]
    return _list(document.get("cells")) or old


def _language(document: Mapping[str, Any]) -> str:
    metadata = _mapping(document.get("metadata"))
    named = _mapping(metadata.get("language_info")).get("name")
    named = named or _mapping(metadata.get("kernelspec")).get("language")
    return named if isinstance(named, str) and re.fullmatch(r"[\w+#.-]{1,40}", named) else ""


def _cell(cell: Mapping[str, Any], page: _Page) -> str:
    text = _text(cell.get("source", cell.get("input")))[:MAX_TEXT]
    kind = cell.get("cell_type")
    if kind == "markdown":
        return page.markdown(text, _attachments(cell))
    if kind != "code":
        return page.text(text, "sb-block")
    count = cell.get("execution_count")
    number = str(count) if isinstance(count, int) else " "
    outputs = _list(cell.get("outputs"))
    shown = "".join(_output(_mapping(output), page) for output in outputs[:MAX_OUTPUTS])
    more = len(outputs) - MAX_OUTPUTS
    note = f'<p class="sb-muted">… {amount(more, "more output")}</p>' if more > 0 else ""
    return (
        f'<div class="sb-cell"><div class="sb-prompt">[{number}]</div>'
        f'<pre class="sb-block">{page.code(text)}</pre></div>'
        f'<div class="sb-outputs">{shown}{note}</div>'
    )


def _output(output: Mapping[str, Any], page: _Page) -> str:
    kind = output.get("output_type")
    if kind == "stream":
        is_error = output.get("name") == "stderr"
        return page.text(_text(output.get("text")), ERROR if is_error else OUTPUT)
    if kind in {"error", "pyerr"}:
        traceback = "\n".join(map(str, _list(output.get("traceback"))))
        return page.text(traceback or f"{output.get('ename')}: {output.get('evalue')}", ERROR)
    return _rich(_mapping(output.get("data")), page)


def _rich(data: Mapping[str, Any], page: _Page) -> str:
    """Show the richest form that is safe."""
    for media_type in _PICTURES:
        if picture := _picture(media_type, data.get(media_type)):
            return picture
    if "image/svg+xml" in data:
        url = data_url("image/svg+xml", _text(data["image/svg+xml"]).encode("utf-8", "replace"))
        return f'<div class="sb-picture"><img src="{url}" alt=""></div>'
    if "text/html" in data and (html := page.html(_text(data["text/html"]))):
        return html
    if "text/markdown" in data:
        return page.markdown(_text(data["text/markdown"]))
    if "application/json" in data:
        return page.json(data["application/json"])
    return page.text(_text(data.get("text/plain", data.get("text/latex"))))


def _picture(media_type: str, base64: Any) -> str:
    url = _picture_url(media_type, base64)
    return f'<div class="sb-picture"><img src="{url}" alt=""></div>' if url else ""


def _picture_url(media_type: str, base64: Any) -> str:
    """Put a picture into an address; empty where there is none."""
    text = "".join(_text(base64).split())
    return f"data:{media_type};base64,{text}" if text and _BASE64.fullmatch(text) else ""


def _attachments(cell: Mapping[str, Any]) -> dict[str, str]:
    """Collect the pictures that a cell brings with it, as data URLs."""
    found: dict[str, str] = {}
    for name, bundle in _mapping(cell.get("attachments")).items():
        for media_type, base64 in _mapping(bundle).items():
            if media_type in _PICTURES and (url := _picture_url(media_type, base64)):
                found[name] = url
    return found


def _text(value: Any) -> str:
    """Join lines; notebooks keep text as one string or as a list of them."""
    if isinstance(value, list):
        return "".join(map(str, cast("list[Any]", value)))
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
