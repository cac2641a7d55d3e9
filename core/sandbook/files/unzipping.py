"""A zip archive turned into a tar stream, after a good look. Nothing of it is unpacked here."""

import asyncio
import contextlib
import lzma
import stat
import struct
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterator
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

from sandbook.errors import ArchiveError
from sandbook.files.archive import ArchivePolicy
from sandbook.files.paths import member_name, shown, stays_inside, to_text
from sandbook.files.tar_reading import forget_members

UNIX = 3
ENCRYPTED, UTF8_FLAG = 0x1, 0x800
BUFFER = 1 << 18
LINK_LIMIT = 4096
HEAD = struct.Struct("<4s24x3H12x")
HEAD_MOST = 512
"""Bytes that a member may have in the list, on average."""
END64_MARK, END64_SIZE = b"PK\6\6", 76
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(NotImplementedError, EOFError, ValueError, OSError),
)
"""What reading an archive raises that is not one, or says of itself what is not so."""


@contextlib.asynccontextmanager
async def spooled(
    pieces: AsyncIterable[bytes], policy: ArchivePolicy
) -> AsyncGenerator[IO[bytes], None]:
    """Keep an archive, whose list is at its end, in a file without a name.

    Raises:
        ArchiveError: It is too large.
    """
    count = 0
    with tempfile.TemporaryFile() as spool:
        async for piece in pieces:
            count += len(piece)
            if count > policy.archive_bytes:
                raise ArchiveError(f"it is larger than {policy.max_archive_mb} MiB")
            await asyncio.to_thread(spool.write, piece)
        yield spool


@dataclass(frozen=True, slots=True)
class Member:
    """One thing to unpack."""

    name: str
    kind: int
    info: zipfile.ZipInfo
    target: str = ""


class Unzipping:
    """An archive that was looked at and found harmless."""

    def __init__(self, archive: zipfile.ZipFile, members: list[Member]) -> None:
        self._archive = archive
        self._members = members

    @property
    def count(self) -> int:
        """How many members it has."""
        return len(self._members)

    @classmethod
    async def open(cls, spool: IO[bytes], policy: ArchivePolicy) -> "Unzipping":
        """Look at an archive.

        Raises:
            ArchiveError: It is broken, or nobody should unpack it.
        """
        return await asyncio.to_thread(cls._open, spool, policy)

    @classmethod
    def _open(cls, spool: IO[bytes], policy: ArchivePolicy) -> "Unzipping":
        try:
            packed = spool.seek(0, 2)
            entries = _count(spool, policy.max_entries)
            _object(policy.objection(entries, 0, packed))
            archive = zipfile.ZipFile(spool)
            infos = archive.infolist()
            total = sum(info.file_size for info in infos)
            _object(policy.objection(len(infos), total, packed))
            members = [member for info in infos if (member := _member(archive, info))]
        except BROKEN as error:
            raise ArchiveError(f"it is broken ({shown(str(error)) or 'not a zip file'})") from error
        _check_tree(members)
        return cls(archive, members)

    def to_tar(self, _source: BinaryIO, result: BinaryIO) -> None:
        """Write it as tar. Links come last, so that nothing is written through one.

        Raises:
            ArchiveError: A member is not what the list said.
        """
        members = sorted(self._members, key=lambda member: stat.S_ISLNK(member.kind))
        with tarfile.open(
            fileobj=result,
            mode="w|",
            format=tarfile.GNU_FORMAT,
            encoding="utf-8",
            errors="surrogateescape",
            bufsize=BUFFER,
        ) as tar:
            for member in members:
                self._write(tar, member)
                forget_members(tar)

    def _write(self, tar: tarfile.TarFile, member: Member) -> None:
        header = tarfile.TarInfo(member.name)
        header.mtime = _moment(member.info)
        mode = member.info.external_attr >> 16 & 0o777 if _is_unix(member.info) else 0
        if stat.S_ISDIR(member.kind):
            header.type = tarfile.DIRTYPE
            header.mode = (mode or 0o755) | 0o700  # else nothing could be put into it
            tar.addfile(header)
        elif stat.S_ISLNK(member.kind):
            header.type = tarfile.SYMTYPE
            header.linkname = member.target
            tar.addfile(header)
        else:
            header.mode = mode or 0o644
            header.size = member.info.file_size
            with self._opened(member) as content:
                tar.addfile(header, content)

    @contextlib.contextmanager
    def _opened(self, member: Member) -> Generator["Content", None, None]:
        with refusing(member):
            content = self._archive.open(member.info)
        with content:
            yield Content(content, member)


