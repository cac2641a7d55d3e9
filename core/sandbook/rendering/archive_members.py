"""Reads what is in an archive, without unpacking anything and within bounds. Pure."""

import bz2
import lzma
import struct
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

MAX_MEMBERS = 10_000
MAX_UNPACKED = 64 << 20
"""How much of a compressed archive is unpacked in search of names."""
MAX_MEMORY = 64 << 20
CHUNK = 64 * 1024

_END = b"PK\x05\x06"
_END64 = b"PK\x06\x06"
_ENTRY = struct.Struct("<4s6H3I5H2I")
_ENTRY_SIGN = b"PK\x01\x02"
_BIG = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive, or a folder."""

    name: str
    size: int | None
    is_folder: bool = False
    target: str = ""
    """Where it leads, if it is a link."""


@dataclass(frozen=True, slots=True)
class Members:
    """What was found."""

    found: list[Member]
    problem: str = ""
    """Why there may be more."""


_BROKEN = (
    struct.error,
    tarfile.TarError,
    OSError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
)


def members_of(media_type: str, data: bytes) -> Members:
    """List an archive, as far as it can be read."""
    found: list[Member] = []
    try:
        for member in _zip(data) if media_type == "application/zip" else _tar(media_type, data):
            if len(found) == MAX_MEMBERS:
                return Members(found, f"only the first {MAX_MEMBERS:,} entries are listed")
            found.append(member)
    except _BROKEN as error:
        return Members(found, str(error).rstrip(".") or "it is damaged")
    return Members(found)


def _zip(data: bytes) -> Iterator[Member]:
    """Walk over the table at the end, entry by entry, however many it says there are."""
    end = data.rfind(_END)
    if end < 0:
        raise ValueError("its table of contents is missing")
    (size, start) = struct.unpack_from("<II", data, end + 12)
    at = min(end - size, start) if start != _BIG else _start64(data)
    at = at if data[at : at + 4] == _ENTRY_SIGN or not size else end - size
    while data[at : at + 4] == _ENTRY_SIGN:
        entry = _ENTRY.unpack_from(data, at)
        full_size, name_length, extra_length, comment_length = entry[9:13]
        name_at = at + _ENTRY.size
        name = data[name_at : name_at + name_length].decode("utf-8", "surrogateescape")
        yield Member(name, None if full_size == _BIG else full_size, name.endswith("/"))
        at = name_at + name_length + extra_length + comment_length


def _start64(data: bytes) -> int:
    end = data.rfind(_END64)
    if end < 0:
        raise ValueError("its table of contents is missing")
    return struct.unpack_from("<Q", data, end + 48)[0]


def _tar(media_type: str, data: bytes) -> Iterator[Member]:
    """Read the heads; what lies between them is skipped, or unpacked and dropped."""
    decompressor = _decompressor(media_type)
    stream: Any = _Unpacked(data, decompressor) if decompressor else BytesIO(data)
    mode: Any = "r|" if decompressor else "r:"
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for info in archive:
            yield Member(info.name, info.size, info.isdir(), info.linkname)


def _decompressor(media_type: str) -> Any:
    match media_type:
        case "application/gzip":
            return _Gzip()
        case "application/x-bzip2":
            return bz2.BZ2Decompressor()
        case "application/x-xz":
            return lzma.LZMADecompressor(memlimit=MAX_MEMORY)
        case _:
            return None


class _Gzip:
    """zlib with the manners of the two others: it keeps what it did not get to."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


class _Unpacked:
    """Reads a compressed file forwards, as far as is allowed."""

    def __init__(self, data: bytes, decompressor: Any) -> None:
        self._data = memoryview(data)
        self._decompressor = decompressor
        self._ready = b""
        self._unpacked = 0

    def read(self, size: int) -> bytes:
        """Read some bytes; fewer at the end.

        Raises:
            ValueError: There would be too many.
        """
        while len(self._ready) < size:
            chunk, self._data = bytes(self._data[:CHUNK]), self._data[CHUNK:]
            more = (
                b"" if self._decompressor.eof else self._decompressor.decompress(chunk, 16 * CHUNK)
            )
            if not more and not chunk:
                break
            self._unpacked += len(more)
            if self._unpacked > MAX_UNPACKED:
                raise ValueError("it is too large to be listed")
            self._ready += more
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken
