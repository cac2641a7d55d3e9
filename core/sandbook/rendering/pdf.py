"""Shows PDF documents, by the means of the browser."""

import re
import zlib
from collections.abc import Iterator
from itertools import islice

from sandbook.rendering.paging import amount, bytes_amount
from sandbook.rendering.safe import link_html, name_text, url_html
from sandbook.rendering.source import Part, Source, View

MAX_STREAMS = 200
MAX_NODES = 1000
AROUND = 4000
"""How much a node may say beside its number of pages: the list of its children is long."""
MAX_INFLATED = 1 << 20

_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_PAGES = re.compile(rb"/Type\s*/Pages\b")
_COUNT = re.compile(rb"/Count\s+(\d{1,7})")
_OBJECTS = re.compile(rb"/Type\s*/ObjStm\b[^>]{0,400}>>\s*stream\r?\n")


def render_pdf(source: Source, view: View) -> Part:
    """Say what a document is and link to it, or embed it where the page is allowed to."""
    pages = 0 if source.is_cut else page_count(source.data)
    facts = [amount(pages, "page")] if pages else []
    said = ", ".join(["PDF", *facts, bytes_amount(source.full_size)])
    plain = f"{name_text(source.name)}: {said}"
    link = link_html(view.links.raw or view.links.viewer, "Open the document", "sb-button")
    card = f'<div class="sb-card"><p>{said}</p><p>{link}</p></div>'
    url = url_html(view.links.raw)
    if view.embeds and url:
        card = f'<object class="sb-embed" type="application/pdf" data="{url}">{card}</object>'
    return Part(card, plain, facts)


def page_count(data: bytes) -> int:
    """Count the pages of a document; 0 where that cannot be seen from outside."""
    counts: list[int] = []
    single = 0
    for text in (data, *_inflated(data)):
        counts.extend(_counts(text))
        single += len(_PAGE.findall(text))
    return max(counts, default=single)


def _counts(text: bytes) -> Iterator[int]:
    """Read what the nodes of the tree of pages say; its root says most."""
    for match in islice(_PAGES.finditer(text), MAX_NODES):
        begin = text.rfind(b"<<", max(0, match.start() - AROUND), match.start())
        end = text.find(b">>", match.end(), match.end() + AROUND)
        if begin >= 0 and end >= 0 and (count := _COUNT.search(text, begin, end)):
            yield int(count[1])


def _inflated(data: bytes) -> Iterator[bytes]:
    """Unpack those parts that may describe pages, as far as they are not too large."""
    for number, match in enumerate(_OBJECTS.finditer(data)):
        if number == MAX_STREAMS:
            return
        try:
            yield zlib.decompressobj().decompress(
                data[match.end() : match.end() + MAX_INFLATED], MAX_INFLATED
            )
        except zlib.error:
            continue
