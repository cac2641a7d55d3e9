"""Shows any file: finds the renderer of its kind, and how much of the file that one reads."""

from collections.abc import Callable
from dataclasses import dataclass

from sandbook.files.mime import Kind
from sandbook.rendering.code import render_code
from sandbook.rendering.document import framed, title_of
from sandbook.rendering.hexdump import BYTES_PER_PAGE, render_hexdump
from sandbook.rendering.json_tree import render_json
from sandbook.rendering.listing import render_archive, render_folder
from sandbook.rendering.markdown import render_html, render_markdown
from sandbook.rendering.media import render_image, render_player
from sandbook.rendering.notebook import render_notebook
from sandbook.rendering.paging import page_of
from sandbook.rendering.pdf import render_pdf
from sandbook.rendering.safe import content_text
from sandbook.rendering.source import Part, Source, View
from sandbook.rendering.table import render_table

MEGABYTE = 1_000_000

_RENDERERS: dict[Kind, tuple[Callable[[Source, View], Part], int]] = {
    Kind.IMAGE: (render_image, 16 * MEGABYTE),
    Kind.SVG: (render_image, 4 * MEGABYTE),
    Kind.PDF: (render_pdf, 32 * MEGABYTE),
    Kind.VIDEO: (render_player, 0),
    Kind.AUDIO: (render_player, 0),
    Kind.MARKDOWN: (render_markdown, MEGABYTE),
    Kind.TABLE: (render_table, 8 * MEGABYTE),
    Kind.JSON: (render_json, 4 * MEGABYTE),
    Kind.NOTEBOOK: (render_notebook, 32 * MEGABYTE),
    Kind.CODE: (render_code, 8 * MEGABYTE),
    Kind.ARCHIVE: (render_archive, 64 * MEGABYTE),
    Kind.FOLDER: (render_folder, 0),
    Kind.HTML: (render_html, MEGABYTE),
    Kind.TEXT: (render_code, 8 * MEGABYTE),
    Kind.BINARY: (render_hexdump, BYTES_PER_PAGE),
}


@dataclass(frozen=True, slots=True)
class Rendered:
    """A file as HTML, and in short as text."""

    html: str
    """A whole document, or a part of a notebook: as was asked for."""
    plain: str
    title: str
    page: int
    pages: int


def render(source: Source, view: View | None = None) -> Rendered:
    """Show a file. Nothing in it can act, load from elsewhere, or break out of its place."""
    view = view or View()
    renderer, _ = _RENDERERS[source.type.kind]
    part = renderer(source, view)
    html = framed(source, view, part)
    # Names of files may hold what no document can: bytes that are no text.
    html = html.encode("utf-8", "replace").decode()
    return Rendered(html, content_text(part.plain), title_of(source), part.page, part.pages)


def bytes_wanted(kind: Kind, page: int = 1, size: int | None = None) -> tuple[int, int]:
    """Tell which bytes of a file to read before it is rendered: from where, and how many."""
    limit = _RENDERERS[kind][1]
    if kind is not Kind.BINARY:
        return 0, limit
    last = page if size is None else page_of(size, limit, page).page
    return (max(last, 1) - 1) * limit, limit
