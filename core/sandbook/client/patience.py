"""Whether to try again, and when: only where it is sure that nothing was done. Pure."""

import time

import httpx

TOO_MANY = 429
FIRST_S, LONGEST_S = 0.1, 10.0
TRIES = 4


class Patience:
    """Waits for a server that is about to start, and for one that has too much to do."""

    def __init__(self, start_s: float) -> None:
        self._start_s = start_s
        self._has_answered = False

    def begin(self) -> "Tries":
        """Begin with a request."""
        return Tries(0.0 if self._has_answered else self._start_s, self)

    def answered(self) -> None:
        """Note that the server is there: from now on a refusal is news."""
        self._has_answered = True


class Tries:
    """Counts the tries of one request."""

    def __init__(self, start_s: float, patience: Patience) -> None:
        self._until = time.monotonic() + start_s
        self._pause_s = FIRST_S
        self._tries = 1
        self._patience = patience

    def after_refusal(self) -> float | None:
        """Tell how long to wait after nobody has answered; nothing if there is no hope."""
        pause = self._longer()
        return pause if time.monotonic() + pause <= self._until else None

    def after(self, answer: httpx.Response, *, repeatable: bool = True) -> float | None:
        """Tell how long to wait before another try; nothing if this was the answer."""
        self._patience.answered()
        if answer.status_code != TOO_MANY or self._tries >= TRIES or not repeatable:
            return None
        self._tries += 1
        told = answer.headers.get("Retry-After", "")
        return min(float(told), LONGEST_S) if told.isdecimal() else self._longer()

    def _longer(self) -> float:
        pause, self._pause_s = self._pause_s, min(self._pause_s * 2, LONGEST_S)
        return pause
