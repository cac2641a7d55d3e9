"""Finds repositories of git in a workspace, which may be a whole home, or made to take long."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

REPOSITORY = ".git"
DEPTH, MOST_FOLDERS, MOST_REPOSITORIES = 3, 10_000, 50
"""How far repositories are looked for below a workspace."""
MODULE_DEPTH = 6
"""The submodule `libs/a` has its repository in `.git/modules/libs/a`."""
NEVER_SEARCHED = {REPOSITORY, "node_modules", ".venv", "venv", "__pycache__", ".cache"}


def repositories(workspace: Path, give_up: Callable[[], None]) -> Iterator[str]:
    """Find the folders below the workspace that have a repository of their own."""
    found = seen = 0
    level = [workspace]
    for _ in range(DEPTH):
        below: list[Path] = []
        for entry in itertools.chain.from_iterable(map(folders_in, level)):
            seen += 1
            has_one = os.path.lexists(f"{entry.path}/{REPOSITORY}")
            found += has_one
            if seen > MOST_FOLDERS or found > MOST_REPOSITORIES:
                give_up()
                return
            if entry.name in NEVER_SEARCHED:
                continue
            below.append(Path(entry.path))
            if has_one:
                yield str(below[-1].relative_to(workspace))
        level = below


def modules(workspace: Path, folder: str, give_up: Callable[[], None]) -> Iterator[str]:
    """Find the repositories of submodules, which are kept in that of the whole."""
    seen = 0
    level = [folder]
    for _ in range(MODULE_DEPTH):
        below: list[str] = []
        for place in level:
            for entry in folders_in(workspace / place):
                seen += 1
                if seen > MOST_FOLDERS:
                    give_up()
                    return
                inside = f"{place}/{entry.name}"
                is_one = any(os.path.lexists(f"{entry.path}/{name}") for name in ("HEAD", "config"))
                if is_one:
                    yield inside
                below.append(f"{inside}/modules" if is_one else inside)
        level = below


def folders_in(folder: Path) -> list["os.DirEntry[str]"]:
    """List the folders in a folder; links are none."""
    try:
        with os.scandir(folder) as entries:
            folders = (entry for entry in entries if entry.is_dir(follow_symlinks=False))
            return list(itertools.islice(folders, MOST_FOLDERS + 1))
    except OSError:
        return []
