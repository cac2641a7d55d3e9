"""All output of a request: in memory while it is little, in a log file when it is much."""

import contextlib
import os
import weakref
from collections.abc import Generator
from pathlib import Path

from sandbook_kernel.display import amount

FOLDER = "sandbook-logs"

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Spool:
    """Keeps everything from the first byte on. What goes wrong is told in `failure`, never raised.

    The log lies where the sandbox can write, and is written from outside of it. So links are not
    followed, and the file is always a new one: nobody inside can choose what is written to.
    """

    def __init__(self, folder: Path, name: str, *, memory: int, limit: int) -> None:
        self.path = f"{FOLDER}/{name.replace('/', '-')}.log"
        """Where the log is, as seen from the folder."""
        self.written = 0
        """How many bytes the log holds."""
        self.failure = ""
        """Why the log does not hold all, in words."""
        self._place = folder / self.path
        self._memory = memory
        self._limit = limit
        self._head = bytearray()
        self._file: int | None = None
        self._closing: weakref.finalize[..., Spool] | None = None

    @property
    def complete(self) -> bool:
        """Tell whether the log holds all output so far."""
        return self._file is not None and not self.failure

    def add(self, data: bytes) -> None:
        """Keep a piece of output."""
        if self.failure:
            return
        if self._file is None and len(self._head) + len(data) <= self._memory:
            self._head += data
            return
        self.begin()
        self._write(data)

    def begin(self) -> None:
        """Write what is in memory to the log, and from now on all."""
        if self._file is not None or self.failure:
            return
        try:
            self._file = self._open()
        except OSError as error:
            self._fail(error)
        else:
            self._closing = weakref.finalize(self, os.close, self._file)
            self._write(self._head)
        self._head = bytearray()

    def discard(self) -> None:
        """Remove the log, as all of it was shown. The next byte is the first one again."""
        if self._closing is None:
            return
        self._closing()
        self._file = self._closing = None
        with contextlib.suppress(OSError), self._folder() as folder:
            os.unlink(self._place.name, dir_fd=folder)
        self.written, self.failure = 0, ""

    @contextlib.contextmanager
    def _folder(self) -> Generator[int, None, None]:
        opened = os.open(self._place.parent, _FOLDER_FLAGS)
        try:
            yield opened
        finally:
            os.close(opened)

    def _open(self) -> int:
        self._place.parent.mkdir(exist_ok=True)
        with self._folder() as folder:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._place.name, dir_fd=folder)
            return os.open(self._place.name, _FILE_FLAGS, 0o644, dir_fd=folder)

    def _write(self, data: bytes | bytearray) -> None:
        if self.failure:
            return
        room = max(0, self._limit - self.written)
        try:
            self._write_all(memoryview(data)[:room])
            if len(data) > room:
                bound = f"{amount(self._limit)} is all that c.OutputPolicy.log_limit_mb allows"
                self.failure = bound
                self._write_all(memoryview(f"\n… the log ends here: {bound} …\n".encode()))
        except OSError as error:
            self._fail(error)

    def _write_all(self, data: memoryview) -> None:
        while data and self._file is not None:
            count = os.write(self._file, data)
            data = data[count:]
            self.written += count

    def _fail(self, error: OSError) -> None:
        self.failure = (error.strerror or str(error)).lower()
