"""From the start of a kernel to its first output."""

import random
import time
from statistics import median

from benchmarks.contestants import DOCKER, NOTHING, SWE_REX_NOTE, Contestants, Start
from benchmarks.progress import rounds
from benchmarks.report import Column, Table, Target, divide
from benchmarks.runner import Failure

ROUNDS = 7
LIMIT = 1.3
SETTLE_S = 0.5
"""How long the one before may take to be removed, at nobody's cost."""


def measure(contestants: Contestants, count: int) -> Table:
    """Start all in turn, several times over, in another order every time."""
    seconds: dict[str, list[float]]
    out: dict[str, str] = {}
    labels, order = list(contestants.starts), random.Random(1)  # noqa: S311 -- no secret
    seconds = {label: [] for label in labels}
    for _ in rounds("start", count):
        order.shuffle(labels)
        for label in labels:
            if label not in out:
                try:
                    seconds[label].append(_first_output(contestants.starts[label]))
                except Failure as failure:
                    out[label] = str(failure)
                time.sleep(SETTLE_S)
    return table_of({label: values for label, values in seconds.items() if label not in out}, out)


def _first_output(start: Start) -> float:
    begun = time.perf_counter()
    runner = start()
    try:
        run = runner.run("echo hi")
    finally:
        runner.close()
    if run.first_s is None:
        raise Failure("no output")
    return run.begun + run.first_s - begun


def table_of(seconds: dict[str, list[float]], out: dict[str, str]) -> Table:
    """Put the medians beside the floor."""
    columns = [Column("median_s", "seconds", 3), Column("ratio", "x do-nothing")]
    table = Table("From the start of a kernel to its first output", columns)
    floor = median(seconds[NOTHING]) if NOTHING in seconds else None
    for label, values in seconds.items():
        found = median(values)
        table.rows.append({"label": label, "median_s": found, "ratio": divide(found, floor)})
    table.add_failures(out)
    text = f"{DOCKER} / {NOTHING}"
    table.targets.append(Target(text, table.ratio(DOCKER, NOTHING, "median_s"), LIMIT))
    table.notes.append(f"Medians, interleaved. {SWE_REX_NOTE}")
    return table
