"""Turns what was done in a sandbox into a notebook that does it again. Pure."""

import re
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from sandbook.rendering.wall import inert
from sandbook.trajectory.entries import Entry

KERNELSPEC = {"name": "sandbook", "display_name": "Sandbook (Bash)", "language": "bash"}
LANGUAGE = {"name": "bash", "mimetype": "text/x-sh", "file_extension": ".sh"}
MAY_FAIL = "raises-exception"
MAX_AUTHOR = 100
_TICKS = re.compile(r"`+")


def notebook_from(sandbox_id: str, entries: list[Entry]) -> NotebookNode:
    """Make a notebook of a trajectory. Running it in a new sandbox makes the same files."""
    metadata = {
        "kernelspec": KERNELSPEC,
        "language_info": LANGUAGE,
        "sandbook": {"sandbox_id": sandbox_id, "trajectory": 1},
    }
    notebook = v4.new_notebook(metadata=metadata)
    count = 0
    for entry in entries:
        count += entry.kind != "note"
        notebook.cells.append(_cell_from(entry, count))
    nbformat.validate(notebook)
    return notebook


def _cell_from(entry: Entry, count: int) -> NotebookNode:
    facts = {name: getattr(entry, name) for name in ("at", "author", "kind", "status", "seconds")}
    metadata: dict[str, Any] = {"sandbook": facts}
    cell_id = f"entry-{entry.number}"
    if entry.kind == "note":
        text = _clean(_note(entry))
        return v4.new_markdown_cell(text, metadata=metadata, id=cell_id)
    if entry.status != "ok":
        metadata["tags"] = [MAY_FAIL, "failed" if entry.status == "failed" else "timed-out"]
    if entry.hidden:
        metadata["jupyter"] = {"source_hidden": True, "outputs_hidden": True}
    return v4.new_code_cell(
        _clean(entry.source),
        execution_count=count,
        outputs=[_output_from(output, count, walled=entry.walled) for output in entry.outputs],
        metadata=metadata,
        id=cell_id,
    )


def _note(entry: Entry) -> str:
    """Write a note so that nothing in it is Markdown: what agents say is hostile."""
    author = "".join(filter(str.isprintable, entry.author)).replace("`", "'")[:MAX_AUTHOR]
    longest = max(map(len, _TICKS.findall(entry.source)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"`{author}`:\n\n{fence}text\n{entry.source}\n{fence}"


def _output_from(output: dict[str, Any], count: int, *, walled: bool) -> NotebookNode:
    kind = output["output_type"]
    if "data" in output and not walled:
        output = {**output, "data": inert(output["data"]), "metadata": {}}
    content = {key: _clean(value) for key, value in output.items() if key != "output_type"}
    if kind == "execute_result":
        content["execution_count"] = count
    return v4.new_output(kind, **content)


def _clean(value: Any) -> Any:
    """Replace what no file can hold: an agent may send half of a character."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, dict):
        return {key: _clean(one) for key, one in value.items()}
    return value
