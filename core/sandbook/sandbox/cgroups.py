"""Limits by control groups, for sandboxes that are processes, where we may make groups."""

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from sandbook.sandbox.limits import Limits

ROOT = Path("/sys/fs/cgroup")
PERIOD_US = 100_000
MIB = 1 << 20
GONE_TRIES, GONE_EVERY_S = 120, 0.05
SWAP_FILES = {"memory.swap.max", "memory.memsw.limit_in_bytes"}
"""Missing where the kernel does not count swap, which is no reason to go without limits."""


@dataclass(frozen=True, slots=True)
class Group:
    """The folders of one group: one with version 2, one for each controller with version 1."""

    folders: tuple[Path, ...] = ()

    def oom_kills(self) -> int:
        """Count the processes that were ended for want of memory."""
        for folder in self.folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    for line in (folder / name).read_text("ascii").splitlines():
                        if line.startswith("oom_kill "):
                            return int(line.split()[1])
        return 0

    def remove(self) -> None:
        """Remove a group that nobody is in."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


def make_group(name: str, limits: Limits) -> Group | None:
    """Make a group with these limits; `None` where the system does not let us. Blocks.

    A sandbox of the same name may just have ended, and its launcher be about to remove its group:
    without waiting for that, the new one would have no limits.
    """
    for _ in range(GONE_TRIES):
        if not find_group(name).folders:
            break
        time.sleep(GONE_EVERY_S)
    find_group(name).remove()
    is_second = (ROOT / "cgroup.controllers").exists()
    wanted = _second_version(name, limits) if is_second else _first_version(name, limits)
    made: list[Path] = []
    try:
        if is_second:
            (ROOT / "cgroup.subtree_control").write_text("+cpu +memory +pids", "ascii")
        for folder, settings in wanted.items():
            folder.mkdir()
            made.append(folder)
            for file, value in settings.items():
                if (folder / file).exists() or file not in SWAP_FILES:
                    (folder / file).write_text(value, "ascii")
    except OSError:
        Group(tuple(made)).remove()
        return None
    return Group(tuple(made))


def find_group(name: str) -> Group:
    """Return the group of this name, which may have no folder at all."""
    places = (ROOT / name, *(ROOT / kind / name for kind in ("memory", "pids", "cpu")))
    return Group(tuple(place for place in places if place.is_dir()))


def _first_version(name: str, limits: Limits) -> dict[Path, dict[str, str]]:
    memory = str((limits.memory_mb or 0) * MIB)
    quota = str(int((limits.cpus or 0) * PERIOD_US))
    return {
        ROOT / "memory" / name: {
            "memory.limit_in_bytes": memory,
            "memory.memsw.limit_in_bytes": memory,
        },
        ROOT / "pids" / name: {"pids.max": str(limits.pids)},
        ROOT / "cpu" / name: {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": quota},
    }


def _second_version(name: str, limits: Limits) -> dict[Path, dict[str, str]]:
    settings = {
        "memory.max": str((limits.memory_mb or 0) * MIB),
        "memory.swap.max": "0",
        "pids.max": str(limits.pids),
        "cpu.max": f"{int((limits.cpus or 0) * PERIOD_US)} {PERIOD_US}",
    }
    return {ROOT / name: settings}
