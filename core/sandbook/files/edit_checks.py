"""What must hold of a path before an agent may view or edit it, in the order agents know. Pure."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from sandbook.files import editor_texts as texts


@dataclass(frozen=True, slots=True)
class Found:
    """What the sandbox has at a path."""

    exists: bool
    is_folder: bool = False
    size: int = 0
    is_binary: bool = False


def check_path(command: str, path: str, found: Found, meant: str = "") -> None:
    """See that a command can be used on a path at all.

    Args:
        meant: What exists where a relative path is taken from the working directory, if it does.

    Raises:
        EditError: It cannot.
    """
    if not path.startswith("/"):
        raise texts.not_absolute(path, meant)
    if command == "create" and found.exists:
        raise texts.exists(path)
    if command != "create" and not found.exists:
        raise texts.missing(path)
    if command != "view" and found.is_folder:
        raise texts.is_folder(path)
    if command != "view" and is_document(path):
        raise texts.is_document(path)
    if command not in texts.COMMANDS:
        raise texts.unknown_command(command)


def check_file(path: str, found: Found) -> None:
    """See that what a file holds can be shown and edited; parameters are checked before.

    Raises:
        EditError: It is too large, or no text.
    """
    if not found.exists or found.is_folder:
        return
    if found.size > texts.MAX_FILE_BYTES:
        raise texts.too_large(path, found.size)
    if found.is_binary and not is_document(path):
        raise texts.is_binary(path)


def is_document(path: str) -> bool:
    """Tell whether a path can be viewed as Markdown though it is binary."""
    return PurePosixPath(path).suffix.lower() in texts.CONVERTED
