"""What a magic shows below its cell."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from sandbook.sandbox.progress import Progress

BAR = 30
MEGABYTE = 1e6
THOUSAND = 1000
TEN = 10


@dataclass(frozen=True, slots=True)
class Display:
    """One thing in one or more MIME types; the front end shows the richest it can.

    It is hostile until the publisher has passed it, HTML of our own excepted.
    """

    data: dict[str, Any]
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


def text(content: str) -> Display:
    """Show plain text."""
    return Display({"text/plain": content})


def own(html: str, plain: str) -> Display:
    """Show HTML of our own, in which all that comes from a sandbox is escaped or sanitised.

    Names and texts in it may look like formulas; front ends must not typeset them.
    """
    from sandbook.rendering.safe import NO_FORMULAS, OwnHtml  # noqa: PLC0415 -- not at the start

    shown = f'<div class="{NO_FORMULAS}">{html}</div>'
    return Display({"text/html": OwnHtml(shown), "text/plain": plain})


def table(rows: dict[str, str]) -> Display:
    """Show names and values, one pair a line."""
    width = max(map(len, rows), default=0)
    return text("\n".join(f"{name:<{width}}  {value}" for name, value in rows.items()))


def amount(count: int) -> str:
    """Say how many bytes these are, as short as a person would."""
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < THOUSAND:
            return f"{size:.0f} {unit}" if size >= TEN or unit == "bytes" else f"{size:.1f} {unit}"
        size /= THOUSAND
    return f"{size:.1f} GB"


def grid(rows: Sequence[Sequence[str]]) -> Display:
    """Show rows of equal length in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return text("\n".join(lines))


def progress_bar(progress: Progress) -> Display:
    """Show how far something is: a bar, bytes, layers, and what is said about it."""
    numbers = ", ".join(filter(None, (_bytes_of(progress), _layers_of(progress))))
    share = _share_of(progress)
    bar = f"[{'#' * round(share * BAR):<{BAR}}] " if share is not None else ""
    plain = f"{bar}{numbers}{': ' if numbers else ''}{progress.text}"
    value = f' value="{share:.3f}"' if share is not None else ""
    html = (
        f'<progress max="1"{value} style="width: 20em"></progress> {escape(numbers)}'
        f"<br><code>{escape(progress.text)}</code>"
    )
    return own(html, plain)


def _share_of(progress: Progress) -> float | None:
    if progress.finished:
        return 1.0
    for done, total in (
        (progress.done, progress.total),
        (progress.layers_done, progress.layers_total),
    ):
        if done is not None and total:
            return done / total
    return None


def _bytes_of(progress: Progress) -> str:
    if progress.done is None or not progress.total:
        return "" if progress.done is None else f"{progress.done / MEGABYTE:.1f} MB"
    return f"{progress.done / MEGABYTE:.1f} of {progress.total / MEGABYTE:.1f} MB"


def _layers_of(progress: Progress) -> str:
    if progress.layers_done is None or not progress.layers_total:
        return ""
    unit = "layers" if progress.what == "pull" else "steps"
    return f"{progress.layers_done} of {progress.layers_total} {unit}"
