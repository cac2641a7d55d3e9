"""What to do about a protected name that a sandbox has made: move it aside.

    python -m sandbook.sandbox.guard <ORDER

As a program, the keeper of a sandbox runs it when the owner was killed and the sandbox has ended.
"""

import contextlib
import json
import logging
import os
import secrets
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from sandbook.safe_path import safe_command
from sandbook.sandbox.protection import Protection, open_beneath, open_up

ASIDE = "{}.blocked"
EVERY_S = 1.0


class Guard:
    """Looks after one sandbox, each second and whenever it is asked to.

    It has a thread of its own: a sandbox can keep an event loop busy, and shared threads waiting.
    """

    def __init__(
        self, workspace: Path, protection: Protection, on_moved: "Callable[[Moved], None]"
    ) -> None:
        self._workspace = workspace
        self._protection = protection
        self._on_moved = on_moved
        self._over = threading.Event()
        if protection.watched or protection.links:
            threading.Thread(target=self._run, name="sandbook-guard", daemon=True).start()

    def look(self) -> None:
        """Move aside what there is now. Blocks."""
        self._on_moved(move_aside(self._workspace, self._protection))

    def stop(self) -> None:
        """Look no more by itself."""
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(EVERY_S):
            try:
                self.look()
            except Exception:  # whatever a sandbox has found to trip it, it goes on
                logging.getLogger("sandbook").exception("The guard could not look")


def guard_argv() -> list[str]:
    """Give the command line of this program."""
    return safe_command([sys.executable, "-m", "sandbook.sandbox.guard"])


def order_for(workspace: Path | str, protection: Protection) -> bytes:
    """Give what the program reads."""
    return json.dumps({"workspace": str(workspace), "protection": asdict(protection)}).encode()


def carry_out(order: bytes) -> None:
    """Do what the program is for."""
    if order:
        told = json.loads(order)
        move_aside(Path(told["workspace"]), Protection.from_json(told["protection"]))


class Moved(NamedTuple):
    """Which protected names had come to be."""

    renamed: list[str]
    left: list[str]
    """Nobody but root can rename these: their folder belongs to somebody else now."""


def move_aside(workspace: Path, protection: Protection) -> Moved:
    """Rename what has come to be at protected names; give back which were. Blocks.

    Who makes them again and again has them renamed again and again.
    """
    moved = Moved([], [])
    with contextlib.suppress(OSError):  # without a workspace, there is nothing in it
        root = os.open(workspace, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for path in (*protection.watched, *protection.links):
                target = protection.links.get(path)
                with contextlib.suppress(OSError):  # most often, it is not there
                    try:
                        if _restore(root, path, target):
                            moved.renamed.append(path)
                    except PermissionError:
                        if _is_there(root, path, target):
                            moved.left.append(path)
        finally:
            os.close(root)
    return moved


def _is_there(root: int, path: str, target: str | None) -> bool:
    above, _, name = path.rpartition("/")
    folder = open_beneath(root, above) if above else os.dup(root)
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return not _is_link_to(folder, name, target)
    finally:
        os.close(folder)


def _restore(root: int, path: str, target: str | None) -> bool:
    """Rename what is at a path, unless it is the link that belongs there; say whether it was."""
    above, _, name = path.rpartition("/")
    for attempt in range(2):
        if attempt:  # the sandbox may have taken away our right to change the folder
            open_up(root, above)
        folder = open_beneath(root, above) if above else os.dup(root)
        try:
            if _is_link_to(folder, name, target):
                return False
            os.stat(name, dir_fd=folder, follow_symlinks=False)
            os.rename(name, _free_name(folder, name), src_dir_fd=folder, dst_dir_fd=folder)
            if target is not None:
                os.symlink(target, name, dir_fd=folder)
        except PermissionError:
            if attempt:
                raise
        else:
            return True
        finally:
            os.close(folder)
    return False


def _is_link_to(folder: int, name: str, target: str | None) -> bool:
    try:
        return target is not None and os.readlink(name, dir_fd=folder) == target
    except OSError:
        return False


def _free_name(folder: int, name: str) -> str:
    aside = ASIDE.format(name)
    try:
        os.stat(aside, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return aside
    return f"{aside}-{secrets.token_hex(4)}"


if __name__ == "__main__":
    carry_out(sys.stdin.buffer.read())
