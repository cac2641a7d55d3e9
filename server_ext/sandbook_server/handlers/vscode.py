"""GET /sandbook/<kernel_id>/vscode/connection_token: the key of a sandbox's VS Code."""

import json

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook_server.handlers.base import AUTH_RESOURCE
from sandbook_server.handlers.openhands import OpenHandsHandler


class VSCodeTokenHandler(OpenHandsHandler):
    """There is no VS Code yet, which clients understand."""

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str) -> None:
        """Answer that there is no token."""
        await self.settings["sandbook_links"].to(kernel_id)
        self.finish(json.dumps({"token": None}))
