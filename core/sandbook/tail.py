"""The end of an output that is too long to be kept."""


class Tail:
    """Remembers the last bytes, and how many there were in all."""

    def __init__(self, size: int) -> None:
        self.total = 0
        self._size = size
        self._bytes = bytearray()

    def add(self, data: bytes) -> None:
        """Take what comes next."""
        self.total += len(data)
        self._bytes += data[-self._size :]
        if len(self._bytes) > 2 * self._size:
            del self._bytes[: -self._size]

    def last(self, count: int) -> bytes:
        """Give the last bytes, at most as many as are remembered."""
        return bytes(self._bytes[-min(count, self._size) :]) if count else b""

    def text(self) -> str:
        """Give all that is remembered, as text."""
        return self.last(self._size).decode("utf-8", "replace")
