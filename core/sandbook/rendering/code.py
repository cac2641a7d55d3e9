"""Shows code and other text, with line numbers."""

from sandbook.files.line_ends import unified
from sandbook.rendering.paging import Slice, amount, page_of, shortened
from sandbook.rendering.safe import content_html
from sandbook.rendering.source import Part, Source, View
from sandbook.rendering.syntax import MAX_COLOURED, coloured_lines

LINES_PER_PAGE = 1000


def render_code(source: Source, view: View) -> Part:
    """Show a text; lines can be linked to (`#L12`) where it is a page of its own."""
    text = unified(source.text)
    lines = text.split("\n")
    if lines[-1] == "" and len(lines) > 1:
        lines.pop()
    above = source.first_line - 1
    first, last = _asked(view, above, above + len(lines))
    part = page_of(last - first + 1, LINES_PER_PAGE, view.page)
    start, end = first - 1 - above + part.start, first - 1 - above + part.end
    shown = _coloured(text, lines, source.type.language, Slice(start, end, part.page, part.pages))
    numbers = range(above + start + 1, above + end + 1)
    width = len(str(above + end))
    body = "".join(
        _line(number, width, html, anchor=view.is_page)
        for number, html in zip(numbers, shown, strict=True)
    )
    plain = "\n".join(
        f"{number:6}\t{line}" for number, line in zip(numbers, lines[start:end], strict=True)
    )
    facts = [amount(above + len(lines), "line")] if not source.is_cut else []
    is_part = above or end - start < len(lines)
    note = f"Lines {numbers[0]:,}–{numbers[-1]:,} are shown." if is_part else ""  # noqa: RUF001
    return Part(
        f'<pre class="sb-code">{body}</pre>',
        shortened(plain),
        [*facts, *([source.type.language] if source.type.language else [])],
        note,
        part.pages,
        part.page,
    )


def line_count(text: str) -> int:
    """Count lines; behind the last line end there is none."""
    return max(1, text.count("\n") + (not text.endswith("\n")))


def _asked(view: View, above: int, total: int) -> tuple[int, int]:
    """Tell which lines are wanted, as far as there are such."""
    first, last = view.lines or (1, total)
    first = min(max(first, above + 1), total)
    return first, min(max(last, first), total)


def _coloured(text: str, lines: list[str], language: str, part: Slice) -> list[str]:
    """Colour from the beginning where that is cheap: a page may begin inside a comment."""
    if len(text) <= MAX_COLOURED:
        return coloured_lines(text, language)[part.start : part.end]
    return coloured_lines("\n".join(part.of(lines)), language)


def _line(number: int, width: int, html: str, *, anchor: bool) -> str:
    shown = f"{number:>{width}}"
    if anchor:
        return (
            f'<span class="sb-line" id="L{number}"><a class="sb-no" href="#L{number}">{shown}</a>'
            f"{html}\n</span>"
        )
    return f'<span class="sb-line"><span class="sb-no">{content_html(shown)}</span>{html}\n</span>'
