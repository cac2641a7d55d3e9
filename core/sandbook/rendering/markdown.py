"""Shows Markdown and HTML, without anything in them that could act."""

import re
from collections.abc import Iterator, Mapping
from html import escape

from markdown_it import MarkdownIt

from sandbook.files.line_ends import unified
from sandbook.rendering.code import render_code
from sandbook.rendering.paging import page_of, shortened
from sandbook.rendering.sanitise import sanitised
from sandbook.rendering.source import Links, Part, Source, View
from sandbook.rendering.syntax import coloured

PAGE_LENGTH = 60_000

ALIGNED = re.compile(r'style="text-align:(left|right|center)"')
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.*?\r?\n---[ \t]*(?:\r?\n|\Z)", re.S)
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")


def _highlight(code: str, language: str, _attributes: str) -> str:
    named = language if _LANGUAGE.fullmatch(language) else ""
    return f"<pre><code>{coloured(code, named)}</code></pre>"


_PARSER = MarkdownIt("commonmark", {"html": True, "highlight": _highlight})
_PARSER.enable(["table", "strikethrough"])


def markdown_html(
    text: str, links: Links | None = None, attachments: Mapping[str, str] | None = None
) -> str:
    """Turn Markdown into HTML that is safe."""
    html = _PARSER.render(_FRONT_MATTER.sub("", text, count=1))
    return sanitised(ALIGNED.sub(r'align="\1"', html), links, attachments)


def render_markdown(source: Source, view: View) -> Part:
    """Show Markdown as it is meant; lines that were asked for are shown as they are written."""
    if view.lines:
        return render_code(source, view)
    pages = list(_pages(unified(source.text)))
    part = page_of(len(pages), 1, view.page)
    text = pages[part.page - 1]
    body = f'<article class="sb-prose">{markdown_html(text, view.links)}</article>'
    plain = shortened(text.removesuffix("\n"))
    return Part(body, plain, pages=part.pages, page=part.page)


def _pages(text: str) -> Iterator[str]:
    """Cut a long text between two paragraphs."""
    at = 0
    while len(text) - at > PAGE_LENGTH:
        end = text.rfind("\n\n", at + 1, at + PAGE_LENGTH)
        end = end + 2 if end > 0 else at + PAGE_LENGTH
        yield text[at:end]
        at = end
    yield text[at:]


def render_html(source: Source, view: View) -> Part:
    """Show what a page says, and below it how it is written."""
    code = render_code(source, view)
    if view.lines or view.page > 1:
        return code
    said = sanitised(source.text, view.links).strip()
    body = (
        f'<article class="sb-prose">{said or "<p>There is no text on this page.</p>"}</article>'
        f"<details><summary>{escape('How it is written')}</summary>{code.body}</details>"
    )
    note = "Scripts, styles and what would be loaded from elsewhere are left out."
    return Part(body, code.plain, code.facts, note, code.pages, code.page)
