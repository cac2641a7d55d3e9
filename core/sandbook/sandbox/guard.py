"""What to do about a protected name that a sandbox has made: move it aside."""

import contextlib
import itertools
import os
from collections.abc import Sequence
from pathlib import Path

from sandbook.sandbox.protection import open_beneath

ASIDE = "{}.blocked"


def move_aside(workspace: Path, watched: Sequence[str]) -> list[str]:
    """Rename what has come to be at these names; give back which were. Blocks.

    Who makes them again and again has them renamed again and again.
    """
    found: list[str] = []
    with contextlib.suppress(OSError):  # without a workspace, there is nothing in it
        root = os.open(workspace, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for path in watched:
                with contextlib.suppress(OSError):  # most often, it is not there
                    _rename(root, path)
                    found.append(path)
        finally:
            os.close(root)
    return found


def _rename(root: int, path: str) -> None:
    above, _, name = path.rpartition("/")
    folder = open_beneath(root, above) if above else os.dup(root)
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        os.rename(name, _free_name(folder, name), src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)


def _free_name(folder: int, name: str) -> str:
    for number in itertools.count(1):
        aside = ASIDE.format(name) + (f"-{number}" if number > 1 else "")
        try:
            os.stat(aside, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return aside
    raise AssertionError
