"""All output of a request: in memory while it is little, in a log file when it is much."""

import os
import weakref
from pathlib import Path

from sandbook.output import OutputPolicy
from sandbook.output_logs import create_log, prune_logs, remove_log
from sandbook_kernel.display import amount


class Spool:
    """Keeps everything from the first byte on. What goes wrong stands in `failure`."""

    def __init__(self, place: Path, policy: OutputPolicy, memory: int) -> None:
        self.path = str(place)
        """Where the log is."""
        self.written = 0
        """How many bytes the log holds."""
        self.failure = ""
        """Why the log does not hold all, in words."""
        self._place = place
        self._policy = policy
        self._memory = memory
        self._limit = policy.log_bytes
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
            policy = self._policy
            prune_logs(self._place.parent, policy.other_logs_bytes, policy.logs_kept_days)
            self._file = create_log(self._place)
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
        remove_log(self._place)
        self.written, self.failure = 0, ""

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
