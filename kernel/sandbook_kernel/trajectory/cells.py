"""Writes down the cells that people run."""

import time
from dataclasses import replace
from typing import Any

from sandbook.trajectory.entries import PERSON, Entry
from sandbook.trajectory.journal import Journal, now
from sandbook_kernel.publisher import Send
from sandbook_kernel.trajectory.outputs import Outputs


class CellRecord:
    """One cell, from its beginning to its end."""

    def __init__(self, journal: Journal, code: str, author: str = PERSON) -> None:
        self._journal = journal
        self._outputs = Outputs()
        self._begun = time.monotonic()
        self._entry = Entry(journal.next_number(), now(), author, "cell", code)

    def heard(self, send: Send) -> Send:
        """Listen to what goes out on iopub."""
        if not self._journal.is_open:
            return send

        def both(kind: str, content: dict[str, Any]) -> None:
            self._outputs.take(kind, content)
            send(kind, content)

        return both

    def end(self, reply: dict[str, Any]) -> None:
        """Write it down: the cell has ended."""
        self._journal.write(
            replace(
                self._entry,
                outputs=self._outputs.collected(),
                status="ok" if reply["status"] == "ok" else "failed",
                seconds=round(time.monotonic() - self._begun, 3),
            )
        )
