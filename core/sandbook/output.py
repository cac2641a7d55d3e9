"""How much of a cell's output is shown while it runs, and how much is kept."""

from traitlets import Integer
from traitlets.config import LoggingConfigurable

KILOBYTE = 1 << 10
MEGABYTE = 1 << 20


class OutputPolicy(LoggingConfigurable):
    """What happens to a cell that says more than a browser can hold."""

    live_limit_kb = Integer(
        1024,
        min=1,
        help="""
        How much of a cell's output is shown, in KiB. What comes after it goes to a log file, of
        which the last lines are shown when the cell ends. Whoever raises this should raise
        c.ServerApp.iopub_data_rate_limit as well: the server drops what comes faster than that.
        """,
    ).tag(config=True)

    log_limit_mb = Integer(
        1024,
        min=1,
        help="""
        How much of a cell's output is kept in its log file, in MiB. The logs lie below
        `sandbook/logs` in Jupyter's data folder (`jupyter --data-dir`).
        """,
    ).tag(config=True)

    logs_limit_mb = Integer(
        4096,
        min=1,
        help="""
        How much all log files may take together, in MiB. The oldest make room for a new one.
        """,
    ).tag(config=True)

    logs_kept_days = Integer(
        14,
        min=1,
        help="""
        For how many days a log file is kept.
        """,
    ).tag(config=True)

    @property
    def live_bytes(self) -> int:
        """Tell the limit of what is shown, in bytes."""
        return self.live_limit_kb * KILOBYTE

    @property
    def log_bytes(self) -> int:
        """Tell the limit of the log, in bytes."""
        return min(self.log_limit_mb, self.logs_limit_mb) * MEGABYTE

    @property
    def other_logs_bytes(self) -> int:
        """Tell how much the other logs may take where a new one begins, in bytes."""
        return self.logs_limit_mb * MEGABYTE - self.log_bytes
