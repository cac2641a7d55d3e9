"""What the side program says went wrong, as our errors. Pure."""

from collections.abc import Callable

from sandbook.errors import (
    AlreadyExistsError,
    DiskFullError,
    FileError,
    IsAFolderError,
    NotAFileError,
    NotAFolderError,
    PathNotFoundError,
    PermissionDeniedError,
    TooLargeError,
)
from sandbook.files.paths import shown

REASON_LENGTH = 500

REFUSALS: dict[str, Callable[[str], FileError]] = {
    "@missing": PathNotFoundError,
    "@folder": IsAFolderError,
    "@unfolder": NotAFolderError,
    "@irregular": NotAFileError,
    "@exists": AlreadyExistsError,
    "@kept": lambda path: FileError(f"{path!r} stays: it is the root or the workspace itself."),
    "@endless": lambda path: FileError(f"The sandbox tells more of {path!r} than there can be."),
    "@tarless": lambda _: FileError("The image has no tar, which archives need. Install tar."),
}
ENDINGS: dict[str, Callable[[str], FileError]] = {
    "No such file or directory": PathNotFoundError,
    "Permission denied": PermissionDeniedError,
    "Operation not permitted": PermissionDeniedError,
    "Read-only file system": PermissionDeniedError,
    "Is a directory": IsAFolderError,
    "Not a directory": NotAFolderError,
    "File exists": AlreadyExistsError,
    "Directory not empty": AlreadyExistsError,
    "No space left on device": DiskFullError,
    "Disk quota exceeded": DiskFullError,
}


def error_from(fault: str, path: str) -> FileError:
    """Find the error for what the side program said, in the words of coreutils or its own."""
    refusal, _, about = fault.partition(" ")
    if refusal == "@large":
        return TooLargeError(shown(path), int(about))
    if refusal in REFUSALS:
        return REFUSALS[refusal](shown(about or path))
    path = shown(path)
    for ending, error in ENDINGS.items():
        if ending in fault:
            return error(path)
    reason = shown(fault).strip().partition("\n")[0]
    return FileError(f"Could not do that with {path!r}: {reason[:REASON_LENGTH]}.")
