"""Files that are on their way now, and how far they are."""

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Transfer:
    """One upload or download."""

    kind: str
    """`upload` or `download`."""
    path: str
    total: int | None = None
    """How many bytes there will be; `None` where nobody knows: an archive is made on the way."""
    bytes: int = 0
    id: str = field(default_factory=lambda: secrets.token_hex(8))


class Transfers:
    """Those of one sandbox."""

    def __init__(self) -> None:
        self._running: dict[str, Transfer] = {}

    def list_all(self) -> list[Transfer]:
        """Tell about those that run, oldest first."""
        return list(self._running.values())

    @contextlib.contextmanager
    def begin(self, kind: str, path: str, total: int | None = None) -> Iterator[Transfer]:
        """Let others see a transfer until it has ended, however that is."""
        transfer = Transfer(kind, path, total)
        self._running[transfer.id] = transfer
        try:
            yield transfer
        finally:
            del self._running[transfer.id]