class Content:
    """What a member holds, as tar reads it: as much as the list said, or the archive is refused."""

    def __init__(self, content: IO[bytes], member: Member) -> None:
        self._content = content
        self._member = member

    def read(self, size: int = 0, /) -> bytes:
        """Read so many bytes.

        Raises:
            ArchiveError: They are not there, or not what they were.
        """
        with refusing(self._member):
            data = self._content.read(size)
            if len(data) < size:
                raise EOFError("it is shorter than the list says")
            return data


@contextlib.contextmanager
def refusing(member: Member) -> Generator[None, None, None]:
    """Refuse an archive of which a member cannot be read."""
    try:
        yield
    except BROKEN as error:
        raise ArchiveError(f"{shown(member.name)!r} is broken ({error})") from error


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member | None:
    name = _name(info)
    clean = member_name(name)
    if clean is None:
        raise ArchiveError(f"{shown(name)!r} leads out of it")
    if info.flag_bits & ENCRYPTED:
        raise ArchiveError(f"{shown(name)!r} is encrypted")
    if not clean:
        return None
    kind = stat.S_IFMT(info.external_attr >> 16) if _is_unix(info) else 0
    if name.endswith("/") or kind == stat.S_IFDIR:
        return Member(clean, stat.S_IFDIR, info)
    if kind == stat.S_IFLNK:
        return Member(clean, kind, info, _target(archive, info, clean))
    if kind not in {0, stat.S_IFREG}:
        raise ArchiveError(f"{shown(name)!r} is a pipe or a device")
    return Member(clean, stat.S_IFREG, info)


def _name(info: zipfile.ZipInfo) -> str:
    """Take the bytes of a name as they are where nobody says what they mean, as `unzip` does."""
    if info.flag_bits & UTF8_FLAG or not _is_unix(info):
        return info.filename
    return to_text(info.filename.encode("cp437"))


def _is_unix(info: zipfile.ZipInfo) -> bool:
    return info.create_system == UNIX


def _target(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> str:
    if info.file_size > LINK_LIMIT:
        raise ArchiveError(f"the link {shown(name)!r} is too long")
    target = to_text(archive.read(info))
    if not stays_inside(name, target):
        raise ArchiveError(f"the link {shown(name)!r} leads out of it, to {shown(target)!r}")
    return target


def _check_tree(members: list[Member]) -> None:
    """Refuse names that come twice, and things below something that is no folder."""
    leaves: set[str] = set()
    folders: set[str] = set()
    for member in members:
        folders.update(_ancestors(member.name))
        if stat.S_ISDIR(member.kind):
            folders.add(member.name)
        elif member.name in leaves:
            raise ArchiveError(f"{shown(member.name)!r} is in it twice")
        else:
            leaves.add(member.name)
    for name in leaves & folders:
        raise ArchiveError(f"{shown(name)!r} is a folder in it, and something else as well")


def _ancestors(name: str) -> Iterator[str]:
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def _moment(info: zipfile.ZipInfo) -> float:
    try:
        return time.mktime((*info.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0


def _object(objection: str) -> None:
    if objection:
        raise ArchiveError(objection)


def _count(spool: IO[bytes], most: int) -> int:
    """Count the members before anything is made of them: a list may have millions.

    What is not understood here is left to `zipfile` to refuse.
    """
    end: list[Any] | None = vars(zipfile)["_EndRecData"](spool)  # what it uses itself
    if not end:
        raise zipfile.BadZipFile("not a zip file")
    mark, size, place = end[0], end[5], end[9]
    if size > most * HEAD_MOST:
        raise ArchiveError("its list of files is too long")
    spool.seek(max(0, place - size - (END64_SIZE if mark == END64_MARK else 0)))
    heads = spool.read(size)
    count = at = 0
    while at + HEAD.size <= len(heads) and count <= most:
        _, name, extra, comment = HEAD.unpack_from(heads, at)
        at += HEAD.size + name + extra + comment
        count += 1
    return count
