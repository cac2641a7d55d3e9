"""POST /sandbook/<kernel_id>/update_mcp_server: which MCP servers an agent wants beside it."""

import json
import re
from typing import Any, TypeGuard

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook_server.handlers.base import AUTH_RESOURCE
from sandbook_server.handlers.openhands import ContractError, OpenHandsHandler, UnexpectedError

NO_LIST = "Request must be a list of MCP tools to sync"
_NAME = re.compile(r"[A-Za-z0-9_-]+")


class McpServersHandler(OpenHandsHandler):
    """Takes the list and keeps it; nothing is started."""

    @web.authenticated
    @authorized("execute", AUTH_RESOURCE)
    async def post(self, kernel_id: str) -> None:
        """Keep a list of servers, in place of the last one."""
        link = await self.settings["sandbook_links"].to(kernel_id)
        try:
            servers: Any = json.loads(self.body)
        except ValueError as error:
            raise UnexpectedError from error
        if not isinstance(servers, list):
            raise ContractError(NO_LIST, 400)
        if not all(map(_is_server, servers)):  # pyright: ignore[reportUnknownArgumentType]
            raise UnexpectedError
        link.mcp_servers = servers
        told = {"detail": "MCP server updated successfully", "router_error_log": ""}
        self.finish(json.dumps(told))


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
