"""How much an archive may hold: what comes from a sandbox or goes into it is never trusted."""

from traitlets import Integer
from traitlets.config import LoggingConfigurable

MEGABYTE = 1 << 20
INNOCENT = 64 * MEGABYTE
"""So much may come out of any archive: a few repetitive files are no attack."""


class ArchivePolicy(LoggingConfigurable):
    """What is refused before it fills a disk or a memory."""

    max_archive_mb = Integer(
        4096,
        min=1,
        help="""
        How large an archive may be that is unpacked in a sandbox, in MiB. It is kept in the
        temporary folder of this machine until it is unpacked.
        """,
    ).tag(config=True)

    max_total_mb = Integer(
        16384,
        min=1,
        help="""
        How much may come out of an archive, or go into one, in MiB.
        """,
    ).tag(config=True)

    max_entries = Integer(
        200_000,
        min=1,
        help="""
        How many files and folders an archive may have.
        """,
    ).tag(config=True)

    max_ratio = Integer(
        200,
        min=1,
        help="""
        How many times larger than the archive its content may be. Up to 64 MiB of content are
        always fine.
        """,
    ).tag(config=True)

    @property
    def archive_bytes(self) -> int:
        """Tell the limit of an archive, in bytes."""
        return self.max_archive_mb * MEGABYTE

    @property
    def total_bytes(self) -> int:
        """Tell the limit of what comes out of it, in bytes."""
        return self.max_total_mb * MEGABYTE

    def objection(self, entries: int, total: int, packed: int) -> str:
        """Say what speaks against an archive; empty if nothing does."""
        if entries > self.max_entries:
            return f"it has more than {self.max_entries} files"
        if total > self.total_bytes:
            return f"its content is larger than {self.max_total_mb} MiB"
        if total > max(INNOCENT, packed * self.max_ratio):
            return f"its content is more than {self.max_ratio} times as large as the archive"
        return ""
