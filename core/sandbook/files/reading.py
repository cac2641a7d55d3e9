"""A file that is being read."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sandbook.errors import IsAFolderError, NotAFileError, PathNotFoundError
from sandbook.files.entries import FileInfo
from sandbook.files.paths import shown


@dataclass(frozen=True, slots=True)
class FileReader:
    """What the file is, and so many of its bytes."""

    info: FileInfo
    length: int
    pieces: AsyncIterator[bytes]


def check_regular(info: FileInfo, path: str) -> None:
    """Refuse what has no bytes to read.

    Raises:
        FileError: It is a folder, a pipe, a device, or a link to nothing.
    """
    if info.kind == "folder":
        raise IsAFolderError(shown(path))
    if info.kind == "link":
        raise PathNotFoundError(shown(path))
    if info.kind != "file":
        raise NotAFileError(shown(path))
