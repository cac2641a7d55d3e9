"""The file that holds the trajectory of one sandbox: a line for each entry."""

import contextlib
import logging
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from sandbook.trajectory.entries import Entry, entries_from, line_from
from sandbook.trajectory.policy import TrajectoryPolicy

TRAJECTORIES = "trajectories"
"""The folder for all of them, among what Jupyter keeps for us."""
SUFFIX = ".jsonl"
FULL = "Nothing more was kept: the trajectory has reached c.TrajectoryPolicy.limit_mb."
NOT_KEPT = "Not kept, for it cannot be written down: {}."
TOO_LARGE = "Not kept, for it is too large: {} ({} MiB)."
LARGE_PART = 4
"""One entry may take the fourth part of what may be kept."""
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)


def now() -> str:
    """Tell the time, as entries have it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def journal_path(folder: Path, sandbox_id: str) -> Path | None:
    """Say where the trajectory of a sandbox is kept; nowhere, if it can have no such id."""
    return folder / f"{sandbox_id}{SUFFIX}" if _NAME.fullmatch(sandbox_id) else None


def read_journal(path: Path) -> list[Entry]:
    """Read a trajectory; an empty one, if nothing was kept. Blocks."""
    try:
        return entries_from(path.read_bytes().splitlines())
    except FileNotFoundError:
        return []


class Journal:
    """Writes in a thread of its own, in order. No error of it ever fails what it tells of."""

    def __init__(self, path: Path | None, policy: TrajectoryPolicy) -> None:
        self._path = path if policy.enabled else None
        self._policy = policy
        self._size = -1
        self._before = 0
        self._last = 0
        self._log = logging.getLogger("sandbook")
        self._thread = ThreadPoolExecutor(1, "sandbook-trajectory")

    @property
    def is_open(self) -> bool:
        """Say whether anything is kept at all."""
        return self._path is not None

    def next_number(self) -> int:
        """Give a number to something that begins now; it is settled when it is written."""
        self._last += 1
        return self._last

    def write(self, entry: Entry) -> None:
        """Keep an entry, in place of an earlier one with its number, without waiting for it."""
        if self._path is not None:
            self._thread.submit(self._safely, self._path, entry)

    def close(self) -> None:
        """Wait until all is written."""
        self._thread.shutdown()

    def _safely(self, path: Path, entry: Entry) -> None:
        try:
            self._write(path, entry)
        except Exception:  # noqa: BLE001 -- whatever it is, nobody waits for us
            self._log.exception("The trajectory could not be written")
            self._path = None

    def _write(self, path: Path, entry: Entry) -> None:
        if self._size < 0:
            self._begin(path)
        if self._size >= self._policy.limit_bytes:
            return
        entry = replace(entry, number=self._before + entry.number)
        line = _line_from(entry)
        if len(line) > self._policy.limit_bytes // LARGE_PART:
            told = TOO_LARGE.format(entry.kind, len(line) >> 20)
            line = line_from(replace(entry, kind="note", source=told, outputs=[]))
        if self._size + len(line) > self._policy.limit_bytes:
            line = line_from(replace(entry, kind="note", source=FULL, outputs=[]))
            self._size = self._policy.limit_bytes
        with path.open("ab") as file:
            file.write(line)
        self._size += len(line)

    def _begin(self, path: Path) -> None:
        """Go on where an earlier kernel of the same sandbox has ended, maybe in mid-line."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget(path, self._policy.kept)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:  # noqa: PTH123
            if file.tell():
                file.write(b"\n")
            self._size = file.tell()
        if found := read_journal(path):
            self._before = found[-1].number
            if found[-1].source == FULL:
                self._size = self._policy.limit_bytes


def _line_from(entry: Entry) -> bytes:
    """Write an entry; one that cannot be is told of, so that nothing is missing unseen."""
    try:
        return line_from(entry)
    except (RecursionError, TypeError, ValueError):
        told = NOT_KEPT.format(entry.kind)
        return line_from(replace(entry, kind="note", source=told, outputs=[]))


def _forget(path: Path, kept: int) -> None:
    """Remove the trajectories that are too many, beside the one that is about to be written."""
    others = [other for other in path.parent.glob(f"*{SUFFIX}") if other != path]
    with contextlib.suppress(OSError):  # another kernel does the same
        others.sort(key=lambda other: other.stat().st_mtime)
        for other in others[: max(0, len(others) - kept + 1)]:
            other.unlink()
