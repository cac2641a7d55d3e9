"""Files of a workspace that programs of this machine run by themselves: no sandbox may change them.

What is there when a sandbox starts is mounted read-only over itself. A folder of a repository that
holds such files is mounted over itself, too, for what is a mount point cannot be renamed. What is
not there cannot be mounted over, so it is watched for (`guard.py`).

A sandbox that runs already may change the workspace at any moment, so links are never followed.
"""

import contextlib
import os
import stat
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath
from typing import Any

from traitlets import List, TraitError

from sandbook.errors import SandboxStartError

REPOSITORY = ".git"
GIT = (".git/config", ".git/hooks", ".git/commondir")
ANYWHERE = (*GIT, ".vscode", ".idea", ".envrc")
AT_HOME = (
    *(".ipython", ".jupyter", ".gitconfig", ".inputrc"),
    *(".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"),
    *(".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"),
)
"""Programs look for these in a home only, so elsewhere they may be made."""
PROTECTED = (*ANYWHERE, *AT_HOME)

CHANGED = "{} changed while the sandbox was made. Start it again."
DEPTH, MOST_ENTRIES, MOST_REPOSITORIES = 3, 10_000, 50
"""How far repositories are looked for below the workspace: it may be a whole home."""
NEVER_SEARCHED = {REPOSITORY, "node_modules", ".venv", "venv", "__pycache__", ".cache"}
FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Protection:
    """What is protected in one workspace; paths are relative to it."""

    held: tuple[str, ...] = ()
    """Folders that can be written to, and not be renamed."""
    read_only: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    """Names that must not come to be."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Protection":
        """Read what `asdict` gave."""
        return cls(**{each.name: tuple(value.get(each.name, ())) for each in fields(cls)})


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


@dataclass(slots=True)
class _Survey:
    names: Sequence[str]
    is_home: bool
    held: dict[str, None] = field(default_factory=dict[str, None])
    read_only: dict[str, None] = field(default_factory=dict[str, None])
    watched: dict[str, None] = field(default_factory=dict[str, None])

    def look(self, workspace: int, base: str, name: str) -> None:
        """Find out what there is of a name below `base`."""
        path = PurePosixPath(base, name)
        above = [str(PurePosixPath(base, parent)) for parent in PurePosixPath(name).parents][-2::-1]
        for folder in above:
            mode = _mode(workspace, folder)
            if not stat.S_ISDIR(mode):
                if stat.S_ISREG(mode):  # of a repository, the file that says where it is
                    self.read_only[folder] = None
                return
        mode = _mode(workspace, str(path))
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            self.held |= dict.fromkeys(above)
            self.read_only[str(path)] = None
        elif mode == 0 and (name not in AT_HOME or self.is_home):
            self.watched[str(path)] = None

    def result(self) -> Protection:
        return Protection(tuple(self.held), tuple(self.read_only), tuple(self.watched))


def protection_of(workspace: Path, names: Sequence[str] = PROTECTED) -> Protection:
    """Look which of these names a workspace has, also in the repositories in it. Blocks."""
    survey = _Survey(names, is_home=workspace.resolve() == Path.home().resolve())
    try:
        root = os.open(workspace, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return Protection()
    try:
        for name in names:
            survey.look(root, "", name)
        if of_git := [name for name in names if name in GIT]:
            for base in ("", *_repositories(workspace)):
                for name in of_git if base else ():
                    survey.look(root, base, name)
                for module in _modules(workspace / base):
                    for name in of_git:
                        survey.look(root, base, name.replace(REPOSITORY, module, 1))
    finally:
        os.close(root)
    return survey.result()


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
                places[path] = open_beneath(root, path)
            except OSError as error:
                raise SandboxStartError(CHANGED.format(path)) from error
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


def _mode(root: int, path: str) -> int:
    """Give type and mode of a file, also of a link; 0 if there is none."""
    parent, _, name = path.rpartition("/")
    folder = root
    try:
        folder = open_beneath(root, parent) if parent else root
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return 0
    finally:
        if folder != root:
            os.close(folder)


def _repositories(workspace: Path) -> list[str]:
    """Find the folders below the workspace that have a repository of their own."""
    found: list[str] = []
    level, seen = [workspace], 0
    for _ in range(DEPTH):
        below: list[Path] = []
        for folder in level:
            for entry in _entries(folder):
                seen += 1
                if seen > MOST_ENTRIES or len(found) >= MOST_REPOSITORIES:
                    return found
                if entry.name in NEVER_SEARCHED or not entry.is_dir(follow_symlinks=False):
                    continue
                below.append(Path(entry.path))
                if os.path.lexists(f"{entry.path}/{REPOSITORY}"):
                    found.append(str(below[-1].relative_to(workspace)))
        level = below
    return found


def _modules(repository: Path) -> Iterator[str]:
    """Name the repositories of submodules, which are kept in that of the whole."""
    for entry in _entries(repository / REPOSITORY / "modules"):
        if entry.is_dir(follow_symlinks=False):
            yield f"{REPOSITORY}/modules/{entry.name}"


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return [entry for _, entry in zip(range(MOST_ENTRIES), entries, strict=False)]
    except OSError:
        return []
