"""What a command has said and nobody was told yet, as an agent reads it."""

import asyncio
from dataclasses import dataclass

from sandbook.agents.screen import HISTORY, shown
from sandbook.tail import Tail

KEPT_BYTES = 4 << 20
KEPT_LINES = HISTORY + 13
QUICK = 1 << 14
"""So little is read at once; more might keep the event loop waiting."""
CONTENT_MAX = 30_000
_CUT = "\n[... Observation truncated due to length ...]\n"


@dataclass(frozen=True, slots=True)
class Said:
    """A part of what a command said."""

    text: str
    kept_lines: int = 0
    """How many lines are left of more; 0 if nothing is missing before the text."""


class Transcript:
    """Collects output, as much of it as agents are shown."""

    def __init__(self) -> None:
        self._tail = Tail(KEPT_BYTES)

    def add(self, data: bytes) -> None:
        """Take what comes next."""
        self._tail.add(data)

    async def take(self) -> Said:
        """Give what came since the last time, and begin anew."""
        tail, self._tail = self._tail, Tail(KEPT_BYTES)
        if tail.total <= QUICK:
            return _said(tail)
        return await asyncio.to_thread(_said, tail)


def _said(tail: Tail) -> Said:
    lines = shown(tail.last(KEPT_BYTES))
    if tail.total <= KEPT_BYTES and len(lines) <= KEPT_LINES:
        return Said("\n".join(lines).strip())
    lines = lines[-KEPT_LINES:]
    return Said("\n".join(lines).strip(), len(lines))


def shortened(text: str) -> str:
    """Leave out the middle of what is too long."""
    if len(text) <= CONTENT_MAX:
        return text
    half = CONTENT_MAX // 2
    return text[:half] + _CUT + text[-half:]
