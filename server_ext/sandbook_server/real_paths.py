"""Where a path really leads, as the kernel of this machine tells; and how folders are copied there.

A sandbox writes to the folders that we look at here: any part of a path may be a link, or become
one at any moment. So nothing is looked up twice: a folder is opened, it is checked what was opened,
and names are used relative to it.
"""

import contextlib
import functools
import os
import shutil
import stat
from collections.abc import Generator
from pathlib import Path

NEW_FILE, NEW_FOLDER = 0o666, 0o777
"""Modes of what is new, less what the person's umask takes away."""
PERMISSIONS = 0o777


def is_inside(path: str | Path, root: str | Path) -> bool:
    """Say whether a path, with all links followed, is the root or below it.

    What cannot be looked up is not inside: paths that are too long, and links that lead to
    themselves or to nothing.
    """
    try:
        return real_path(path).is_relative_to(_real_root(str(root)))
    except OSError:
        return False


def real_path(path: str | Path) -> Path:
    """Follow all links of a path; the last parts of it may not exist yet.

    `Path.resolve` goes by strings, and takes a link for no link where the path to it is longer than
    4096 bytes. Here the kernel follows the links, as it will when the file is used.

    Raises:
        OSError: The path cannot be followed.
    """
    path = Path(path)
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink() or path.name in {"", ".."}:
            raise
        return real_path(path.parent) / path.name
    try:
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    finally:
        os.close(descriptor)


@functools.cache
def _real_root(root: str) -> Path:
    """Follow the links of a root once: it may lie in a folder that some sandbox writes to."""
    return real_path(root)


@contextlib.contextmanager
def opened_folder(path: str | Path, root: str | Path) -> Generator[int, None, None]:
    """Open a folder below the root, to use names relative to it.

    Raises:
        PermissionError: It is not below the root.
    """
    folder = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not is_inside(f"/proc/self/fd/{folder}", root):
            raise PermissionError(f"{path} leads out of {root}")
        yield folder
    finally:
        os.close(folder)


def copy_folder(name: str, source: int, new_name: str, target: int) -> None:
    """Copy a folder, by its name in one folder, to a new name in another; links stay links.

    What is neither a file, a folder nor a link is left out.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    old = os.open(name, flags, dir_fd=source)
    try:
        os.mkdir(new_name, NEW_FOLDER, dir_fd=target)
        new = os.open(new_name, flags, dir_fd=target)
        try:
            for entry in os.listdir(old):  # noqa: PTH208 -- of a descriptor
                _copy_entry(entry, old, new)
            _look_alike(old, new)
        finally:
            os.close(new)
    finally:
        os.close(old)


def _copy_entry(name: str, source: int, target: int) -> None:
    mode = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
    elif stat.S_ISDIR(mode):
        copy_folder(name, source, name, target)
    elif stat.S_ISREG(mode):
        _copy_file(name, source, target)


def _copy_file(name: str, source: int, target: int) -> None:
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    old = os.open(name, os.O_RDONLY | flags, dir_fd=source)
    with os.fdopen(old, "rb") as reader:
        if not stat.S_ISREG(os.fstat(old).st_mode):
            return
        new = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | flags, NEW_FILE, dir_fd=target)
        with os.fdopen(new, "wb") as writer:
            shutil.copyfileobj(reader, writer)
            writer.flush()
            _look_alike(old, new)


def _look_alike(old: int, new: int) -> None:
    """Give a copy the permissions and times of what it was made from."""
    found = os.fstat(old)
    os.fchmod(new, found.st_mode & PERMISSIONS)
    os.utime(new, ns=(found.st_atime_ns, found.st_mtime_ns))
