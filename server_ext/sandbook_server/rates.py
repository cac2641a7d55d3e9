"""How often somebody may ask. Pure, but for the clock that it is given."""

import math
import time
from collections.abc import Callable

FORGET_AT = 10_000
"""So many are remembered before those are forgotten who have nothing to wait for."""


class Rates:
    """A bucket for each one who asks: it fills with time, and each request takes a drop."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._room = max(per_second, 1.0)
        self._clock = clock
        self._empty_at: dict[str, tuple[float, float]] = {}
        """What was left in a bucket, and when."""

    def wait_s(self, who: str) -> int:
        """Count a request; say in how many whole seconds to come back, 0 if it may go on."""
        if not self._per_second:
            return 0
        now = self._clock()
        left, then = self._empty_at.get(who, (self._room, now))
        left = min(self._room, left + (now - then) * self._per_second)
        if left < 1:
            self._empty_at[who] = (left, now)
            return math.ceil((1 - left) / self._per_second)
        if len(self._empty_at) >= FORGET_AT:
            self._forget(now)
        self._empty_at[who] = (left - 1, now)
        return 0

    def _forget(self, now: float) -> None:
        full_after = self._room / self._per_second
        self._empty_at = {
            who: (left, then)
            for who, (left, then) in self._empty_at.items()
            if now - then < full_after
        }
