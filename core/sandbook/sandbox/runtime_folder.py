"""The folder where processes of one user tell each other about their sandboxes.

What stands in it is trusted: a record names a process whose namespaces are joined. So it lies below
Jupyter's own runtime folder, which is in the person's home, and everything is looked at before it
is used: another user of this machine might have made it first.
"""

import os
import platform
import stat
from pathlib import Path

from jupyter_core.paths import jupyter_runtime_dir

from sandbook.errors import SandboxStartError

VARIABLE = "SANDBOOK_RUNTIME_DIR"
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
LONGEST_FILE = 1 << 20


def runtime_folder() -> Path:
    """Name the folder, which may not be there yet.

    A home may be shared by several machines, and processes belong to one of them.
    """
    if given := os.environ.get(VARIABLE):
        return Path(given)
    return Path(jupyter_runtime_dir(), f"sandbook-{platform.node() or 'machine'}")


def realm() -> str:
    """Name the realm of this process: sandboxes of one realm are not seen from another.

    Whoever is given a runtime folder of his own has a realm of his own; an engine is shared, so its
    containers tell theirs by a label.
    """
    return os.environ.get(VARIABLE, "")


def ensure_private(folder: Path) -> None:
    """Make the folder, or check that it is this user's alone.

    Raises:
        SandboxStartError: It belongs to somebody else, or somebody else may write to it.
    """
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise SandboxStartError(f"Cannot make {folder}: {error.strerror}.") from error
    if not is_private(folder):
        raise SandboxStartError(
            f"{folder} is not a folder that only you can write to, so it cannot be trusted. "
            "Remove it, or set JUPYTER_RUNTIME_DIR to a folder of your own."
        )


def is_private(folder: Path) -> bool:
    """Say whether this is a real folder that is ours, and that nobody else may write to."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and _is_ours(found)


def read_private(path: Path) -> str:
    """Read a small file that only this user can have written.

    Raises:
        PermissionError: Somebody else may have written it.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or not _is_ours(found):
            raise PermissionError(f"{path} may be somebody else's.")
        return file.read(LONGEST_FILE).decode("utf-8")


def open_lock(name: str) -> int:
    """Open a file to lock, in the folder of this user.

    Raises:
        SandboxStartError: It cannot be, or may be somebody else's.
    """
    folder = runtime_folder()
    ensure_private(folder)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(folder / name, flags, 0o600)
    except OSError as error:
        raise SandboxStartError(f"Cannot lock {folder / name}: {error.strerror}.") from error


def _is_ours(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & OTHERS_WRITE
