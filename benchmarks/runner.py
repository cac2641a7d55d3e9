"""What all that takes part has in common: it runs code, and can fail without ending the run."""

from dataclasses import dataclass
from typing import Protocol


class Failure(Exception):  # noqa: N818 -- it is a result, as in a race
    """Somebody cannot take part, or not any longer. The message fits into a table."""


class NotFinished(Failure):
    """A cell took longer than anybody would wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not finished in {seconds:.0f} s")


@dataclass(frozen=True, slots=True)
class Run:
    """How one cell went."""

    begun: float
    """The moment at which it was sent, by `time.perf_counter`."""
    seconds: float
    """From sending it until the kernel is idle again."""
    first_s: float | None
    """From sending it until its first output, if it had any."""
    text: str
    """Its output."""
    said: str
    """What else it showed: notices, links, rich output."""


class Runner(Protocol):
    """A kernel, or what stands in for one, that is alive."""

    @property
    def pid(self) -> int:
        """The process whose memory counts."""
        ...

    def run(self, code: str, timeout: float = 60) -> Run:
        """Run one cell to its end.

        Raises:
            Failure: It did not end in time, or not well.
        """
        ...

    def close(self, *, now: bool = False) -> None:
        """End it; at once, if there is no hope that it ends well."""
        ...
