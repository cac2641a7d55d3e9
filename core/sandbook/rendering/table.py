"""Shows CSV and TSV as a table."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice

from sandbook.rendering.code import render_code
from sandbook.rendering.paging import amount, page_of, shortened
from sandbook.rendering.safe import content_html
from sandbook.rendering.source import Part, Source, View

ROWS_PER_PAGE = 1000
MAX_COLUMNS = 100
MAX_CELL = 1000
PLAIN_ROWS = 20
PLAIN_WIDTH = 30
SAMPLE = 20

_NUMBER = re.compile(r"\s*[-+]?[\d.,]*\d(?:[eE][-+]?\d+)?\s*%?")
_QUOTED = re.compile(r'"[^"]*"')


def render_table(source: Source, view: View) -> Part:
    """Show rows, a page at a time; what cannot be read as a table is shown as text."""
    if view.lines:
        return render_code(source, view)
    text = source.text
    sign = delimiter_of(text, source)
    try:
        top = list(islice(_rows(text, sign), 2))
        head = top[0] if _has_head(top) else []
        total = sum(1 for _ in _rows(text, sign)) - bool(head)
        part = page_of(total, ROWS_PER_PAGE, view.page)
        shown = list(islice(_rows(text, sign), part.start + bool(head), part.end + bool(head)))
    except csv.Error:
        return render_code(source, view)
    columns = max(map(len, [head, *shown]), default=0)
    many = f" The first {MAX_COLUMNS} columns are shown." if columns > MAX_COLUMNS else ""
    some = f"Rows {part.start + 1:,}–{part.end:,} of {total:,}." if part.pages > 1 else ""  # noqa: RUF001
    return Part(
        _html(head, shown, min(columns, MAX_COLUMNS), part.start + 1),
        shortened(_plain(head, shown, total)),
        [amount(total, "row"), amount(columns, "column")],
        f"{some}{many}".strip(),
        part.pages,
        part.page,
    )


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Read rows one by one: all of them together take many times the memory of their text."""
    return filter(None, csv.reader(StringIO(text, newline=""), delimiter=delimiter))


def delimiter_of(text: str, source: Source) -> str:
    """Find what stands between cells: what most lines have, and equally often."""
    if source.type.media_type == "text/tab-separated-values":
        return "\t"
    lines = [_QUOTED.sub("", line) for line in text[:20_000].splitlines()[:SAMPLE]]
    scores = {sign: _evenness([line.count(sign) for line in lines]) for sign in ",;\t|"}
    return max(scores, key=lambda sign: scores[sign])


def _evenness(counts: list[int]) -> tuple[int, int]:
    """Tell on how many lines a sign stands equally often, and how often that is."""
    often = Counter(count for count in counts if count)
    return max(((lines, count) for count, lines in often.items()), default=(0, 0))


def _has_head(rows: Sequence[Sequence[str]]) -> bool:
    """Names stand on top of columns; a number is none."""
    return len(rows) > 1 and all(
        cell.strip() and not _NUMBER.fullmatch(cell[:MAX_CELL]) for cell in rows[0]
    )


def _html(head: Sequence[str], rows: Sequence[Sequence[str]], columns: int, first: int) -> str:
    numeric = [_is_numeric(rows, column) for column in range(columns)]
    top = ""
    if head:
        cells = "".join(
            _cell("th", cell, right=numeric[i]) for i, cell in enumerate(head[:columns])
        )
        top = f'<thead><tr><th class="sb-no"></th>{cells}</tr></thead>'
    lines = "".join(_row(row, numeric, number) for number, row in enumerate(rows, first))
    return (
        f'<div class="sb-scroll"><table class="sb-table">{top}<tbody>{lines}</tbody></table></div>'
    )


def _row(row: Sequence[str], numeric: Sequence[bool], number: int) -> str:
    cells = "".join(
        _cell("td", cell, right=right) for cell, right in zip(row, numeric, strict=False)
    )
    missing = "<td></td>" * (len(numeric) - len(row))
    return f'<tr><td class="sb-no">{number}</td>{cells}{missing}</tr>'


def _cell(tag: str, text: str, *, right: bool) -> str:
    side = ' class="sb-right"' if right else ""
    cut = "…" if len(text) > MAX_CELL else ""
    return f"<{tag}{side}>{content_html(text[:MAX_CELL])}{cut}</{tag}>"


def _is_numeric(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = [row[column][:MAX_CELL] for row in rows[:SAMPLE] if column < len(row) and row[column]]
    return bool(cells) and all(map(_NUMBER.fullmatch, cells))


def _plain(head: Sequence[str], rows: Sequence[Sequence[str]], total: int) -> str:
    some = [*([head] if head else []), *rows[:PLAIN_ROWS]]
    cells = [[" ".join(cell[:PLAIN_WIDTH].split()) for cell in row[:MAX_COLUMNS]] for row in some]
    lines = list(_aligned(cells))
    more = total - min(len(rows), PLAIN_ROWS)
    return "\n".join([*lines, f"… {amount(more, 'more row')}"] if more else lines)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    columns = max(map(len, rows), default=0)
    widths = [max(len(row[i]) if i < len(row) else 0 for row in rows) for i in range(columns)]
    for row in rows:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()
