"""GET /sandbook/<kernel_id>/trajectory.ipynb: all that was done in a sandbox, as a notebook."""

import asyncio
from pathlib import Path

import nbformat
from jupyter_core.paths import jupyter_data_dir
from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook.errors import SandboxNotFoundError
from sandbook.trajectory.journal import TRAJECTORIES, journal_path, read_journal
from sandbook_server.handlers.base import AUTH_RESOURCE, SandbookHandler
from sandbook_server.trajectories import notebook_from


class TrajectoryHandler(SandbookHandler):
    """Works also while the kernel is busy, and after it has ended."""

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str) -> None:
        """Send it as a file that is saved under the name of the sandbox."""
        text = await asyncio.to_thread(_written, kernel_id)
        name = f"sandbox-{kernel_id[:8]}.ipynb"
        self.set_header("Content-Disposition", f'attachment; filename="{name}"')
        self.finish(text, set_content_type="application/x-ipynb+json")


def _written(sandbox_id: str) -> str:
    path = journal_path(Path(jupyter_data_dir(), "sandbook", TRAJECTORIES), sandbox_id)
    if path is None or not path.exists():
        raise SandboxNotFoundError(sandbox_id)
    return nbformat.writes(notebook_from(sandbox_id, read_journal(path)))
