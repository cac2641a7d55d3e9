"""Modules of ours that travel into a sandbox, for the Python code that agents run there."""

import base64
import io
import zipfile
from functools import cache
from importlib.resources import files

MODULES = (
    *("", "actions", "errors", "observations"),
    *("agents", "agents.editing", "agents.file_editor"),
    *("files", "files.diff", "files.edit_checks", "files.editor", "files.editor_texts"),
    *("files.encoding", "files.entries", "files.history", "files.line_ends", "files.paths"),
)
"""What `file_editor` imports, and what that imports; each package under its own name."""


@cache
def packed() -> str:
    """Give the modules as a zip archive from which Python can import them, in base64."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for module in MODULES:
            name = _file_of(module)
            zipped.writestr(f"sandbook/{name}", (files("sandbook") / name).read_bytes())
    return base64.b64encode(archive.getvalue()).decode()


def _file_of(module: str) -> str:
    path = module.replace(".", "/")
    if (files("sandbook") / path).is_dir():
        return f"{path}/__init__.py".lstrip("/")
    return f"{path}.py"
