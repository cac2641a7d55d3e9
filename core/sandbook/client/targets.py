"""Where downloads go: a file of this machine that is there when it is whole, or an open one."""

import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from sandbook.client.sources import OnProgress


class Target:
    """Takes bytes. A download that fails leaves what was there before."""

    def __init__(
        self, to: str | os.PathLike[str] | BinaryIO, on_progress: OnProgress | None
    ) -> None:
        self._path = Path(to) if isinstance(to, str | os.PathLike) else None
        self._file = None if isinstance(to, str | os.PathLike) else to
        self._part: Path | None = None
        self._on_progress = on_progress
        self._total: int | None = None
        self._count = 0

    def expect(self, length: str | None) -> None:
        """Hear how much will come."""
        self._total = int(length) if length else None

    def __enter__(self) -> "Target":
        if self._path is not None:
            number, name = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
            self._part = Path(name)
            self._file = os.fdopen(number, "wb")
        return self

    def write(self, piece: bytes) -> None:
        """Take a piece."""
        if self._file is not None:
            self._file.write(piece)

    def report(self, piece: bytes) -> None:
        """Say that it is there."""
        self._count += len(piece)
        if self._on_progress is not None:
            self._on_progress(self._count, self._total)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._part is None or self._path is None or self._file is None:
            return
        try:
            self._file.close()  # writes the last bytes, where there is room for them
            if error is None:
                mask = os.umask(0)
                os.umask(mask)
                self._part.chmod(0o666 & ~mask)
                self._part.replace(self._path)
        finally:
            self._part.unlink(missing_ok=True)
