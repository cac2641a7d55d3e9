"""POST /sandbook/<kernel_id>/update_mcp_server: which MCP servers an agent wants beside it."""

import json
import re
from typing import Any, TypeGuard

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook_server.handlers.base import AUTH_RESOURCE
from sandbook_server.handlers.openhands import ContractError, OpenHandsHandler, UnexpectedError

NO_LIST = "Request must be a list of MCP tools to sync"
NONE_WANTED = "MCP server updated successfully"
NONE_STARTED = "No MCP server was started: Sandbook starts none yet."
NOT_STARTED = (
    "{}: not started. Sandbook starts no MCP servers yet: run it elsewhere, and give the agent its "
    "address (SSE or streamable HTTP)."
)
_NAME = re.compile(r"[A-Za-z0-9_-]+")


class McpServersHandler(OpenHandsHandler):
    """Says of each server that it was not started; clients show the `router_error_log`."""

    @web.authenticated
    @authorized("execute", AUTH_RESOURCE)
    async def post(self, kernel_id: str) -> None:
        """Take a list of servers, and tell what has become of them."""
        await self.settings["sandbook_links"].to(kernel_id)
        try:
            servers: Any = json.loads(self.body)
        except ValueError as error:
            raise UnexpectedError from error
        if not isinstance(servers, list):
            raise ContractError(NO_LIST, 400)
        if not all(map(_is_server, servers)):  # pyright: ignore[reportUnknownArgumentType]
            raise UnexpectedError
        log = "\n".join(NOT_STARTED.format(server["name"]) for server in servers)
        detail = NONE_STARTED if servers else NONE_WANTED
        self.finish(json.dumps({"detail": detail, "router_error_log": log}))


def _is_server(server: Any) -> TypeGuard[dict[str, Any]]:
    return (
        isinstance(server, dict)
        and isinstance(name := server.get("name"), str)
        and _NAME.fullmatch(name) is not None
        and isinstance(command := server.get("command"), str)
        and command != ""
        and " " not in command
        and isinstance(server.get("args", []), list | str)
        and isinstance(server.get("env", {}), dict | str)
    )
