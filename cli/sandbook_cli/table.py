"""Values as people read them in a terminal. Pure."""

from collections.abc import Sequence
from datetime import datetime, timezone

_UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
MEGABYTE = 1e6


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out rows in columns below their heads."""
    lines = [head, *([_plain(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _plain(cell: str) -> str:
    """Write out what is no letter: names of files may hold commands to a terminal."""
    return cell if cell.isprintable() else ascii(cell)


def format_age(since: datetime, now: datetime | None = None) -> str:
    """Tell how long ago something was, in its two largest units: `3h 12m`."""
    rest = max(0, int(((now or datetime.now(timezone.utc)) - since).total_seconds()))
    parts: list[str] = []
    for unit, length in _UNITS:
        count, rest = divmod(rest, length)
        if count or parts:
            parts.append(f"{count}{unit}")
    return " ".join(parts[:2]) or "0s"


def format_size(size: float) -> str:
    """Tell a number of bytes in megabytes, as engines do."""
    return f"{size / MEGABYTE:.0f} MB"
