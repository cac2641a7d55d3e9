"""Shows bytes that are nothing else: as numbers, and as letters beside them."""

from html import escape

from sandbook.rendering.paging import page_of, shortened
from sandbook.rendering.source import Part, Source, View

BYTES_PER_LINE = 16
BYTES_PER_PAGE = 8 * 1024


def render_hexdump(source: Source, view: View) -> Part:
    """Show a page of bytes. The data is that page, or begins with the first one."""
    part = page_of(source.full_size, BYTES_PER_PAGE, view.page)
    begin = max(0, part.start - source.offset)
    data = source.data[begin : begin + BYTES_PER_PAGE]
    lines = [
        _line(part.start + at, data[at : at + BYTES_PER_LINE])
        for at in range(0, len(data), BYTES_PER_LINE)
    ]
    body = "".join(
        f'<span class="sb-no">{place}</span>{numbers}  <span class="sb-string">{escape(letters)}'
        "</span>\n"
        for place, numbers, letters in lines
    )
    plain = "\n".join("  ".join(line) for line in lines)
    return Part(
        f'<pre class="sb-code sb-hex">{body}</pre>',
        shortened(plain),
        [source.type.media_type],
        pages=part.pages,
        page=part.page,
    )


def _line(at: int, data: bytes) -> tuple[str, str, str]:
    half = BYTES_PER_LINE // 2
    numbers = f"{data[:half].hex(' '):<{half * 3 - 1}}  {data[half:].hex(' '):<{half * 3 - 1}}"
    letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)  # noqa: PLR2004
    return f"{at:08x}", numbers, letters
