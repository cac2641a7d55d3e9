"""Puts a frame around what is shown: name, facts, links, pages."""

from collections.abc import Callable
from html import escape

from sandbook.rendering.paging import bytes_amount
from sandbook.rendering.safe import link_html, name_html, name_text
from sandbook.rendering.source import Part, Source, View
from sandbook.rendering.style import FRAGMENT_CSS, PAGE_CSS


def framed(source: Source, view: View, part: Part) -> str:
    """Make the output of a cell, or a whole document."""
    inner = _head(source, view, part) + _note(source, part) + part.body + _pager(view, part)
    if view.is_page:
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title_of(source))}</title><style>{PAGE_CSS}</style></head>"
            f'<body><main class="sandbook-view">{inner}</main></body></html>\n'
        )
    return f'<div class="sandbook-view"><style>{FRAGMENT_CSS}</style>{inner}</div>'


def title_of(source: Source) -> str:
    """Name the document."""
    return f"File Viewer - {name_text(source.name.rstrip('/').rpartition('/')[2] or source.name)}"


def _head(source: Source, view: View, part: Part) -> str:
    size = [] if source.type.kind == "folder" else [bytes_amount(source.full_size)]
    encoding = source.type.encoding
    named = [encoding.name.upper()] if encoding and encoding.name != "utf-8" else []
    facts = " · ".join(map(escape, [*part.facts, *size, *named]))
    saved = view.links.download or view.links.raw
    links = link_html(saved, "Download") if saved else ""
    if view.links.folder:
        links = link_html(view.links.folder, "Folder") + links
    if view.links.viewer and not view.is_page:
        links = link_html(view.links.viewer, "Open in the viewer") + links
    return (
        f'<header class="sb-head"><span class="sb-name">{name_html(source.name)}</span>'
        f'<span class="sb-facts">{facts}</span><span class="sb-links">{links}</span></header>'
    )


def _note(source: Source, part: Part) -> str:
    cut = ""
    if source.is_cut and source.data and source.type.encoding is not None:
        read, size = bytes_amount(len(source.data)), bytes_amount(source.full_size)
        cut = f"Only {read} of {size} were read, from line {source.first_line:,} on."
        if source.first_line == 1:
            cut = f"Only the first {read} of {size} were read."
    note = " ".join(filter(None, (part.note, cut)))
    return f'<p class="sb-note">{escape(note)}</p>' if note else ""


def _pager(view: View, part: Part) -> str:
    """Lead to the pages before and after, if the caller says where they are."""
    if part.pages <= 1:
        return ""
    steps = [f'<span class="sb-muted">Page {part.page:,} of {part.pages:,}</span>']
    if view.links.page is not None:
        steps = [
            _step(view.links.page, part.page - 1, "← Previous", part.pages),
            *steps,
            _step(view.links.page, part.page + 1, "Next →", part.pages),
        ]
    return f'<nav class="sb-pager">{"".join(steps)}</nav>'


def _step(address_of: Callable[[int], str], page: int, text: str, pages: int) -> str:
    return link_html(address_of(page), text) if 1 <= page <= pages else ""
