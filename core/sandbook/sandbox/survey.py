"""Finds what is to be protected in a workspace: in itself, and in the repositories in it."""

import contextlib
import itertools
import os
import posixpath
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbook.sandbox.gitconfig import settings_of
from sandbook.sandbox.protection import (
    AT_HOME,
    GIT,
    PROTECTED,
    Protection,
    open_beneath,
    open_up,
)
from sandbook.sandbox.repositories import REPOSITORY, folders_in, modules, repositories

LONGEST, DEEPEST = 1024, 40
"""No path that has more bytes, or more folders, is protected: the engines' lists have ends, too."""
MOST_MOUNTS, MOST_WATCHED = 300, 1000
CONFIG_BYTES, MOST_CONFIGS = 1 << 16, 200
CONFIGS = ("config", "config.worktree")
OF_WORKTREE = ("commondir", "gitdir", "config.worktree")
ELSEWHERE = "gitdir:"
"""How a file `.git` begins that tells where the repository is."""
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
            hooks = list(_hooks_of_all_repositories())
            for base in itertools.chain([""], repositories(workspace, survey.give_up)):
                survey.look_at_repository(base, of_git, hooks)
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
    seen: set[str] = field(default_factory=set[str])
    """Configs and repositories."""
    is_partial: bool = False

    def result(self) -> Protection:
        """Give what was found, folders before what is in them; nothing is mounted twice."""
        read_only = [path for path in self.read_only if not self._is_below_read_only(path)]
        held = [
            path
            for path in self.held
            if path not in self.read_only and not self._is_below_read_only(path)
        ]
        return Protection(
            tuple(sorted(held, key=_depth)),
            tuple(sorted(read_only, key=_depth)),
            tuple(self.watched),
            dict(self.links),
            self.is_partial,
        )

    def give_up(self) -> None:
        """Remember that there was more than can be protected."""
        self.is_partial = True

    def _is_below_read_only(self, path: str) -> bool:
        return any(above in self.read_only for above in _folders(path))

    def look_at_repository(self, base: str, names: Sequence[str], hooks: Sequence[str]) -> None:
        """Look at the repository of a folder, wherever it is, and at all that belongs to it."""
        for place in hooks:
            self._look_inside(base, place)
        git = posixpath.join(base, REPOSITORY)
        for name in names:
            self.look(posixpath.join(base, name), _parts(base))
        if elsewhere := self._told_by(git):
            git = elsewhere
        self._look_at_folder(base, git, names)
        for module in modules(self.workspace, f"{git}/modules", self.give_up):
            self._look_at_folder(base, module, names)
        for tree in folders_in(self.workspace / git / "worktrees"):
            for name in OF_WORKTREE:
                self.look(f"{git}/worktrees/{tree.name}/{name}", _parts(base))
            self._look_at_config(base, f"{git}/worktrees/{tree.name}/config.worktree")

    def _told_by(self, git: str) -> str:
        """Give the folder in the workspace that a link, or a file, in the place of `.git` names."""
        told = _target_of(self.root, git)
        if not told and (text := _text_of(self.root, git)).startswith(ELSEWHERE):
            told = text.removeprefix(ELSEWHERE).strip()
        return next(self._inside(posixpath.dirname(git), told), "") if told else ""

    def _look_at_folder(self, base: str, git: str, names: Sequence[str]) -> None:
        if git in self.seen:
            return
        self.seen.add(git)
        if git != posixpath.join(base, REPOSITORY):
            for name in names:
                self.look(git + name.removeprefix(REPOSITORY), _parts(base))
        for name in CONFIGS:
            self._look_at_config(base, f"{git}/{name}")

    def _look_at_config(self, base: str, path: str) -> None:
        """Look at the files that a config of git names: hooks, and further configs."""
        if path in self.seen:
            return
        self.seen.add(path)
        if len(self.seen) > MOST_CONFIGS:
            self.give_up()
            return
        for key, value in settings_of(_text_of(self.root, path)):
            if key == "core.hookspath":
                self._look_inside(base, value)
            elif key in {"include.path", "includeif.path"}:
                above = posixpath.dirname(path)
                self._look_inside(above, value)
                for included in self._inside(above, value):
                    self._look_at_config(base, included)

    def look(self, path: str, start: int = 0, hops: int = HOPS, *, is_told: bool = False) -> None:
        """Find out what there is at a path, whose folders from `start` on must not be renamed.

        What a config tells of may come to be together with its folders.
        """
        if not _is_possible(path) or self._is_full():
            return
        above = list(_folders(path, start))
        for place in above:
            if not self._passes(place, path.removeprefix(place), hops):
                if is_told and _mode(self.root, place) == 0:
                    self._watch(path)
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

    def _is_full(self) -> bool:
        is_full = len(self.held) + len(self.read_only) >= MOST_MOUNTS
        self.is_partial |= is_full
        return is_full

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
        else:
            self.give_up()

    def _follow(self, link: str, rest: str, hops: int) -> None:
        """Keep a link as it is, and protect what it leads to, if that is in the workspace."""
        target = _target_of(self.root, link)
        if target and _is_possible(target) and len(self.links) < MOST_MOUNTS:
            self.links[link] = target
            if hops:
                self._look_inside(posixpath.dirname(link), target + rest, hops - 1)

    def _look_inside(self, base: str, path: str, hops: int = HOPS) -> None:
        """Look at a path that is told from a folder of the workspace, and may lead out of it."""
        for inside in self._inside(base, path):
            self.look(inside, 0, hops, is_told=True)

    def _inside(self, base: str, path: str) -> Iterator[str]:
        """Give a path relative to the workspace: as it is told, and as links lead; or nothing."""
        if not _is_possible(path):
            return
        if path.startswith("~/"):
            path = f"{Path.home()}{path[1:]}"
        told = posixpath.join("/", str(self.workspace), base, path)
        places = {
            posixpath.relpath(posixpath.normpath(told), self.workspace): None,
            posixpath.relpath(os.path.realpath(told), self.workspace.resolve()): None,
        }
        for place in places:
            if place != "." and place.split("/")[0] != ".." and _is_possible(place):
                yield place


def _hooks_of_all_repositories() -> Iterator[str]:
    """Give where hooks are in every repository, as the person's own config tells."""
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "git/config")
    for place in (Path("/etc/gitconfig"), own, Path.home() / ".gitconfig"):
        with contextlib.suppress(OSError):
            text = place.read_text("utf-8", "replace")
            yield from (value for key, value in settings_of(text) if key == "core.hookspath")


def _folders(path: str, start: int = 0) -> Iterator[str]:
    """Give the folders on the way to a path, from the outermost, but for the first few."""
    parts = path.split("/")
    return ("/".join(parts[:n]) for n in range(start + 1, len(parts)))


def _parts(base: str) -> int:
    return base.count("/") + 1 if base else 0


def _depth(path: str) -> int:
    return path.count("/")


def _is_possible(path: str) -> bool:
    """Say whether the system and an engine can be told this path, and soon look at it."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return False
    return "\0" not in path and size < LONGEST and path.count("/") < DEEPEST


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
