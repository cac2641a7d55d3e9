"""Reads a tar stream that may be anything. Quick for what `tar` mostly writes.

`tarfile` takes 15 µs for a head, which is most of the time of an archive of small files. So heads
of plain files, folders and links are read here, and whoever meets another leaves the rest of the
stream to `tarfile`.
"""

import tarfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple, Protocol

from sandbook.errors import FileError
from sandbook.files.paths import to_text

BLOCK = 512
HEADS_LENGTH = 4 << 20
"""How long the heads between two members may be: names are short, and tar reads heads whole."""
NAME_LENGTH = 1 << 16
LONG_NAME, LONG_TARGET = b"L", b"K"
KINDS = {b"0": tarfile.REGTYPE, b"5": tarfile.DIRTYPE, b"2": tarfile.SYMTYPE}


class Source(Protocol):
    """What bytes come from."""

    def read(self, size: int, /) -> bytes:
        """Give so many, fewer only at the end."""
        ...


class Head(NamedTuple):
    """What a tar tells of a file, a folder or a link."""

    name: str
    kind: bytes
    """As `tarfile` calls it."""
    mode: int
    modified: float
    size: int
    target: str


class _Limited:
    """The content of a file, of which `left` bytes were not read yet."""

    def __init__(self, source: Source, size: int) -> None:
        self._source = source
        self.left = size

    def read(self, size: int, /) -> bytes:
        """Read some of it.

        Raises:
            tarfile.ReadError: The stream has ended before.
        """
        wanted = min(size, self.left)
        data = self._source.read(wanted)
        self.left -= len(data)
        if len(data) < wanted:
            raise tarfile.ReadError("unexpected end of data")
        return data

    def skip(self, padding: int) -> None:
        """Go to the next head."""
        while self.read(1 << 18):
            pass
        self._source.read(padding)


def members(source: BinaryIO) -> Iterator[tuple[Head, Source]]:
    """Give the members, in their order; what is not read of one's content is passed over.

    Raises:
        tarfile.TarError: This is no tar.
        FileError: It has heads without end.
    """
    is_first = True
    while True:
        taken, head = _read_head(source)
        if head is None:
            if is_first or taken.strip(b"\0"):
                yield from _by_library(_Rest(taken, source))
            return
        is_first = False
        content = _Limited(source, head.size)
        yield head, content
        content.skip(-head.size % BLOCK)


def _read_head(source: BinaryIO) -> tuple[bytes, Head | None]:
    """Read a head, with the names before it that are too long for it.

    Gives back also what was read: nobody else can read it again.
    """
    names: dict[bytes, str] = {}
    taken = block = source.read(BLOCK)
    while block[156:157] in (LONG_NAME, LONG_TARGET):
        size = _number(block[124:136])
        if size is None or not _is_sound(block) or len(taken) + size > NAME_LENGTH:
            return taken, None
        name = source.read(size + -size % BLOCK)
        names[block[156:157]] = _text(name[:size])
        block = source.read(BLOCK)
        taken += name + block
    head = _plain(block)
    if head is None or not names:
        return taken, head
    name = names.get(LONG_NAME, head.name)
    return taken, head._replace(name=name, target=names.get(LONG_TARGET, head.target))


def _plain(block: bytes) -> Head | None:
    kind = KINDS.get(block[156:157])
    if kind is None or len(block) < BLOCK or not _is_sound(block):
        return None
    size = _number(block[124:136]) if kind == tarfile.REGTYPE else 0
    modified, mode = _number(block[136:148]), _number(block[100:108])
    if size is None or modified is None or mode is None:
        return None
    name, prefix = _text(block[:100]), _text(block[345:500])
    path = f"{prefix}/{name}" if prefix else name
    return Head(path, kind, mode, modified, size, _text(block[157:257]))


def _is_sound(block: bytes) -> bool:
    wanted = _number(block[148:156])
    return wanted == sum(block) - sum(block[148:156]) + 8 * ord(" ")


def _number(field: bytes) -> int | None:
    """Read a number in octal digits; larger ones and those below zero are written otherwise."""
    digits = field.rstrip(b"\0 ").lstrip(b" ")
    if digits.isdigit():
        try:
            return int(digits, 8)
        except ValueError:
            return None
    return None if digits else 0


def _text(field: bytes) -> str:
    return to_text(field.partition(b"\0")[0])


class _Rest:
    """What was read and the stream behind it, of which no more is taken than was announced."""

    def __init__(self, taken: bytes, source: BinaryIO) -> None:
        self._taken = taken
        self._source = source
        self.expect(0)

    def expect(self, size: int) -> None:
        """Let so many bytes come, and heads behind them."""
        self._left = size + HEADS_LENGTH

    def read(self, size: int) -> bytes:
        """Read some bytes.

        Raises:
            FileError: These are too many.
        """
        data, self._taken = self._taken[:size], self._taken[size:]
        if len(data) < size:
            data += self._source.read(size - len(data))
        self._left -= len(data)
        if self._left < 0:
            raise FileError("tar in the sandbox gives heads without end. Install tar again.")
        return data


def _by_library(rest: _Rest) -> Iterator[tuple[Head, Source]]:
    stream: Any = rest
    with tarfile.open(fileobj=stream, mode="r|", encoding="utf-8", errors="surrogateescape") as tar:
        while found := tar.next():
            if found.size < 0:
                raise tarfile.ReadError("a file of less than no bytes")
            rest.expect(found.size)
            kind = tarfile.REGTYPE if found.isreg() else found.type
            head = Head(found.name, kind, found.mode, found.mtime, found.size, found.linkname)
            content: Any = tar.extractfile(found) if found.isreg() else BytesIO()
            yield head, content
            forget_members(tar)


def forget_members(tar: tarfile.TarFile) -> None:
    """Keep the memory flat: tarfile remembers all members, also of a stream."""
    known: list[tarfile.TarInfo] = vars(tar)["members"]
    known.clear()
