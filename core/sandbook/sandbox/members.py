"""Which processes of this machine belong to a sandbox, and what they use together."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from sandbook.sandbox.base import Stats
from sandbook.sandbox.records import Record
from sandbook.sandbox.scripts import MARKER

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def members(record: Record, namespaces: bool) -> list[int]:  # noqa: FBT001 -- what the sandbox has
    """List all processes of a sandbox but its first, which only keeps it."""
    belongs = _in_namespace_of(record.pid) if namespaces else _marked(record.info.sandbox_id)
    return [pid for pid in belongs if pid != record.pid]


def _every_process() -> Iterator[Path]:
    return (path for path in Path("/proc").iterdir() if path.name.isdigit())


def _in_namespace_of(pid: int) -> Iterator[int]:
    namespace = _link(Path(f"/proc/{pid}/ns/pid"))
    keepers = {pid, *_children(pid)}
    for process in _every_process():
        if (
            namespace
            and _link(process / "ns/pid") == namespace
            and int(process.name) not in keepers
        ):
            yield int(process.name)


def _children(pid: int) -> Iterator[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    except OSError:
        return iter(())
    return map(int, text.split())


def _marked(sandbox_id: str) -> Iterator[int]:
    mark = f"{MARKER}={sandbox_id}".encode()
    for process in _every_process():
        try:
            marked = mark in (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if marked:
            yield int(process.name)


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
            stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
        except OSError:
            continue
        fields = stat.rpartition(") ")[2].split()
        ticks += int(fields[11]) + int(fields[12])
        pages += int(fields[21])
        alive += 1
    return Stats(ticks / TICKS, pages * PAGE, alive)
