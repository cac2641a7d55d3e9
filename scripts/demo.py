"""Run the quickstart notebook without a browser, and show each cell with its result."""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from traitlets.config import Config

SOURCE = Path("examples/quickstart.ipynb")
TARGET = Path(".build/quickstart.executed.ipynb")
GREEN, CYAN, RED, DIM, PLAIN = "\x1b[32m", "\x1b[36m", "\x1b[31m", "\x1b[2m", "\x1b[0m"


def show_source(cell: NotebookNode) -> None:
    """Print a cell as one would have typed it."""
    for number, line in enumerate(cell.source.splitlines()):
        print(f"{CYAN}{'$' if number == 0 else '>'}{PLAIN} {line}")


def show_output(output: NotebookNode) -> None:
    """Print what a cell gave."""
    if output.output_type == "stream":
        print(output.text, end="", flush=True)
    elif output.output_type == "error":
        print(f"{RED}{output.ename}{PLAIN}: {output.evalue}")
    else:
        print(output.data.get("text/plain", f"{DIM}[{', '.join(output.data)}]{PLAIN}"))


class Demo(NotebookClient):
    """Prints cells and outputs while they happen."""

    async def async_execute_cell(
        self, cell: NotebookNode, *args: int, **options: bool
    ) -> NotebookNode:
        """Show the cell before it runs."""
        if cell.cell_type == "code":
            show_source(cell)
        return await super().async_execute_cell(cell, *args, **options)

    def output(
        self, outs: list[NotebookNode], msg: dict, display_id: str, cell_index: int
    ) -> NotebookNode | None:
        """Show each output as it comes."""
        made = super().output(outs, msg, display_id, cell_index)
        if made is not None:
            show_output(made)
        return made


def main() -> int:
    """Execute, save, and say where the result is."""
    notebook = nbformat.read(SOURCE, as_version=4)
    TARGET.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as sockets, tempfile.TemporaryDirectory() as workspace:
        config = Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"})
        resources = {"metadata": {"path": workspace}}
        try:
            Demo(notebook, config=config, timeout=300, resources=resources).execute()
        except CellExecutionError:
            verdict, code = f"{RED}The notebook failed.{PLAIN}", 1
        else:
            verdict, code = f"{GREEN}All cells ran.{PLAIN}", 0
        finally:
            nbformat.write(notebook, TARGET)
    print(f"\n{verdict} The executed notebook: {TARGET}")
    return code


if __name__ == "__main__":
    sys.exit(main())
