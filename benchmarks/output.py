"""A flood of output: is it complete, how long does it take, how much memory does it take."""

import re
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.contestants import (
    DOCKER,
    NOTHING,
    SANDBOOK,
    SWE_REX_NOTE,
    Contestants,
    Field,
    all_alive,
)
from benchmarks.memory import forget_peak, peak_mb, rss_mb
from benchmarks.progress import rounds, say
from benchmarks.raw import BASH, RawTerminal, raw_exec, raw_pty
from benchmarks.report import Column, Table, Target, divide
from benchmarks.runner import Failure, NotFinished, Run
from benchmarks.sandboxes import held_sandbox

ROUNDS = 3
SIZES = {"15 MB": 2_013_889, "52 MB": 6_638_889}
"""To which number `seq` counts."""
BIG = "52 MB"
TIMEOUT_S = 60
LIMIT = 2
PEAK_LIMIT_MB = 64
RAW_EXEC, RAW_PTY = "raw exec socket", "raw pty"
END = b"the end\n"
LOG = re.compile(r"/[^\s\"'<>]+/sandbook/logs/[\w.-]+\.log")


@dataclass
class Measured:
    """What one contestant did with one size."""

    idle_mb: float = 0
    seconds: list[float] = field(default_factory=list)
    peaks_mb: list[float] = field(default_factory=list)
    found: set[str] = field(default_factory=set)
    """How complete it was, in words; one word if it was always the same."""
    failed: str = ""


Results = dict[tuple[str, str], Measured]


@dataclass(frozen=True)
class Flood:
    """What everybody has to run, and what has to come of it."""

    size: str
    last: int
    expected: str


def _flood(size: str) -> Flood:
    last = SIZES[size]
    return Flood(size, last, "\n".join(map(str, range(1, last + 1))) + "\n")


def measure(contestants: Contestants, count: int) -> Table:
    """Let all flood in turn; who does not finish in time is left out from then on."""
    results: Results = {}
    contestants = contestants.without(NOTHING)
    with ExitStack() as stack:
        floors, out = _open_floors(stack, contestants)
        alive = stack.enter_context(all_alive(contestants))
        idle = {label: rss_mb(runner.pid) for label, runner in alive.alive.items()}
        for size in SIZES:
            flood = _flood(size)
            for _ in rounds(f"output, {size}", count):
                for label, terminal in floors.items():
                    _drain(terminal, flood, results.setdefault((label, size), Measured()))
                for label in list(alive.alive):
                    say(f"output, {size}: {label}")
                    measured = results.setdefault((label, size), Measured(idle_mb=idle[label]))
                    _one_flood(alive, label, flood, measured)
        out.update({label: why for label, why in alive.out.items() if not _has(results, label)})
    labels = [*floors, *contestants.starts]
    return table_of([label for label in labels if _has(results, label)], results, out)


def _has(results: Results, label: str) -> bool:
    return any(name == label for name, _ in results)


def _open_floors(
    stack: ExitStack, contestants: Contestants
) -> tuple[dict[str, RawTerminal], dict[str, str]]:
    floors = {RAW_PTY: stack.enter_context(raw_pty(BASH))}
    try:
        held = stack.enter_context(held_sandbox("docker", contestants.workspace))
        floors[RAW_EXEC] = stack.enter_context(raw_exec(held.sandbox_id, BASH))
    except Failure as failure:
        return floors, {RAW_EXEC: str(failure)}
    return floors, {}


def _drain(terminal: RawTerminal, flood: Flood, measured: Measured) -> None:
    begun = time.perf_counter()
    size = terminal.ask(b"seq 1 %d; echo the end\n" % flood.last, END)
    measured.seconds.append(time.perf_counter() - begun)
    measured.found.add("yes" if size == len(flood.expected) + len(END) else f"no, {size} bytes")


def _one_flood(alive: Field, label: str, flood: Flood, measured: Measured) -> None:
    runner = alive.alive[label]
    try:
        forget_peak(runner.pid)
        run = runner.run(f"seq 1 {flood.last}", TIMEOUT_S)
        measured.peaks_mb.append(peak_mb(runner.pid) - measured.idle_mb)
    except (Failure, OSError) as failure:
        measured.failed = "DNF" if isinstance(failure, NotFinished) else str(failure)
        alive.drop(label, measured.failed)
    else:
        measured.seconds.append(run.seconds)
        measured.found.add(completeness(run, flood.expected))


def completeness(run: Run, expected: str) -> str:
    """Say whether all output is there: in the log that the cell names, or in the cell itself."""
    named = LOG.search(run.said) or LOG.search(run.text)
    if named is not None:
        log = Path(named[0])
        if not log.is_file():
            return f"no, {named[0]} is not there"
        kept = log.read_bytes()
        log.unlink()
        return "yes, in the log" if kept == expected.encode() else f"no, log of {len(kept)} bytes"
    text = run.text.replace("\r\n", "\n").rstrip("\n")
    if text == expected.rstrip("\n"):
        return "yes"
    return f"no, {len(text)} of {len(expected) - 1} bytes"


def table_of(labels: list[str], results: Results, out: dict[str, str]) -> Table:
    """Put times beside the floor, and peaks above what the kernel held before."""
    columns: list[Column] = []
    for size in SIZES:
        columns += [
            Column(f"{size} s", f"{size}, s"),
            Column(f"{size} ratio", "x raw"),
            Column(f"{size} complete", "complete"),
            Column(f"{size} peak_mb", "peak over idle, MB", 1),
        ]
    table = Table("A flood of output (`seq`), 15 MB and 52 MB", columns)
    for label in labels:
        row: dict[str, float | str | None] = {"label": label}
        for size in SIZES:
            row |= _cells(label, size, results)
        table.rows.append(row)
    table.add_failures(out)
    table.targets = _targets(table)
    table.notes.append(
        f"Medians; peaks are the highest. DNF: not finished in {TIMEOUT_S} s, and left out from "
        "then on. The floor of docker is a bare exec socket, that of all others a bare pty. "
        f"Sandbook keeps what is above its live limit in a log. {SWE_REX_NOTE}"
    )
    return table


def _cells(label: str, size: str, results: Results) -> dict[str, float | str | None]:
    measured = results.get((label, size))
    if measured is None or measured.failed:
        return {f"{size} s": measured.failed if measured else "skipped"}
    seconds = median(measured.seconds)
    floor = results.get((RAW_EXEC if label == DOCKER else RAW_PTY, size))
    is_raw = label in {RAW_EXEC, RAW_PTY}
    raw = median(floor.seconds) if floor and floor.seconds and not is_raw else None
    return {
        f"{size} s": seconds,
        f"{size} ratio": divide(seconds, raw),
        f"{size} complete": "; ".join(sorted(measured.found)),
        f"{size} peak_mb": max(measured.peaks_mb, default=None),
    }


def _targets(table: Table) -> list[Target]:
    targets: list[Target] = []
    for label in SANDBOOK:
        row = next((row for row in table.rows if row["label"] == label), {})
        complete = str(row.get(f"{BIG} complete", ""))
        share = 100.0 * all(found.startswith("yes") for found in complete.split("; "))
        targets += [
            Target(f"{label}, {BIG} / raw floor", table.value(label, f"{BIG} ratio"), LIMIT),
            Target(
                f"{label}, peak over idle",
                table.value(label, f"{BIG} peak_mb"),
                PEAK_LIMIT_MB,
                "MB",
            ),
            Target(
                f"{label}, {BIG} complete", share if complete else None, 100, "%", at_least=True
            ),
        ]
    return targets
