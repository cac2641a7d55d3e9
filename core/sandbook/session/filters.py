"""Takes out of what a terminal says what neither a command nor a person has asked for. Pure."""

from sandbook.session.notices import Notices
from sandbook.session.traces import Traces, unsigned


class Filters:
    """All that is taken out, of one shell."""

    def __init__(self) -> None:
        self._traces = Traces()
        self._notices = Notices()
        self.job_notices = False
        """Whether the next command is to show what bash tells of jobs."""

    def begin(self, source: bytes, flags: str) -> None:
        """Begin with a command; `flags` are what `$-` was before."""
        self._traces.begin(source, flags)
        self._notices.begin(source, shown=self.job_notices)

    def strip(self, data: bytes) -> bytes:
        """Give back what is the command's; some of it may have to wait for what follows."""
        return self._notices.strip(self._traces.strip(data))

    def strip_idle(self, data: bytes) -> bytes:
        """Give back what was said while no command runs."""
        return self._notices.strip(unsigned(data))

    def rest(self, data: bytes) -> bytes:
        """Give back what waited, and what came last, now that the command has ended."""
        return self.strip(data) + self._notices.strip(self._traces.rest()) + self._notices.rest()
