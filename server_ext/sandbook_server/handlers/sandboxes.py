"""/sandbook/sandboxes: the sandboxes of this user, and new ones for agents."""

import json
from dataclasses import asdict
from typing import Any

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook.errors import InvalidRequestError, SandboxNotFoundError
from sandbook.sandbox.base import SandboxInfo
from sandbook_server.handlers.base import AUTH_RESOURCE, SandbookHandler
from sandbook_server.making import wish_from

CREATED, NO_CONTENT = 201, 204


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

    @web.authenticated
    @authorized("execute", AUTH_RESOURCE)
    async def post(self) -> None:
        """Make a sandbox for an agent; answer where it is reached, and the key to it."""
        try:
            body: Any = json.loads(self.body or b"{}")
        except (ValueError, RecursionError) as error:
            raise InvalidRequestError("The body must be JSON.") from error
        wish = wish_from(body)
        sandbox_id = await self.settings["sandbook_maker"].make(wish)
        default_s = self.settings["sandbook_access"].idle_timeout_s
        timeout_s = default_s if wish.timeout is None else wish.timeout
        self.settings["sandbook_idling"].watch(sandbox_id, timeout_s)
        base_url = f"{self.request.protocol}://{self.request.host}{self.base_url}"
        self.set_status(CREATED)
        self.finish(
            json.dumps(
                {
                    "id": sandbox_id,
                    "base_url": f"{base_url}sandbook/{sandbox_id}",
                    "session_api_key": self.settings["sandbook_keys"].give(sandbox_id),
                }
            )
        )


class SandboxHandler(SandbookHandler):
    """One sandbox."""

    is_use = False

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str) -> None:
        """Tell what it is."""
        found = [info for info in await self.factory.list_all() if info.sandbox_id == kernel_id]
        if not found:
            raise SandboxNotFoundError(kernel_id)
        self.finish(json.dumps(row_from(found[0])))

    @web.authenticated
    @authorized("execute", AUTH_RESOURCE)
    async def delete(self, kernel_id: str) -> None:
        """End it, with its kernel."""
        await self.settings["sandbook_maker"].remove(kernel_id)
        self.set_status(NO_CONTENT)


class SandboxPauseHandler(SandbookHandler):
    """Freezes a sandbox, and lets it go on."""

    is_use = False

    @web.authenticated
    @authorized("execute", AUTH_RESOURCE)
    async def post(self, kernel_id: str, what: str) -> None:
        """Do one of both."""
        sandbox = await self.factory.find(kernel_id)
        await (sandbox.pause() if what == "pause" else sandbox.resume())
        self.set_status(NO_CONTENT)
