"""GET /sandbook/<kernel_id>/download_files?path=: a folder as zip, made while it is sent."""

import contextlib
import posixpath

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook.errors import PathNotFoundError
from sandbook_server.handlers.base import AUTH_RESOURCE
from sandbook_server.handlers.openhands import ContractError, MissingError, OpenHandsHandler
from sandbook_server.headers import attachment

ZIP = "application/zip"


class DownloadFilesHandler(OpenHandsHandler):
    """Sends an archive whose length nobody knows before its end."""

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str) -> None:
        """Answer with all that is below the folder."""
        path = self.query("path", "")
        if not path:
            raise MissingError("query", "path")
        if not path.startswith("/"):
            raise ContractError("400: Path must be an absolute path")
        async with self.workspaces.use(kernel_id) as workspace:
            try:
                await workspace.files.stat(path)
            except PathNotFoundError as error:
                raise ContractError("404: File not found") from error
            self.set_header("Content-Type", ZIP)
            self.set_header("Content-Disposition", attachment(f"{posixpath.basename(path)}.zip"))
            with workspace.transfers.begin("download", path) as transfer:
                async with contextlib.aclosing(workspace.files.zip_out(path)) as pieces:
                    async for piece in pieces:
                        await self.stream(piece)
                        transfer.bytes += len(piece)
        self.finish(set_content_type=ZIP)
