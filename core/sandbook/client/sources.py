"""What is sent: a file or a folder of this machine, in pieces, never whole in memory."""

import io
import os
import secrets
import stat
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

PIECE = 1 << 18
OLDEST, LATEST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)
"""Archives know no other days."""
ESCAPED = {'"': '\\"', "\\": "\\\\", "\r": "%0D", "\n": "%0A"}
OnProgress = Callable[[int, int | None], None]
"""Is called with how many bytes have gone, and how many there are where that is known."""


class Upload:
    """A form with one file in it."""

    def __init__(
        self,
        name: str,
        pieces: Callable[[], Iterator[bytes]],
        size: int | None = None,
        *,
        on_progress: OnProgress | None = None,
        is_archive: bool = False,
        is_repeatable: bool = True,
    ) -> None:
        escaped = "".join(ESCAPED.get(letter, letter) for letter in name)
        disposition = f'Content-Disposition: form-data; name="file"; filename="{escaped}"'
        self._boundary = secrets.token_hex(16)  # which is in no file
        self._head = f"--{self._boundary}\r\n{disposition}\r\n\r\n".encode()
        self._tail = f"\r\n--{self._boundary}--\r\n".encode()
        self._pieces = pieces
        self._size = size
        self._on_progress = on_progress
        self.is_archive = is_archive
        self.is_repeatable = is_repeatable
        """Whether it can be sent a second time."""

    @property
    def headers(self) -> dict[str, str]:
        """Tell what the form is, and how long where that is known."""
        known = {"Content-Type": f"multipart/form-data; boundary={self._boundary}"}
        if self._size is not None:
            length = len(self._head) + self._size + len(self._tail)
            known["Content-Length"] = str(length)
        return known

    def body(self) -> Iterator[tuple[bytes, Callable[[], None]]]:
        """Give the form in pieces, each with what to call when it is gone."""
        sent = 0
        yield self._head, _nothing
        for piece in self._pieces():
            sent += len(piece)
            yield piece, self._report(sent)
        yield self._tail, _nothing

    def _report(self, sent: int) -> Callable[[], None]:
        on_progress = self._on_progress
        return _nothing if on_progress is None else lambda: on_progress(sent, self._size)


def _nothing() -> None:
    pass


def file_upload(
    source: str | os.PathLike[str] | BinaryIO, name: str | None, on_progress: OnProgress | None
) -> Upload:
    """Take a file by its path, or one that is open already, from where it stands."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        size = path.stat().st_size
        return Upload(name or path.name, lambda: _file(path), size, on_progress=on_progress)
    begin = source.tell() if source.seekable() else None
    size = None if begin is None else source.seek(0, io.SEEK_END) - begin
    found = name or Path(str(getattr(source, "name", "upload"))).name
    return Upload(
        found,
        lambda: _open_file(source, begin),
        size,
        on_progress=on_progress,
        is_repeatable=begin is not None,
    )


def _file(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from _open_file(file, None)


def _open_file(file: BinaryIO, begin: int | None) -> Iterator[bytes]:
    if begin is not None:
        file.seek(begin)
    while piece := file.read(PIECE):
        yield piece


def folder_upload(source: str | os.PathLike[str], on_progress: OnProgress | None) -> Upload:
    """Take all that is in a folder, as an archive that is made while it is sent."""
    folder = Path(source)
    if not folder.is_dir():
        raise NotADirectoryError(f"There is no folder {str(folder)!r}; for a file take upload().")
    return Upload(
        f"{folder.resolve().name or 'folder'}.zip",
        lambda: zipped(folder),
        on_progress=on_progress,
        is_archive=True,
    )


class _Pipe:
    """Takes what an archive is made of, until somebody fetches it."""

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, data: bytes) -> int:
        self._held += data
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def fetch(self) -> bytes:
        held = bytes(self._held)
        self._held.clear()
        return held


def zipped(folder: Path) -> Iterator[bytes]:
    """Make an archive. Links stay links: what they point to may be nobody's business."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w") as archive:
        for path in _below(folder):
            for _ in _add(archive, path, path.relative_to(folder).as_posix()):
                yield pipe.fetch()
    yield pipe.fetch()


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> Iterator[None]:
    found = path.lstat()
    entry = zipfile.ZipInfo(f"{name}/" if stat.S_ISDIR(found.st_mode) else name, _day(found))
    entry.external_attr = (found.st_mode & 0xFFFF) << 16
    if stat.S_ISLNK(found.st_mode):
        archive.writestr(entry, os.fsencode(path.readlink()))
    elif stat.S_ISDIR(found.st_mode):
        archive.writestr(entry, b"")
    elif stat.S_ISREG(found.st_mode):
        with archive.open(entry, "w", force_zip64=True) as into:
            for piece in _file(path):
                into.write(piece)
                yield
    yield


def _day(found: os.stat_result) -> tuple[int, int, int, int, int, int]:
    year, month, day, hour, minute, second = time.localtime(found.st_mtime)[:6]
    return min(max((year, month, day, hour, minute, second), OLDEST), LATEST)
