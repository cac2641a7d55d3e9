"""Whether it is kept what is done in a sandbox, and how much of it."""

from traitlets import Bool, Integer
from traitlets.config import LoggingConfigurable

MEGABYTE = 1 << 20


class TrajectoryPolicy(LoggingConfigurable):
    """What is remembered of cells and of agents' actions, to be looked at or done again."""

    enabled = Bool(
        default_value=True,
        help="""
        Keep what is done in each sandbox, with its output, below Jupyter's data folder. Only the
        person who started Jupyter can read it. It holds commands as they were, also with a
        password in them; what is typed into an input box is not kept.
        """,
    ).tag(config=True)

    limit_mb = Integer(
        64,
        min=1,
        help="""
        How much is kept for one sandbox, in MiB. What is done after that is not kept, and the last
        entry says so.
        """,
    ).tag(config=True)

    kept = Integer(
        100,
        min=1,
        help="""
        For how many sandboxes it is kept. Those go first to which nothing was added for longest.
        """,
    ).tag(config=True)

    @property
    def limit_bytes(self) -> int:
        """Tell the limit for one sandbox, in bytes."""
        return self.limit_mb * MEGABYTE
