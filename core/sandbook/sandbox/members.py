"""Which processes of this machine belong to a sandbox, and what they use together."""

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from sandbook.sandbox.base import Stats
from sandbook.sandbox.records import Record
from sandbook.sandbox.scripts import MARKER

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
STOPPED = "TtZX"
STOPPED_WITHIN_S, STOPPED_EVERY_S = 2.0, 0.0005
"""On a busy machine, a process may have to wait before it can stop; in all, we wait so long."""


def members(record: Record, namespaces: bool) -> list[int]:  # noqa: FBT001 -- what the sandbox has
    """List all processes of a sandbox but its first, which only keeps it."""
    belongs = _in_namespace_of(record.pid) if namespaces else _marked(record.info.sandbox_id)
    return [pid for pid in belongs if pid != record.pid]


def stop(pids: Iterable[int]) -> None:
    """Stop processes where they are. Blocks for a moment.

    A shell that sees a child of its own stopped takes it for suspended. So shells, which are nearly
    always older than what they run, are stopped first and go on last.
    """
    until = time.monotonic() + STOPPED_WITHIN_S
    for pid in sorted(pids):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            while _state(pid) not in STOPPED and time.monotonic() < until:
                time.sleep(STOPPED_EVERY_S)


def go_on(pids: Iterable[int]) -> None:
    """Let processes go on that were stopped."""
    for pid in sorted(pids, reverse=True):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(") ")[2][0]
    except (OSError, IndexError):
        return "X"


def _every_process() -> Iterator[Path]:
    return (path for path in Path("/proc").iterdir() if path.name.isdigit())


def _in_namespace_of(pid: int) -> Iterator[int]:
    namespace = _link(Path(f"/proc/{pid}/ns/pid"))
    for process in _every_process():
        if namespace and _link(process / "ns/pid") == namespace:
            yield int(process.name)


def _marked(sandbox_id: str) -> set[int]:
    """Find who carries the sandbox's mark, and their children.

    A program that is just being started has no environment for a moment, and one started with an
    empty one never carries the mark: both still have a parent that does.
    """
    mark = f"{MARKER}={sandbox_id}".encode()
    parents = {int(process.name): _parent(process) for process in _every_process()}
    marked = {pid for pid in parents if mark in _environment(pid)}
    return marked | {pid for pid, parent in parents.items() if parent in marked}


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text("utf-8", "replace").rpartition(") ")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def usage_of(pids: Iterable[int]) -> Stats:
    """Add up CPU time and memory of processes; those that have just ended count for nothing."""
    ticks = pages = alive = 0
    for pid in pids:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        except OSError:
            continue
        fields = stat.rpartition(") ")[2].split()
        ticks += int(fields[11]) + int(fields[12])
        pages += int(fields[21])
        alive += 1
    return Stats(ticks / TICKS, pages * PAGE, alive)
