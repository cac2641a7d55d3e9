"""The time to start one more sandbox with a shell, when there are up to fifty already."""

import asyncio
import time
import uuid
from pathlib import Path
from statistics import median

from benchmarks.contestants import Contestants
from benchmarks.progress import rounds
from benchmarks.report import Column, Table, Target, divide
from sandbook.errors import SandboxError
from sandbook.sandbox.base import Backend, SandboxRequest
from sandbook.sandbox.factory import SandboxFactory
from sandbook.session.bash import BashSession

ROUNDS = 50
FIFTHS = 5
LIMIT = 1.25
BACKENDS = ("docker", "bubblewrap")


def measure(contestants: Contestants, count: int) -> Table:
    """Start fifty sandboxes of each kind, one after the other, and remove them all."""
    count = max(count, FIFTHS)
    seconds: dict[str, list[float]] = {}
    left: dict[str, int] = {}
    out: dict[str, str] = {}
    for name in BACKENDS:
        try:
            seconds[name], left[name] = asyncio.run(_fill(name, contestants.workspace, count))
        except SandboxError as error:
            out[name] = str(error).splitlines()[0]
    return table_of(seconds, left, out)


async def _fill(name: str, workspace: Path, count: int) -> tuple[list[float], int]:
    factory = SandboxFactory(backend=name)
    made: dict[str, BashSession | None] = {}
    try:
        backend = await factory.choose()
        try:
            seconds = [
                await _one_more(backend, workspace, made) for _ in rounds(f"density, {name}", count)
            ]
        finally:
            await _remove_all(backend, made)
        return seconds, len({info.sandbox_id for info in await backend.list_all()} & made.keys())
    finally:
        factory.close()


async def _one_more(
    backend: Backend, workspace: Path, made: dict[str, BashSession | None]
) -> float:
    request = SandboxRequest(str(uuid.uuid4()), workspace)
    made[request.sandbox_id] = None
    begun = time.perf_counter()
    session = BashSession(await backend.create(request))
    made[request.sandbox_id] = session
    await session.start()
    return time.perf_counter() - begun


async def _remove_all(backend: Backend, made: dict[str, BashSession | None]) -> None:
    for sandbox_id, session in made.items():
        if session is not None:
            session.close()
        await backend.remove(sandbox_id)


def table_of(seconds: dict[str, list[float]], left: dict[str, int], out: dict[str, str]) -> Table:
    """Give the median of each fifth, and the last beside the first."""
    columns = [Column(f"fifth_{at}", f"{at}. fifth, s", 3) for at in range(1, FIFTHS + 1)]
    columns += [Column("ratio", "last / first"), Column("left", "left behind", 0)]
    table = Table("One more sandbox with a shell, when there are others already", columns)
    for name, values in seconds.items():
        fifths = medians_of_fifths(values)
        row = {f"fifth_{at}": value for at, value in enumerate(fifths, 1)}
        ratio = divide(fifths[-1], fifths[0])
        table.rows.append({"label": name, **row, "ratio": ratio, "left": left[name]})
        table.targets += [
            Target(f"{name}: the start time does not grow, last / first", ratio, LIMIT),
            Target(f"{name}: left behind after removal", left[name], 0, "sandboxes"),
        ]
    table.add_failures(out)
    return table


def medians_of_fifths(values: list[float]) -> list[float]:
    """Cut a list into five parts of one length and give the median of each."""
    step = len(values) // FIFTHS
    return [median(values[at * step : (at + 1) * step]) for at in range(FIFTHS)]
