"""What the users of a sandbox are to be told about it: each of them, once."""

from collections import deque

KEPT = 10
"""The last messages for a listener that does not ask for them."""


class News:
    """Keeps each message until every listener has taken it. May be used in any thread."""

    def __init__(self) -> None:
        self._so_far: deque[str] = deque(maxlen=KEPT)
        self._listeners: list[deque[str]] = []

    def listen(self, *, so_far: bool = False) -> "Listener":
        """Return a listener, which gets what is told from now on, or also what was told so far."""
        waiting = deque(self._so_far if so_far else (), maxlen=KEPT)
        self._listeners.append(waiting)
        return Listener(waiting)

    def tell(self, message: str) -> None:
        """Tell every listener."""
        self._so_far.append(message)
        for waiting in self._listeners:
            waiting.append(message)


class Listener:
    """One of those who are told."""

    def __init__(self, waiting: deque[str]) -> None:
        self._waiting = waiting

    def take(self) -> list[str]:
        """Return what has not been taken yet, oldest first."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]
