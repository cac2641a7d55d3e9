"""The logs of outputs that were too much for a notebook: where they lie, and how long they stay.

They lie outside of the folder that a sandbox can write to. Where somebody shares a folder that
holds them all the same, links are not followed, and a log is always a new file: nobody inside can
choose what is written to or read.
"""

import contextlib
import os
import re
import stat
import time
from collections.abc import Generator
from pathlib import Path
from urllib.parse import quote

LOGS = "logs"
"""The folder for all of them, among what Jupyter keeps for us."""
SUFFIX = ".log"
DAY_S = 86_400

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def log_name(sandbox_id: str, number: int | str) -> str:
    """Name the log of the cell with this number."""
    return re.sub(r"[^\w.-]", "-", f"{sandbox_id}-{number}", flags=re.ASCII) + SUFFIX


def log_address(base_url: str, sandbox_id: str, number: int) -> str:
    """Name the address where a server gives a log; none without a server."""
    return (
        base_url and f"{base_url.rstrip('/')}/sandbook/{quote(sandbox_id, safe='')}/logs/{number}"
    )


def create_log(path: Path) -> int:
    """Open a new log, in place of one with the same name. Blocks."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _opened(path.parent) as folder:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path.name, dir_fd=folder)
        return os.open(path.name, _NEW_FLAGS, 0o600, dir_fd=folder)


def remove_log(path: Path) -> None:
    """Remove a log, if it is there. Blocks."""
    with contextlib.suppress(OSError), _opened(path.parent) as folder:
        os.unlink(path.name, dir_fd=folder)


def open_log(path: Path) -> int:
    """Open a log for reading. Blocks.

    Raises:
        OSError: It is not there, or is none of ours.
    """
    with _opened(path.parent) as folder:
        file = os.open(path.name, _READ_FLAGS, dir_fd=folder)
    found = os.fstat(file)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1:
        return file
    os.close(file)
    raise PermissionError


def prune_logs(folder: Path, most_bytes: int, kept_days: int) -> None:
    """Remove the logs that are too old, and then the oldest until the rest is small. Blocks."""
    with contextlib.suppress(OSError), _opened(folder) as opened, os.scandir(opened) as found:
        known = [(one.stat(follow_symlinks=False), one.name) for one in found]
        logs = [one for one in known if one[1].endswith(SUFFIX)]
        logs.sort(key=lambda one: one[0].st_mtime, reverse=True)
        left = most_bytes
        for about, name in logs:
            left -= about.st_size
            if left < 0 or about.st_mtime < time.time() - kept_days * DAY_S:
                with contextlib.suppress(FileNotFoundError):  # another kernel does the same
                    os.unlink(name, dir_fd=opened)


@contextlib.contextmanager
def _opened(folder: Path) -> Generator[int, None, None]:
    opened = os.open(folder, _FOLDER_FLAGS)
    try:
        yield opened
    finally:
        os.close(opened)
