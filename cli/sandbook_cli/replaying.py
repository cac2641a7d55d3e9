"""Runs a notebook in a new sandbox, and tells what differs from what it held before."""

import asyncio
import copy
import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode
from traitlets.config import Config

from sandbook_cli.differences import differences
from sandbook_cli.errors import CommandError

TITLE_LENGTH = 70
_notebooks: Any = nbformat
"""Nothing in it has types."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What is run again, where, and what becomes of it."""

    file: Path
    variables: dict[str, str]
    """The settings of the sandbox."""
    workspace: Path | None = None
    output: Path | None = None
    timeout_s: float | None = None


async def replay(wish: Replay) -> int:
    """Run cell after cell; give back how many went otherwise than before.

    Raises:
        CommandError: It cannot be run; the message says why.
    """
    recorded = await asyncio.to_thread(_notebook, wish.file)
    again = copy.deepcopy(recorded)
    with ExitStack() as stack:
        folder = wish.workspace or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _make(folder)
        sockets = stack.enter_context(tempfile.TemporaryDirectory())
        client = NotebookClient(
            again,
            timeout=wish.timeout_s,
            kernel_name="sandbook",
            allow_errors=True,
            resources={"metadata": {"path": str(folder)}},
            config=Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}),
        )
        differing = await _run_cells(client, recorded, {**os.environ, **wish.variables})
    if wish.output:
        await asyncio.to_thread(_notebooks.write, again, wish.output)
    return differing


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        told = f"The folder {str(folder)!r} cannot be made: {error.strerror}."
        raise CommandError(told) from error


def _notebook(path: Path) -> NotebookNode:
    try:
        return _notebooks.read(path, as_version=4)
    except FileNotFoundError as error:
        raise CommandError(f"There is no file {str(path)!r}.") from error
    except Exception as error:  # nbformat raises whatever a broken file leads to
        raise CommandError(f"{str(path)!r} is no notebook: {error}") from error


async def _run_cells(
    client: NotebookClient, recorded: NotebookNode, environment: dict[str, str]
) -> int:
    differing = 0
    codes = [index for index, cell in enumerate(recorded.cells) if cell.cell_type == "code"]
    async with client.async_setup_kernel(env=environment):
        for number, index in enumerate(codes, 1):
            print(f"[{number}/{len(codes)}] {_title(recorded.cells[index].source)}", flush=True)
            try:
                await client.async_execute_cell(client.nb.cells[index], index)
            except CellExecutionError:
                pass  # it is told like any other difference
            except DeadKernelError as error:
                raise CommandError(f"The kernel died in cell {number}.") from error
            told = differences(recorded.cells[index], client.nb.cells[index])
            differing += bool(told)
            print(*(f"    {line}\n" for line in told), sep="", end="", flush=True)
    return differing


def _title(source: str) -> str:
    line = source.strip().partition("\n")[0]
    return line if len(line) <= TITLE_LENGTH else f"{line[:TITLE_LENGTH]}…"
