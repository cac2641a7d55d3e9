"""The beginning of an output that may have no end."""


class Head:
    """Keeps the first bytes, and drops all that follows."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._bytes = bytearray()

    def add(self, data: object) -> None:
        """Take what comes next; what is not bytes is none of it."""
        if isinstance(data, bytes):
            self._bytes += data[: self._size - len(self._bytes)]

    def __bytes__(self) -> bytes:
        return bytes(self._bytes)
