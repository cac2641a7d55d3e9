"""Cuts what is long into pages. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")

PLAIN_LENGTH = 20_000
"""How much is shown where there is only text."""


@dataclass(frozen=True, slots=True)
class Slice:
    """One page of something: which items, of how many pages."""

    start: int
    end: int
    page: int
    pages: int

    def of(self, items: Sequence[Item]) -> Sequence[Item]:
        """Take the items of this page."""
        return items[self.start : self.end]


def page_of(total: int, per_page: int, page: int) -> Slice:
    """Find what stands on a page; one that is not there becomes the nearest that is."""
    pages = max(1, -(-total // per_page))
    page = min(max(page, 1), pages)
    return Slice((page - 1) * per_page, min(page * per_page, total), page, pages)


def shortened(text: str, length: int = PLAIN_LENGTH) -> str:
    """Cut a text that is too long, and say so."""
    return (
        text if len(text) <= length else f"{text[:length]}… ({len(text) - length} more characters)"
    )


def amount(count: int, unit: str) -> str:
    """Say how many there are: `1 row`, `2,000 rows`."""
    return f"{count:,} {unit}" if count == 1 else f"{count:,} {unit}s"


def bytes_amount(count: int) -> str:
    """Say how many bytes these are, as short as a person would."""
    if count == 1:
        return "1 byte"
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:  # noqa: PLR2004 -- the next unit begins here
            shown = f"{size:.0f}" if unit == "bytes" or size >= 10 else f"{size:.1f}"  # noqa: PLR2004
            return f"{shown} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
