"""A tar stream of a sandbox turned into a zip stream. Runs in a thread and touches no disk."""

import contextlib
import stat
import tarfile
import time
from collections.abc import Container, Generator, Sequence
from itertools import count
from typing import BinaryIO

from sandbook.errors import FileError, TooLargeError
from sandbook.files.archive import ArchivePolicy
from sandbook.files.conversion import Work
from sandbook.files.paths import member_name, stays_inside, to_bytes
from sandbook.files.tar_reading import Head, Source, members
from sandbook.files.zip_writing import Entry, ZipWriter

PIECE = 1 << 18
FOLDER_BIT = 0x10
NOTE = "sandbook-left-out"


def zip_from_tar(policy: ArchivePolicy, path: str, left_out: Sequence[str] = ()) -> Work:
    """Make the work that turns tar into zip. The sandbox has made the tar, so it is not trusted.

    Only an archive of which all went well gets an end: half of one must not look whole.

    Args:
        left_out: Names that are known by the end of the tar, and are listed in the archive.
    """

    def work(source: BinaryIO, result: BinaryIO) -> None:
        total, most, most_entries = 0, policy.total_bytes, policy.max_entries
        archive = ZipWriter(result)
        notes: set[str] = set()
        for entries, (head, content) in enumerate(members(source), 1):
            total += head.size
            if total > most or entries > most_entries:
                raise TooLargeError(path, most)
            _add(archive, head, content)
            if NOTE in head.name:
                notes.add(member_name(head.name) or "")
        while source.read(PIECE):  # what went wrong is said at the very end
            pass
        if left_out:
            _add_note(archive, left_out, notes)
        archive.close()

    return work


@contextlib.contextmanager
def from_tar() -> Generator[None, None, None]:
    """Say what is wrong where the stream was no tar, and nobody knows a better reason."""
    try:
        yield
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:
        raise FileError(f"tar in the sandbox does not work: {error}. Install it again.") from error


def _add(archive: ZipWriter, head: Head, content: Source) -> None:
    name = member_name(head.name)
    if not name:
        return
    permissions = stat.S_IMODE(head.mode) & 0o777
    if head.kind == tarfile.REGTYPE:
        attributes = (stat.S_IFREG | permissions) << 16
        _add_file(archive, Entry(to_bytes(name), attributes, head.modified), head.size, content)
    elif head.kind == tarfile.DIRTYPE:
        attributes = (stat.S_IFDIR | permissions) << 16 | FOLDER_BIT
        archive.add(Entry(to_bytes(f"{name}/"), attributes, head.modified), b"")
    elif head.kind == tarfile.SYMTYPE and stays_inside(name, head.target):
        attributes = (stat.S_IFLNK | permissions) << 16
        archive.add(Entry(to_bytes(name), attributes, head.modified), to_bytes(head.target))


def _add_note(archive: ZipWriter, left_out: Sequence[str], taken: Container[str]) -> None:
    """List what is missing, under a name that is free."""
    names = (f"{NOTE}{number or ''}.txt" for number in count())
    name = next(name for name in names if name not in taken)
    text = "\n".join(
        ["The user of the sandbox may not read these, so they are left out:", *left_out]
    )
    entry = Entry(to_bytes(name), (stat.S_IFREG | 0o644) << 16, time.time())
    archive.add(entry, to_bytes(f"{text}\n"))


def _add_file(archive: ZipWriter, entry: Entry, size: int, content: Source) -> None:
    if size <= PIECE:
        archive.add(entry, content.read(size))
    else:
        archive.add_pieces(entry, size, iter(lambda: content.read(PIECE), b""))
