"""Finds what is to be protected in a workspace: in itself, and in the repositories in it."""

import os
import posixpath
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbook.sandbox.protection import (
    AT_HOME,
    GIT,
    PROTECTED,
    REPOSITORY,
    Protection,
    open_beneath,
    open_up,
)

DEPTH, MOST_ENTRIES, MOST_REPOSITORIES = 3, 10_000, 50
"""How far repositories are looked for below the workspace: it may be a whole home."""
MODULE_DEPTH = 6
"""The submodule `libs/a` has its repository in `.git/modules/libs/a`."""
LONGEST, DEEPEST = 4096, 40
"""No path that is longer, or has more folders, is protected."""
MOST_MOUNTS, MOST_WATCHED = 300, 1000
CONFIG_BYTES, MOST_CONFIGS = 1 << 16, 200
NEVER_SEARCHED = {REPOSITORY, "node_modules", ".venv", "venv", "__pycache__", ".cache"}
OF_WORKTREE = ("commondir", "gitdir", "config.worktree")
HOPS = 3
"""How many links are followed one after the other, inside the workspace."""


def protection_of(workspace: Path, names: Sequence[str] = PROTECTED) -> Protection:
    """Look which of these names a workspace has, also in the repositories in it. Blocks."""
    try:
        root = os.open(workspace, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return Protection()
    try:
        survey = _Survey(root, workspace, is_home=workspace.resolve() == Path.home().resolve())
        for name in names:
            survey.look(name)
        if of_git := [name for name in names if name in GIT]:
            for base in ("", *_repositories(workspace)):
                survey.look_at_repository(base, of_git)
    finally:
        os.close(root)
    return survey.result()


@dataclass(slots=True)
class _Survey:
    root: int
    workspace: Path
    is_home: bool
    held: dict[str, None] = field(default_factory=dict[str, None])
    read_only: dict[str, None] = field(default_factory=dict[str, None])
    watched: dict[str, None] = field(default_factory=dict[str, None])
    links: dict[str, str] = field(default_factory=dict[str, str])
    configs: set[str] = field(default_factory=set[str])

    def result(self) -> Protection:
        return Protection(
            tuple(self.held), tuple(self.read_only), tuple(self.watched), dict(self.links)
        )

    def look_at_repository(self, base: str, names: Sequence[str]) -> None:
        start = base.count("/") + 1 if base else 0
        git = posixpath.join(base, REPOSITORY)
        for name in names:
            self.look(posixpath.join(base, name), start)
        for module in _modules(self.workspace, f"{git}/modules"):
            for name in names:
                self.look(module + name.removeprefix(REPOSITORY), start)
        for tree in _entries(self.workspace / git / "worktrees"):
            for name in OF_WORKTREE:
                self.look(f"{git}/worktrees/{tree.name}/{name}", start)
        self._look_at_config(base, f"{git}/config")

    def _look_at_config(self, base: str, path: str) -> None:
        """Look at the files that a config of git names: hooks, and further configs."""
        if path in self.configs or len(self.configs) >= MOST_CONFIGS:
            return
        self.configs.add(path)
        for key, value in _settings(_text_of(self.root, path)):
            if key == "hookspath":
                self._look_inside(base, value)
            elif key == "path" and (included := self._inside(posixpath.dirname(path), value)):
                self.look(included)
                self._look_at_config(base, included)

    def look(self, path: str, start: int = 0, hops: int = HOPS) -> None:
        """Find out what there is at a path, whose folders from `start` on must not be renamed."""
        if len(self.held) + len(self.read_only) >= MOST_MOUNTS or not _is_possible(path):
            return
        parts = path.split("/")
        above = ["/".join(parts[:n]) for n in range(start + 1, len(parts))]
        if not all(self._passes(place, path.removeprefix(place), hops) for place in above):
            return
        mode = _mode(self.root, path)
        if stat.S_ISLNK(mode):
            self.held |= dict.fromkeys(above)
            self._follow(path, "", hops)
        elif stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            self.held |= dict.fromkeys(above)
            self.read_only[path] = None
        elif mode == 0 and (path not in AT_HOME or self.is_home):
            self._watch(path)

    def _passes(self, place: str, rest: str, hops: int) -> bool:
        """Say whether a folder on the way is one; protect what is there instead."""
        mode = _mode(self.root, place)
        if stat.S_ISLNK(mode):
            self._follow(place, rest, hops)
        elif stat.S_ISREG(mode):  # of a repository, the file that says where it is
            self.read_only[place] = None
        return stat.S_ISDIR(mode)

    def _watch(self, path: str) -> None:
        if len(self.watched) < MOST_WATCHED:
            self.watched[path] = None

    def _follow(self, link: str, rest: str, hops: int) -> None:
        """Keep a link as it is, and protect what it leads to, if that is in the workspace."""
        target = _target_of(self.root, link)
        if target and _is_possible(target) and len(self.links) < MOST_MOUNTS:
            self.links[link] = target
            if hops:
                self._look_inside(posixpath.dirname(link), target + rest, hops - 1)

    def _look_inside(self, base: str, path: str, hops: int = HOPS) -> None:
        """Look at a path that is told from a folder of the workspace, and may lead out of it."""
        if inside := self._inside(base, path):
            self.look(inside, 0, hops)

    def _inside(self, base: str, path: str) -> str:
        """Give a path relative to the workspace; nothing, if it leads out of it."""
        full = posixpath.normpath(posixpath.join("/", str(self.workspace), base, path))
        inside = posixpath.relpath(full, self.workspace)
        is_outside = inside == "." or inside.split("/")[0] == ".."
        return "" if is_outside or not _is_possible(inside) else inside


def _is_possible(path: str) -> bool:
    """Say whether the system and an engine can be told this path, and soon look at it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in path and len(path) < LONGEST and path.count("/") < DEEPEST


def _settings(config: str) -> Iterator[tuple[str, str]]:
    """Read names, in lower case, and values of a config of git; sections do not matter here.

    Each line is read once: the config may be written to take long.
    """
    for line in config.split("\n"):
        before, equals, after = line.partition("=")
        key, value = before.rpartition("]")[2].strip().lower(), after.strip()
        if value.startswith('"'):
            value = value[1:].partition('"')[0]
        if equals and key and value:
            yield key, value


def _target_of(root: int, link: str) -> str:
    """Tell where a link leads; nothing, if it is none any more."""
    above, _, name = link.rpartition("/")
    folder = root
    try:
        folder = open_beneath(root, above) if above else root
        return os.readlink(name, dir_fd=folder)
    except OSError:
        return ""
    finally:
        if folder != root:
            os.close(folder)


def _mode(root: int, path: str) -> int:
    """Give type and mode of a file, also of a link; 0 if there is none."""
    above, _, name = path.rpartition("/")
    for attempt in range(2):
        folder = root
        try:
            if attempt:
                open_up(root, above)
            folder = open_beneath(root, above) if above else root
            return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except PermissionError:
            continue
        except OSError:
            return 0
        finally:
            if folder != root:
                os.close(folder)
    return 0


def _text_of(root: int, path: str) -> str:
    try:
        place = open_beneath(root, path)
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            return ""
        with open(f"/proc/self/fd/{place}", "rb") as file:  # noqa: PTH123 -- a descriptor
            return file.read(CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(place)


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
                if entry.name in NEVER_SEARCHED:
                    continue
                below.append(Path(entry.path))
                if os.path.lexists(f"{entry.path}/{REPOSITORY}"):
                    found.append(str(below[-1].relative_to(workspace)))
        level = below
    return found


def _modules(workspace: Path, folder: str, depth: int = MODULE_DEPTH) -> Iterator[str]:
    """Find the repositories of submodules, which are kept in that of the whole."""
    for entry in _entries(workspace / folder)[:MOST_WATCHED] if depth else ():
        place = f"{folder}/{entry.name}"
        if os.path.lexists(f"{entry.path}/HEAD") or os.path.lexists(f"{entry.path}/config"):
            yield place
            yield from _modules(workspace, f"{place}/modules", depth - 1)
        else:
            yield from _modules(workspace, place, depth - 1)


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    """List the folders in a folder; links are none."""
    try:
        with os.scandir(folder) as entries:
            some = (entry for _, entry in zip(range(MOST_ENTRIES), entries, strict=False))
            return [entry for entry in some if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
