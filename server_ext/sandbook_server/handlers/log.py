"""GET /sandbook/<kernel_id>/logs/<number>: the whole output of a cell that said very much."""

import asyncio
import os
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir
from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook.errors import LogNotFoundError
from sandbook.output_logs import LOGS, log_name, open_log
from sandbook_server.handlers.base import AUTH_RESOURCE, SandbookHandler
from sandbook_server.headers import attachment

TYPE = "text/plain; charset=utf-8"
PIECE = 1 << 20
SHOWN = 1 << 24
"""What is larger is saved: a page of so much text stops the browser."""


class LogHandler(SandbookHandler):
    """Works also after the kernel has ended."""

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str, number: str) -> None:
        """Send it as text, in pieces; it may be a gigabyte."""
        path = Path(jupyter_data_dir(), "sandbook", LOGS, log_name(kernel_id, int(number)))
        try:
            opened = await asyncio.to_thread(open_log, path)
        except OSError as error:
            raise LogNotFoundError(number) from error
        with os.fdopen(opened, "rb") as file:
            left = os.fstat(opened).st_size
            self.set_header("Content-Type", TYPE)
            self.set_header("Content-Length", left)
            if left > SHOWN:
                self.set_header("Content-Disposition", attachment(path.name))
            while left and (piece := await asyncio.to_thread(file.read, min(PIECE, left))):
                left -= len(piece)
                await self.stream(piece)
        self.finish(set_content_type=TYPE)
