"""GET /sandbook/<kernel_id>/transfers: how far uploads and downloads are."""

import json
from dataclasses import asdict

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook_server.handlers.base import AUTH_RESOURCE, SandbookHandler


class TransfersHandler(SandbookHandler):
    """Lists the transfers that run."""

    # Who shows progress asks often; that must not keep an idle server alive.
    _track_activity = False

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str) -> None:
        """Answer a JSON array, oldest first."""
        async with self.workspaces.use(kernel_id) as workspace:
            running = workspace.transfers.list_all()
        self.finish(json.dumps([asdict(transfer) for transfer in running]))
