"""POST /sandbook/<kernel_id>/list_files: the names in a folder, as OpenHands lists them."""

import json
import posixpath
from typing import Any

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook.errors import FileError, SideLostError
from sandbook.files.workspace import WorkspaceFiles
from sandbook_server.handlers.base import AUTH_RESOURCE
from sandbook_server.handlers.openhands import OpenHandsHandler, UnexpectedError


class ListFilesHandler(OpenHandsHandler):
    """Lists a folder: folders first, with a slash behind their names."""

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def post(self, kernel_id: str) -> None:
        """Answer a JSON array; an empty one if there is no such folder."""
        wanted = self._wanted()
        async with self.workspaces.use(kernel_id) as workspace:
            path = posixpath.join(workspace.sandbox.workspace, wanted)
            names = await _names(workspace.files, path)
        self.finish(json.dumps(names))

    def _wanted(self) -> str:
        try:
            body: Any = json.loads(self.body)
            path = body.get("path")
        except (ValueError, AttributeError) as error:
            raise UnexpectedError from error
        if path is not None and not isinstance(path, str):
            raise UnexpectedError
        return path or ""


async def _names(files: WorkspaceFiles, path: str) -> list[str]:
    try:
        entries = await files.list_folder(path)
    except SideLostError:
        raise
    except FileError:
        return []
    return [
        f"{entry.name}/" if entry.is_folder else entry.name
        for entry in entries
        if not entry.is_broken
    ]
