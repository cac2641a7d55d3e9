"""POST /sandbook/<kernel_id>/execute_action: what an agent does, and what it observes."""

import asyncio
import json
import re
from typing import Any

from jupyter_server.auth.decorator import authorized
from tornado import web
from tornado.iostream import StreamClosedError

from sandbook.errors import InvalidActionError
from sandbook.wire import action_from
from sandbook_server.handlers.base import AUTH_RESOURCE, NO_SANDBOX
from sandbook_server.handlers.openhands import (
    ContractError,
    MissingError,
    OpenHandsHandler,
    ParametersError,
)
from sandbook_server.kernel_link import Json, KernelLink, KernelLinks, OnText, RefusedError

BAD_REQUEST, BROKEN = 400, 502
TOO_LARGE = (
    "An action may have {} MiB. Upload a large file with upload_file, "
    "or let c.AgentAccess.action_max_mb be more."
)
LONE = re.compile(r"\\u[dD][89a-fA-F]")
"""Halves of letters, which may have lost the other half."""
LONG = 1000
STATUS = {
    "invalid-action": BAD_REQUEST,
    "incomplete-command": BAD_REQUEST,
    "agents-refused": 403,
    "root-refused": 403,
    "sandbox-paused": 409,
    "session-lost": BROKEN,
    **NO_SANDBOX,
}


class ActionHandler(OpenHandsHandler):
    """Has the kernel do an action, in the shell that its notebook uses."""

    _doing: "asyncio.Future[Json] | None" = None

    @property
    def body_max(self) -> int:
        """How long an action may be."""
        return self.access.action_max_mb << 20

    def too_large(self) -> ContractError:
        """Say what can be done with a larger one."""
        return ContractError(TOO_LARGE.format(self.access.action_max_mb), 413)

    def on_connection_close(self) -> None:
        """Wait no longer for who is gone. A command goes on."""
        super().on_connection_close()
        if self._doing is not None:
            self._doing.cancel()

    @property
    def links(self) -> KernelLinks:
        """The connections to the kernels."""
        return self.settings["sandbook_links"]

    @property
    def author(self) -> str:
        """Who acts, by the name that others see."""
        user = self.current_user
        return user.display_name or user.name or user.username

    def action(self) -> Json:
        """Read the action of a request, and see that it is one.

        Raises:
            ContractError: It is none; the answer says what is wrong.
        """
        action = action_in(self.body)
        try:
            action_from(action)
        except InvalidActionError as error:
            raise refused(error.code, str(error)) from error
        return action

    def do(
        self, link: KernelLink, action: Json, on_text: OnText | None = None
    ) -> "asyncio.Future[Json]":
        """Have it done, as long as somebody waits for it."""
        self._doing = asyncio.ensure_future(link.observe(action, on_text, self.author))
        return self._doing

    async def done(self, doing: "asyncio.Future[Json]") -> Json:
        """Wait for the observation.

        Raises:
            StreamClosedError: Nobody is there any more to be told.
        """
        await asyncio.wait([doing])
        if doing.cancelled():
            raise StreamClosedError
        return doing.result()


class ExecuteActionHandler(ActionHandler):
    """Answers with the observation, when there is one."""

    @web.authenticated
    @authorized("execute", AUTH_RESOURCE)
    async def post(self, kernel_id: str) -> None:
        """Do it, and tell."""
        action = self.action()
        link = await self.links.to(kernel_id)
        try:
            observation = await self.done(self.do(link, action))
        except RefusedError as error:
            raise refused(error.code, str(error)) from error
        self.finish(json.dumps(observation))


def refused(code: str, detail: str) -> ContractError:
    """Answer an action that was not done; clients show the detail."""
    return ContractError(f"Internal server error: {detail}", STATUS.get(code, 500))


def action_in(body: bytes) -> Json:
    """Find the action in the body of a request.

    Raises:
        ParametersError: There is none.
    """
    try:
        text = body.decode()
        found: Any = json.loads(text, parse_constant=_no_number)
        if LONE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ParametersError(
            "json_invalid", ("body",), f"JSON decode error: {_why(error)}", {}
        ) from error
    if not isinstance(found, dict):
        told = "Input should be a valid dictionary or object to extract fields from"
        raise ParametersError("model_attributes_type", ("body",), told, _shown(found))
    if "action" not in found:
        raise MissingError("body", "action", _shown(found))
    if not isinstance(found["action"], dict):
        told = "Input should be a valid dictionary"
        raise ParametersError("dict_type", ("body", "action"), told, _shown(found["action"]))
    return found["action"]


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeError):
        return f"it is not UTF-8 ({error.reason})"  # pyright: ignore[reportAttributeAccessIssue]
    return str(error)


def _shown(given: Any) -> Any:
    """Repeat only what is short."""
    return given if len(repr(given)) < LONG else "..."
