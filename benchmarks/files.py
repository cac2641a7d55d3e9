"""Files in and out of a sandbox, beside `docker cp` of the same."""

import asyncio
import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Coroutine
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.contestants import Contestants
from benchmarks.file_server import FileServer, file_server
from benchmarks.progress import rounds
from benchmarks.report import Column, Table, Target, divide
from benchmarks.runner import Failure
from sandbook.errors import SandboxError
from sandbook.files.workspace import WorkspaceFiles
from sandbook.sandbox.base import SandboxRequest, ShellRequest
from sandbook.sandbox.factory import SandboxFactory

ROUNDS = 4
SMALL_ROUNDS = 200
SMALL_LIMIT_MS = 5.0
FLOOR = 0.8
MEMORY_LIMIT_MB = 50.0
FILES, FOLDERS, FILE_BYTES = 10_000, 100, 1000
BIG_BYTES = 1 << 30
TREE, UP, DOWN = "10 000 files, zipped, down", "1 GB up", "1 GB down"
READ, WRITE = "1 KB read", "1 KB write"
MS = 1000


def measure(contestants: Contestants, count: int) -> Table:
    """Move the same files by HTTP and by `docker cp`, in turn."""
    table = Table("Files in and out of a docker sandbox", _columns())
    folder = contestants.workspace / f"files-{uuid.uuid4().hex[:8]}"
    folder.mkdir()
    try:
        small = asyncio.run(_small(folder))
        ours, theirs, growth = _large(folder, count)
    except (Failure, SandboxError, subprocess.CalledProcessError) as error:
        table.add_failures({"sandbook, docker": str(error).splitlines()[0][:100]})
        return table
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for label, seconds in small.items():
        table.rows.append({"label": label, "ours_ms": median(seconds) * MS})
        found = table.value(label, "ours_ms")
        table.targets.append(Target(f"{label}, p50", found, SMALL_LIMIT_MS, "ms"))
    for label, seconds in ours.items():
        speed = divide(median(theirs[label]), median(seconds))
        row = {"label": label, "ours_ms": median(seconds) * MS, "speed": speed}
        table.rows.append({**row, "theirs_ms": median(theirs[label]) * MS})
        table.targets.append(Target(f"{label} / docker cp", speed, FLOOR, at_least=True))
    table.targets.append(Target("memory of the server grows", growth, MEMORY_LIMIT_MB, "MB"))
    table.notes.append(
        "Medians. Small files are read and written as the server does it, below HTTP. Large ones "
        "go through a real server, and `docker cp` moves the same to and from a pipe."
    )
    return table


def _columns() -> list[Column]:
    return [
        Column("ours_ms", "Sandbook, ms", 1),
        Column("theirs_ms", "docker cp, ms", 1),
        Column("speed", "x speed of docker cp"),
    ]


async def _small(folder: Path) -> dict[str, list[float]]:
    """Read and write a small file, as often as it takes."""
    factory = SandboxFactory(backend="docker")
    sandbox_id = str(uuid.uuid4())
    backend = await factory.choose()
    try:
        sandbox = await backend.create(SandboxRequest(sandbox_id, folder))
        control = f"{sandbox.directory}/hold/control"
        shell = await sandbox.open_shell(ShellRequest(("sleep", "600"), control))
        files = WorkspaceFiles(sandbox)
        data = os.urandom(1024)
        await files.write("small", data)
        seconds: dict[str, list[float]] = {READ: [], WRITE: []}
        for _ in rounds("files, small", SMALL_ROUNDS):
            seconds[READ].append(await _timed(files.read("small")))
            seconds[WRITE].append(await _timed(files.write("small", data)))
        await files.close()
        shell.close()
        return seconds
    finally:
        await backend.remove(sandbox_id)
        factory.close()


async def _timed(work: Coroutine[Any, Any, object]) -> float:
    begun = time.perf_counter()
    await work
    return time.perf_counter() - begun


def _large(
    folder: Path, count: int
) -> tuple[dict[str, list[float]], dict[str, list[float]], float]:
    work = folder / "work"
    work.mkdir()
    _fill(work)
    ours: dict[str, list[float]] = {TREE: [], UP: [], DOWN: []}
    theirs: dict[str, list[float]] = {TREE: [], UP: [], DOWN: []}
    source = folder / "source"
    shutil.copyfile(work / "big", source)
    with file_server("docker", work) as server:
        server.download("files/workspace/small?download=1")
        before = server.memory_mb()
        with server.watch_memory() as samples:
            for number in rounds("files, large", count):
                for label, ways in _ways(server, source).items():
                    pairs = list(zip((ours, theirs), ways, strict=True))
                    for into, move in reversed(pairs) if number % 2 else pairs:
                        _forget_uploads(work)
                        begun = time.perf_counter()
                        move()
                        into[label].append(time.perf_counter() - begun)
        return ours, theirs, max(samples, default=before) - before


def _forget_uploads(work: Path) -> None:
    """Let both ways make a new file: one writes over the old one, the other beside it.

    Who comes second finds the memory of the first one's file still warm, so they take turns.
    """
    for name in ("up/source", "up-docker"):
        (work / name).unlink(missing_ok=True)


def _ways(
    server: FileServer, source: Path
) -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """How we do it, and how `docker cp` does."""
    container = f"sandbook-{server.sandbox_id}"
    return {
        TREE: (
            lambda: server.download("download_files?path=/workspace/tree"),
            lambda: _copy_out(container, "/workspace/tree"),
        ),
        UP: (
            lambda: server.upload(source, "/workspace/up"),
            lambda: _run("docker", "cp", str(source), f"{container}:/workspace/up-docker"),
        ),
        DOWN: (
            lambda: server.download("files/workspace/big"),
            lambda: _copy_out(container, "/workspace/big"),
        ),
    }


def _copy_out(container: str, path: str) -> None:
    command = ["docker", "cp", f"{container}:{path}", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while process.stdout and process.stdout.read(1 << 20):
            pass
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _fill(folder: Path) -> None:
    """Make the files: many small ones, and a large one that cannot be compressed."""
    for number in range(FOLDERS):
        inside = folder / "tree" / f"folder-{number:03}"
        inside.mkdir(parents=True)
        for file in range(FILES // FOLDERS):
            (inside / f"file-{file:03}").write_bytes(os.urandom(FILE_BYTES))
    (folder / "small").write_bytes(os.urandom(1024))
    (folder / "up").mkdir()
    block = os.urandom(1 << 24)
    with (folder / "big").open("wb") as big:
        for _ in range(BIG_BYTES // len(block)):
            big.write(block)
