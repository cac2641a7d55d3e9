"""One command in a session, below the kernel, beside the bare terminal that it runs on."""

import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from statistics import median

from benchmarks.contestants import Contestants
from benchmarks.progress import rounds
from benchmarks.raw import BASH, CAT, RawTerminal, raw_exec, raw_pty
from benchmarks.report import Column, Table, Target, divide, p95
from benchmarks.runner import Failure
from benchmarks.sandboxes import Held, held_sandbox

ROUNDS = 300
LIMIT = 3
WARM_UP = 20
MS = 1000
EXEC_CAT, EXEC_BASH = "raw exec socket, cat", "raw exec socket, bash"
PTY_CAT, PTY_BASH = "raw pty, cat", "raw pty, bash"
FLOORS = {
    "session, docker": (EXEC_CAT, EXEC_BASH),
    "session, bubblewrap": (PTY_CAT, PTY_BASH),
    "session, local": (PTY_CAT, PTY_BASH),
}

Once = Callable[[], float]


def measure(contestants: Contestants, count: int) -> Table:
    """Let sessions and floors answer in turn, in another order every time."""
    with ExitStack() as stack:
        ways, out = _open_all(stack, contestants)
        for once in ways.values():
            for _ in range(WARM_UP):
                once()
        seconds: dict[str, list[float]] = {label: [] for label in ways}
        labels, order = list(ways), random.Random(1)  # noqa: S311 -- nobody has to guess it
        for _ in rounds("session", count):
            order.shuffle(labels)
            for label in labels:
                seconds[label].append(ways[label]())
    return table_of(seconds, out)


def _open_all(stack: ExitStack, contestants: Contestants) -> tuple[dict[str, Once], dict[str, str]]:
    ways: dict[str, Once] = {
        PTY_CAT: _cat(stack.enter_context(raw_pty(CAT))),
        PTY_BASH: _bash(stack.enter_context(raw_pty(BASH))),
    }
    out: dict[str, str] = {}
    for label in FLOORS:
        backend = label.removeprefix("session, ")
        try:
            held = stack.enter_context(held_sandbox(backend, contestants.workspace))
            if backend == "docker":
                ways[EXEC_CAT] = _cat(stack.enter_context(raw_exec(held.sandbox_id, CAT)))
                ways[EXEC_BASH] = _bash(stack.enter_context(raw_exec(held.sandbox_id, BASH)))
            ways[label] = _session(held)
        except Failure as failure:
            out[label] = str(failure)
    return ways, out


def _cat(terminal: RawTerminal) -> Once:
    return lambda: _timed(terminal, b"hi\n")


def _bash(terminal: RawTerminal) -> Once:
    return lambda: _timed(terminal, b"echo hi\n")


def _timed(terminal: RawTerminal, line: bytes) -> float:
    begun = time.perf_counter()
    terminal.ask(line, b"hi\n")
    return time.perf_counter() - begun


def _session(held: Held) -> Once:
    async def once() -> float:
        pieces: list[bytes] = []
        begun = time.perf_counter()
        await held.session.run("echo hi", pieces.append)
        return time.perf_counter() - begun

    return lambda: held.wait_for(once())


def table_of(seconds: dict[str, list[float]], out: dict[str, str]) -> Table:
    """Put each session beside its two floors."""
    columns = [
        Column("p50_ms", "p50 ms", 3),
        Column("p95_ms", "p95 ms", 3),
        Column("cat_ratio", "x raw cat"),
        Column("bash_ratio", "x raw bash"),
    ]
    table = Table("`echo hi` in a session, without a kernel", columns)
    halves = {label: median(values) * MS for label, values in seconds.items()}
    for label in (EXEC_CAT, EXEC_BASH, "session, docker", PTY_CAT, PTY_BASH, *list(FLOORS)[1:]):
        if label in halves:
            cat, bash = FLOORS.get(label, ("", ""))
            ratios = {
                "cat_ratio": divide(halves[label], halves.get(cat)),
                "bash_ratio": divide(halves[label], halves.get(bash)),
            }
            numbers = {"p50_ms": halves[label], "p95_ms": p95(seconds[label]) * MS}
            table.rows.append({"label": label, **numbers, **ratios})
    table.add_failures(out)
    for floor in (EXEC_CAT, EXEC_BASH):
        ratio = table.ratio("session, docker", floor, "p50_ms")
        table.targets.append(Target(f"session, docker / {floor}", ratio, LIMIT))
    table.notes.append(
        "`cat` gives a line back: the least that a terminal costs. `bash` is a bare one that is "
        "fed `echo hi` and not asked for its exit code. Both are read by plain blocking calls."
    )
    return table
