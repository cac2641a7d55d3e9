"""What a kernel's process holds when it has run one cell and waits for the next."""

import contextlib
import re
import time
from pathlib import Path
from statistics import median

from benchmarks.contestants import IPYKERNEL, SANDBOOK, SWE_REX_NOTE, Contestants, all_alive
from benchmarks.progress import rounds
from benchmarks.report import Column, Table, Target

ROUNDS = 3
OVER_IPYKERNEL_MB = 15
SETTLE_S = 1
KIB_PER_MB = 1e6 / 1024


def measure(contestants: Contestants, count: int) -> Table:
    """Start all, let each run a cell, wait a moment, and look."""
    rss: dict[str, list[float]] = {}
    pss: dict[str, list[float]] = {}
    out: dict[str, str] = {}
    for _ in rounds("memory", count):
        with all_alive(contestants) as field:
            time.sleep(SETTLE_S)
            for label, runner in field.alive.items():
                rss.setdefault(label, []).append(rss_mb(runner.pid))
                pss.setdefault(label, []).append(pss_mb(runner.pid))
            out.update(field.out)
    return table_of(rss, pss, out)


def table_of(
    rss: dict[str, list[float]], pss: dict[str, list[float]], out: dict[str, str]
) -> Table:
    """Give the medians, and how far each is above ipykernel."""
    columns = [
        Column("rss_mb", "RSS MB", 1),
        Column("pss_mb", "PSS MB", 1),
        Column("over_mb", "RSS over ipykernel, MB", 1),
    ]
    table = Table("Memory of a kernel that has run one cell and waits for the next", columns)
    floor = median(rss[IPYKERNEL]) if IPYKERNEL in rss else None
    for label, values in rss.items():
        found = median(values)
        over = None if floor is None else found - floor
        row = {"rss_mb": found, "pss_mb": median(pss[label]), "over_mb": over}
        table.rows.append({"label": label, **row})
    table.add_failures({label: why for label, why in out.items() if label not in rss})
    for label in SANDBOOK:
        over = table.value(label, "over_mb")
        table.targets.append(Target(f"{label}, over ipykernel", over, OVER_IPYKERNEL_MB, "MB"))
    table.notes.append(
        "The process of the kernel only: neither its shell nor its sandbox. PSS counts shared "
        f"pages in parts. {SWE_REX_NOTE}"
    )
    return table


def rss_mb(pid: int) -> float:
    """Read what a process holds now."""
    return _field_mb(Path(f"/proc/{pid}/status").read_text("utf-8"), "VmRSS")


def peak_mb(pid: int) -> float:
    """Read the most that a process has held since `forget_peak`."""
    return _field_mb(Path(f"/proc/{pid}/status").read_text("utf-8"), "VmHWM")


def forget_peak(pid: int) -> None:
    """Let the peak count from now, where that is allowed; elsewhere it counts from the start."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5", "utf-8")


def pss_mb(pid: int) -> float:
    """Read what a process holds now, where pages that others share count in parts."""
    return _field_mb(Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8"), "Pss")


def _field_mb(text: str, name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / KIB_PER_MB if found else 0.0
