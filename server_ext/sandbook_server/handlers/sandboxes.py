"""GET /sandbook/sandboxes: the sandboxes of this user."""

import json
from dataclasses import asdict
from typing import Any

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook.sandbox.base import SandboxInfo
from sandbook_server.handlers.base import AUTH_RESOURCE, SandbookHandler


def row_from(info: SandboxInfo) -> dict[str, Any]:
    """Write a sandbox as JSON: the kernel that owns it has the same id."""
    row = asdict(info)
    row["id"] = row["kernel_id"] = row.pop("sandbox_id")
    row["started_at"] = info.started_at.isoformat()
    return row


class SandboxesHandler(SandbookHandler):
    """Lists sandboxes, whatever backend made them."""

    # The lab extension asks every few seconds; that must not keep an idle server alive.
    _track_activity = False

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self) -> None:
        """Answer a JSON array, oldest first."""
        sandboxes = await self.factory.list_all()
        self.finish(json.dumps([row_from(info) for info in sandboxes]))
