"""Files of a workspace that programs of this machine run by themselves: no sandbox may change them.

What is there when a sandbox starts is mounted read-only over itself. A folder of a repository that
holds such files is mounted over itself, too, for what is a mount point cannot be renamed. What is
not there, or is a link, cannot be mounted over, so it is watched (`guard.py`). What there is to
protect is found by `survey.py`.

A sandbox that runs already may change the workspace at any moment, so links are never followed.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from traitlets import List, TraitError

from sandbook.errors import SandboxStartError
from sandbook.sandbox.descriptors import above_scripts

GIT = (".git/config", ".git/config.worktree", ".git/hooks", ".git/commondir")
ANYWHERE = (*GIT, ".husky", ".vscode", ".idea", ".envrc")
AT_HOME = (
    *(".ipython", ".jupyter", ".gitconfig", ".inputrc"),
    *(".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"),
    *(".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"),
)
"""Programs look for these in a home only, so elsewhere they may be made."""
PROTECTED = (*ANYWHERE, *AT_HOME)

CHANGED = "{} changed while the sandbox was made. Start it again."
NOT_OPENED = "{} cannot be protected: {}."
LISTS = ("held", "read_only", "watched")
OWNER = 0o700
FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Protection:
    """What is protected in one workspace; paths are relative to it."""

    held: tuple[str, ...] = ()
    """Folders that can be written to, and not be renamed."""
    read_only: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    """Names that must not come to be."""
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    """Links that must stay what they are, and where they lead."""
    is_partial: bool = False
    """There was more to protect than can be."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Protection":
        """Read what `asdict` gave."""
        held, read_only, watched = (tuple(value.get(name, ())) for name in LISTS)
        is_partial = bool(value.get("is_partial"))
        return cls(held, read_only, watched, dict(value.get("links", {})), is_partial)


class ProtectedNames(List[str]):
    """A list of paths in the workspace, as a setting."""

    def validate(self, obj: Any, value: Any) -> list[str]:
        """Refuse what is no path in the workspace."""
        names: list[str] = super().validate(obj, value) or []
        for name in names:
            parts = PurePosixPath(name).parts
            if not parts or name.startswith("/") or ".." in parts or "\0" in name:
                place = f"{type(obj).__name__}.{self.name}"
                raise TraitError(f"{place} refuses {name!r}: want a path such as .git/hooks")
        return names


def open_beneath(root: int, path: str) -> int:
    """Open what is at a path below a folder, without following any link.

    Raises:
        OSError: It is not there, or there is a link on the way.
    """
    *folders, name = PurePosixPath(path).parts
    opened = [os.dup(root)]
    try:
        for folder in folders:
            opened.append(os.open(folder, FOLDER, dir_fd=opened[-1]))
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=opened[-1])
    finally:
        for one in opened:
            os.close(one)
    if stat.S_ISLNK(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is a link")
    return descriptor


def open_up(root: int, path: str) -> None:
    """Give us the right to look into the folders of a path, and to change them, if they are ours.

    Raises:
        OSError: They are not ours, or there is a link on the way.
    """
    parts = path.split("/") if path else []
    for length in range(len(parts) + 1):
        folder = open_beneath(root, "/".join(parts[:length])) if length else os.dup(root)
        try:
            mode = stat.S_IMODE(os.fstat(folder).st_mode)
            if mode & OWNER != OWNER:
                os.chmod(f"/proc/self/fd/{folder}", mode | OWNER)  # noqa: PTH101 -- a descriptor
        finally:
            os.close(folder)


@contextlib.contextmanager
def opened(workspace: Path, protection: Protection) -> Generator[dict[str, int], None, None]:
    """Open what is to be mounted over itself: its path may soon lead elsewhere.

    Raises:
        SandboxStartError: It does already.
    """
    places: dict[str, int] = {}
    root = os.open(workspace, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path in (*protection.held, *protection.read_only):
            try:
                places[path] = above_scripts(open_beneath(root, path))
            except OSError as error:
                is_other = error.errno in {None, errno.ENOENT, errno.ELOOP, errno.ENOTDIR}
                text = CHANGED if is_other else NOT_OPENED
                raise SandboxStartError(text.format(path, error.strerror)) from error
        yield places
    finally:
        for descriptor in (root, *places.values()):
            os.close(descriptor)


def numbers_of(workspace: Path, protection: Protection) -> dict[str, str]:
    """Give device and inode of the workspace (as `""`) and of all that is mounted in it. Blocks.

    Raises:
        SandboxStartError: It has changed meanwhile.
    """
    with opened(workspace, protection) as places:
        found = {"": workspace.stat(), **{path: os.fstat(one) for path, one in places.items()}}
    return {path: f"{one.st_dev}:{one.st_ino}" for path, one in found.items()}
