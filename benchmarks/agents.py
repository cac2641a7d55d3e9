"""Actions over HTTP, beside our own kernel and beside what OpenHands' design allows."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median

import psutil

from benchmarks.contestants import BUBBLEWRAP, DOCKER, SANDBOOK, Contestants
from benchmarks.file_server import TOKEN, FileServer, file_server
from benchmarks.memory import rss_mb
from benchmarks.progress import rounds, say
from benchmarks.report import Column, Table, Target, divide, p95
from benchmarks.runner import Failure, Runner
from sandbook.client import ClientError, Output, Sandbox, Sandboxes

ROUNDS = 200
WARM_UP = 20
MS = 1000
KERNEL, RUN, READ, STREAM = "cell", "run", "read of 1 KB", "first streamed byte"
OPENHANDS, POLL_MS = "OpenHands, by design", 500.0
"""It looks at its terminal so often: no command ends sooner. Not measured here."""
KERNEL_LIMIT, OPENHANDS_FASTER, READS_PER_CPU_S, FIRST_BYTE_MS = 3, 20, 200, 100
READS = 500
ACTIONS, SAMPLES, SETTLED = 10_000, 10, 2_000
GROWTH_MB = 10.0


@dataclass
class Measured:
    """What was measured with one backend."""

    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    reads_per_cpu_s: float | None = None
    """How many files are read while the server and the kernel work for a second."""
    memory_mb: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """What each of both held, again and again, while many actions went by."""


def measure(contestants: Contestants, count: int) -> Table:
    """Let cells, commands, reads and streams go in turn; then count the memory of very many."""
    measured: dict[str, Measured] = {}
    out: dict[str, str] = {}
    for label in (DOCKER, BUBBLEWRAP):
        try:
            measured[label] = _measure(label, contestants, count)
        except (Failure, ClientError) as error:
            out[label] = str(error).splitlines()[0][:100]
    return table_of(measured, out)


def _measure(label: str, contestants: Contestants, count: int) -> Measured:
    folder = contestants.workspace / f"agents-{SANDBOOK[label]}"
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        say(f"starting {label}")
        server = stack.enter_context(file_server(SANDBOOK[label], folder))
        sandboxes = stack.enter_context(Sandboxes(server.url, TOKEN))
        sandbox = stack.enter_context(sandboxes.create(backend=SANDBOOK[label]))
        kernel = stack.enter_context(_kernel(contestants, label))
        found = Measured()
        _interleaved(found, label, _ways(sandbox, kernel), count)
        found.reads_per_cpu_s = _reads_per_cpu_s(server, sandbox)
        if label == DOCKER:
            found.memory_mb = _memory(server, sandbox)
        return found


@contextmanager
def _kernel(contestants: Contestants, label: str) -> Iterator[Runner]:
    runner = contestants.starts[label]()
    try:
        yield runner
    finally:
        runner.close()


def _ways(sandbox: Sandbox, kernel: Runner) -> dict[str, Callable[[], float]]:
    sandbox.write("small", "x" * 1023)
    return {
        KERNEL: lambda: kernel.run("echo hi").seconds,
        RUN: lambda: _timed(lambda: _hi(sandbox)),
        READ: lambda: _timed(lambda: sandbox.read("small")),
        STREAM: lambda: _first(sandbox),
    }


def _interleaved(
    found: Measured, label: str, ways: dict[str, Callable[[], float]], count: int
) -> None:
    names, order = list(ways), random.Random(1)  # noqa: S311 -- nobody has to guess it
    for _ in range(WARM_UP):
        for name in names:
            ways[name]()
    found.seconds = {name: [] for name in ways}
    for _ in rounds(f"agents, {label}", count):
        order.shuffle(names)
        for name in names:
            found.seconds[name].append(ways[name]())


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _hi(sandbox: Sandbox) -> None:
    result = sandbox.run("echo hi", timeout=30)
    if (result.output, result.exit_code) != ("hi", 0):
        raise Failure(f"`echo hi` said {result.output!r}")


def _first(sandbox: Sandbox) -> float:
    begun = time.perf_counter()
    first = None
    for event in sandbox.stream("echo first; sleep 0.05"):
        if isinstance(event, Output) and first is None:
            first = time.perf_counter() - begun
    if first is None:
        raise Failure("nothing was streamed")
    return first


def _reads_per_cpu_s(server: FileServer, sandbox: Sandbox) -> float | None:
    before = cpu_s(server.pid)
    for _ in range(READS):
        sandbox.read("small")
    return divide(READS, cpu_s(server.pid) - before)


def _memory(server: FileServer, sandbox: Sandbox) -> dict[str, list[float]]:
    """Sample both processes while commands and reads go by in turn."""
    children = psutil.Process(server.pid).children()
    (kernel,) = [child for child in children if sandbox.id in " ".join(child.cmdline())]
    samples: dict[str, list[float]] = {"server": [], "kernel": []}
    every = (ACTIONS - SETTLED) // SAMPLES
    for number in rounds("agents, memory", ACTIONS):
        if number % 2:
            sandbox.read("small")
        else:
            _hi(sandbox)
        if number >= SETTLED and (number - SETTLED) % every == 0:
            samples["server"].append(rss_mb(server.pid))
            samples["kernel"].append(rss_mb(kernel.pid))
    return samples


def cpu_s(pid: int) -> float:
    """Tell what a process and its children have worked so far."""
    process = psutil.Process(pid)
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    return sum(each.user + each.system for each in times)


def table_of(measured: dict[str, Measured], out: dict[str, str]) -> Table:
    """Put what an agent waits for beside what a cell waits for."""
    columns = [
        Column("p50_ms", "p50 ms"),
        Column("p95_ms", "p95 ms"),
        Column("ratio", "x cell"),
        Column("faster", "x faster than OpenHands' design"),
        Column("per_cpu_s", "per CPU second", 0),
    ]
    table = Table("Actions of agents over HTTP", columns)
    for label, found in measured.items():
        _add(table, label, found)
    table.rows.append({"label": OPENHANDS, "p50_ms": POLL_MS})
    table.add_failures(out)
    table.notes.append(
        "In turn, through one connection of `sandbook.client`. A cell is `echo hi` in a kernel of "
        "its own, from sending it until idle; `run` is the same command as an action. OpenHands "
        f"looks at its terminal every {POLL_MS:.0f} ms: that is stated, not measured. CPU is that "
        "of the server and its kernel together. Memory is what the process holds, from "
        f"{SETTLED} to {ACTIONS} actions, commands and reads in turn."
    )
    return table


def _add(table: Table, label: str, found: Measured) -> None:
    halves = {name: median(values) * MS for name, values in found.seconds.items()}
    rate = found.reads_per_cpu_s
    for name, values in found.seconds.items():
        row = {"p50_ms": halves[name], "p95_ms": p95(values) * MS}
        if name == RUN:
            row["ratio"] = divide(halves[name], halves[KERNEL])
            row["faster"] = divide(POLL_MS, halves[name])
        if name == READ:
            row["per_cpu_s"] = rate
        table.rows.append({"label": f"{label}: {name}", **row})
    run = f"{label}: {RUN}"
    table.targets += [
        Target(f"{run} / {KERNEL}", table.value(run, "ratio"), KERNEL_LIMIT),
        Target(f"{OPENHANDS} / {run}", table.value(run, "faster"), OPENHANDS_FASTER, at_least=True),
        Target(f"{label}: {READ}, per CPU second", rate, READS_PER_CPU_S, "reads", at_least=True),
        Target(f"{label}: {STREAM}, p50", halves[STREAM], FIRST_BYTE_MS, "ms"),
    ]
    for who, samples in found.memory_mb.items():
        growth = growth_mb(samples)
        text = f"{label}: memory of the {who} grows in {ACTIONS - SETTLED} actions"
        table.targets.append(Target(text, growth, GROWTH_MB, "MB"))


def growth_mb(samples: list[float]) -> float:
    """Tell how much higher the end of a series is than its beginning, without the noise."""
    third = max(1, len(samples) // 3)
    return median(samples[-third:]) - median(samples[:third])
