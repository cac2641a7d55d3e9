"""From sending `echo first; sleep 2` until the first output is there."""

from statistics import median

from benchmarks.contestants import SANDBOOK, SWE_REX_NOTE, Contestants, all_alive
from benchmarks.progress import rounds
from benchmarks.report import Column, Table, Target
from benchmarks.runner import Failure

ROUNDS = 5
LIMIT_MS = 50
CODE = "echo first; sleep 2"
MS = 1000


def measure(contestants: Contestants, count: int) -> Table:
    """Let all run the cell in turn."""
    firsts: dict[str, list[float]] = {}
    with all_alive(contestants) as field:
        for _ in rounds("first-byte", count):
            for label, runner in list(field.alive.items()):
                try:
                    first = runner.run(CODE).first_s
                except Failure as failure:
                    field.drop(label, str(failure))
                else:
                    if first is None:
                        field.drop(label, "no output")
                    else:
                        firsts.setdefault(label, []).append(first)
        return table_of({label: firsts[label] for label in field.alive}, field.out)


def table_of(firsts: dict[str, list[float]], out: dict[str, str]) -> Table:
    """Give the medians."""
    columns = [Column("first_ms", "first output, ms", 1)]
    table = Table(
        "First output of a cell that runs for two seconds (`echo first; sleep 2`)", columns
    )
    for label, values in firsts.items():
        table.rows.append({"label": label, "first_ms": median(values) * MS})
    table.add_failures(out)
    for label in SANDBOOK:
        table.targets.append(Target(label, table.value(label, "first_ms"), LIMIT_MS, "ms"))
    table.notes.append(
        "Medians. The do-nothing kernel answers at once and sleeps never. swe-rex does not stream: "
        f"its first output is its whole output. {SWE_REX_NOTE}"
    )
    return table
