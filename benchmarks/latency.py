"""From sending `echo hi` until the kernel is idle again."""

import random
from statistics import median

from benchmarks.contestants import (
    BASH_KERNEL,
    NOTHING,
    SANDBOOK,
    SWE_REX,
    SWE_REX_NOTE,
    Contestants,
    Field,
    all_alive,
)
from benchmarks.progress import rounds
from benchmarks.report import Column, Table, Target, divide, p95
from benchmarks.runner import Failure

ROUNDS = 100
LIMIT = 1.5
PEERS_SLOWER = 10
WARM_UP = 3
MS = 1000


def measure(contestants: Contestants, count: int) -> Table:
    """Let all run one cell each in turn, in another order every time."""
    seconds: dict[str, list[float]] = {}
    order = random.Random(1)  # noqa: S311 -- nobody has to guess it
    with all_alive(contestants) as field:
        for _ in range(WARM_UP):
            _one_round(field, list(field.alive), {})
        for _ in rounds("latency", count):
            labels = list(field.alive)
            order.shuffle(labels)
            _one_round(field, labels, seconds)
        in_order = [label for label in contestants.starts if label in field.alive]
        return table_of({label: seconds[label] for label in in_order}, field.out)


def _one_round(field: Field, labels: list[str], seconds: dict[str, list[float]]) -> None:
    for label in labels:
        try:
            taken = field.alive[label].run("echo hi").seconds
        except Failure as failure:
            field.drop(label, str(failure))
        else:
            seconds.setdefault(label, []).append(taken)


def table_of(seconds: dict[str, list[float]], out: dict[str, str]) -> Table:
    """Put p50 and p95 beside the floor."""
    columns = [
        Column("p50_ms", "p50 ms"),
        Column("p95_ms", "p95 ms"),
        Column("ratio", "x do-nothing"),
        Column("slower", "x slowest sandbook"),
    ]
    table = Table("`echo hi`, from sending it until the kernel is idle again", columns)
    halves = {label: median(values) * MS for label, values in seconds.items()}
    slowest = max((halves[label] for label in SANDBOOK if label in halves), default=None)
    for label, values in seconds.items():
        p50 = halves[label]
        table.rows.append(
            {
                "label": label,
                "p50_ms": p50,
                "p95_ms": p95(values) * MS,
                "ratio": divide(p50, halves.get(NOTHING)),
                "slower": divide(p50, slowest),
            }
        )
    table.add_failures(out)
    table.targets = _targets(table)
    table.notes.append(f"All alive at once, one cell each in turn. {SWE_REX_NOTE}")
    return table


def _targets(table: Table) -> list[Target]:
    ours = [
        Target(f"{label} / {NOTHING}", table.ratio(label, NOTHING, "p50_ms"), LIMIT)
        for label in SANDBOOK
    ]
    theirs = [
        Target(
            f"{label} / slowest sandbook", table.value(label, "slower"), PEERS_SLOWER, at_least=True
        )
        for label in (BASH_KERNEL, SWE_REX)
    ]
    return ours + theirs
