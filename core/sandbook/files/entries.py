"""What is known about a file: read from what `stat` inside the sandbox says. Pure."""

import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from sandbook.errors import SideLostError
from sandbook.files.paths import to_text

KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
HEAD_LENGTH = 64 * 1024
"""So much of a file tells what it is."""
NANOSECONDS = 10**9
FIRST_NS, LAST_NS = -62_135_596_800 * NANOSECONDS, 253_402_300_799 * NANOSECONDS
"""Calendars go from year 1 to 9999; the clock of a file may go much further."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file, a folder, or what else has a name."""

    name: str
    """The path for which `stat` was asked; the bare name in a list."""
    kind: str
    """`file`, `folder`, `link`, `pipe`, `socket` or `device`."""
    size: int
    mode: int
    uid: int
    gid: int
    modified_ns: int
    owner: str = ""
    group: str = ""
    target: str = ""
    """Where a link leads, as it is written in it; only `stat` tells it."""
    leads_to: "FileInfo | None" = None
    """What is at the end of a link; nothing if that is not there."""

    @property
    def followed(self) -> "FileInfo":
        """What one gets who opens it."""
        return self.leads_to or self

    @property
    def is_folder(self) -> bool:
        """Say whether it is a folder, or leads to one."""
        return self.followed.kind == "folder"

    @property
    def is_broken(self) -> bool:
        """Say whether it is a link to nothing."""
        return self.kind == "link" and self.leads_to is None

    @property
    def etag(self) -> str:
        """A word that changes with the content, as far as time and size can tell."""
        found = self.followed
        return f"{found.modified_ns:x}-{found.size:x}"


@dataclass(frozen=True, slots=True)
class Glance:
    """A file at a glance."""

    info: FileInfo
    head: bytes
    """How it begins."""
    size: int
    """How many bytes can be read."""

    @property
    def is_whole(self) -> bool:
        """Say whether there is nothing beyond the head."""
        return self.size <= len(self.head)


def parse(answer: bytes) -> list[FileInfo]:
    """Read what the sandbox says: of each its own record, for links also that of their end.

    Raises:
        SideLostError: It says nothing that can be understood.
    """
    try:
        return _parse(answer)
    except (ValueError, ArithmeticError) as error:
        raise SideLostError from error


def _parse(answer: bytes) -> list[FileInfo]:
    found: dict[str, FileInfo] = {}
    last = ""
    for record in answer.split(b"\0"):
        letter, _, rest = record.partition(b" ")
        if letter == b"S":
            info = _info(rest)
            last = info.name
            found[last] = info
        elif letter == b"T" and last:
            found[last] = replace(found[last], target=to_text(rest))
        elif letter == b"F":
            info = _info(rest)
            if info.name in found:
                found[info.name] = replace(found[info.name], leads_to=info)
    return list(found.values())


def _info(record: bytes) -> FileInfo:
    mode, size, uid, gid, modified, names = record.split(b" ", 5)
    owner, group, name = names.split(b":", 2)
    bits = int(mode, 16)
    return FileInfo(
        name=to_text(name),
        kind=KINDS.get(stat.S_IFMT(bits), "device"),
        size=int(size),
        mode=stat.S_IMODE(bits),
        uid=int(uid),
        gid=int(gid),
        modified_ns=min(max(int(Decimal(modified.decode()) * NANOSECONDS), FIRST_NS), LAST_NS),
        owner=to_text(owner),
        group=to_text(group),
    )


def sorted_as_shown(entries: Iterable[FileInfo]) -> list[FileInfo]:
    """Put folders first, and each group in the order of the alphabet."""
    return sorted(entries, key=lambda info: (not info.is_folder, info.name.lower(), info.name))
