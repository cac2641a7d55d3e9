"""What a magic shows below its cell."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Display:
    """One thing in one or more MIME types; the front end shows the richest it can."""

    data: dict[str, Any]
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


def text(content: str) -> Display:
    """Show plain text."""
    return Display({"text/plain": content})


def table(rows: dict[str, str]) -> Display:
    """Show names and values, one pair a line."""
    width = max(map(len, rows), default=0)
    return text("\n".join(f"{name:<{width}}  {value}" for name, value in rows.items()))
