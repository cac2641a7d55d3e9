"""What the routes of OpenHands share: its clients know its errors by their words."""

import json
import re
from typing import Any
from urllib.parse import urlparse

from jupyter_server.auth.decorator import allow_unauthenticated
from tornado import web

from sandbook.agent_policy import AgentAccess
from sandbook.errors import SandboxError
from sandbook_server.handlers.base import SandbookHandler

FORBIDDEN, TOO_MANY, BROKEN, NO_CONTENT = 403, 429, 500, 204
WORDS = {404: "Not Found", 405: "Method Not Allowed"}
UNEXPECTED = "An unexpected error occurred. Please try again later."
FOREIGN = (
    "Pages of {} may not use this server. To let them, add it to c.AgentAccess.allowed_origins."
)
SLOW_DOWN = "This key is good for {:g} requests a second. Come back in {} s."


class ContractError(Exception):
    """An answer that clients of OpenHands expect just so; most are 500, whatever is wrong."""

    def __init__(self, detail: str, status: int = 500, **more: str) -> None:
        super().__init__(detail)
        self.status = status
        self.body = {"detail": detail, **more}


class ParametersError(ContractError):
    """A request that lacks something, or has it in a wrong shape."""

    def __init__(self, kind: str, place: tuple[str, ...], message: str, given: object) -> None:
        error = {"type": kind, "loc": place, "msg": message, "input": given}
        super().__init__("Invalid request parameters", 422, errors=str([error]))


class MissingError(ParametersError):
    """An argument that is not there."""

    def __init__(self, place: str, name: str, given: object = None) -> None:
        super().__init__("missing", (place, name), "Field required", given)


class UnexpectedError(ContractError):
    """A body that nobody can read."""

    def __init__(self) -> None:
        super().__init__(UNEXPECTED)


class TooManyError(ContractError):
    """A request too many."""

    def __init__(self, per_second: float, wait_s: int) -> None:
        super().__init__(SLOW_DOWN.format(per_second, wait_s), TOO_MANY)
        self.wait_s = wait_s


class OpenHandsHandler(SandbookHandler):
    """Answers as OpenHands does; what its contract does not name is said as everywhere here."""

    @property
    def access(self) -> AgentAccess:
        """Who may come, and how often."""
        return self.settings["sandbook_access"]

    async def admit(self) -> None:
        """Refuse other people's pages, and who comes too often."""
        if self._is_foreign():
            raise ContractError(FOREIGN.format(self.request.headers["Origin"]), FORBIDDEN)
        await super().admit()
        if self.current_user is not None:
            self._check_rate(self.path_kwargs["kernel_id"])

    def set_cors_headers(self) -> None:
        """Let pages of the origins that are allowed read the answer, and no others.

        Jupyter lets all read that have a token; a key in somebody else's page is no reason.
        """
        self.add_header("Vary", "Origin")
        if origin := self.request.headers.get("Origin"):
            self.set_header("Access-Control-Allow-Origin", origin)
            self.set_header("Access-Control-Expose-Headers", "Content-Disposition, Retry-After")

    def check_origin(self, origin_to_satisfy_tornado: str = "") -> bool:
        """Say that it was seen to: those who may not were refused before."""
        del origin_to_satisfy_tornado
        return not self._is_foreign()

    @allow_unauthenticated
    def options(self, **_: str) -> None:
        """Tell a browser what its page may send."""
        self.set_header("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
        allowed = "accept, authorization, content-type, x-session-api-key"
        self.set_header("Access-Control-Allow-Headers", allowed)
        self.set_header("Access-Control-Max-Age", "600")
        self.set_status(NO_CONTENT)

    def _is_foreign(self) -> bool:
        """Say whether a page of another origin asks, that nobody has allowed to."""
        origin = self.request.headers.get("Origin")
        if origin is None or origin in self.access.allowed_origins:
            return False
        if urlparse(origin).netloc == self.request.host:
            return False
        if self.allow_origin:
            return self.allow_origin not in {"*", origin}
        pattern = self.allow_origin_pat
        return not (pattern and re.fullmatch(pattern, origin))

    def _check_rate(self, kernel_id: str) -> None:
        if not self.identity_provider.has_key(self):
            return
        if wait_s := self.settings["sandbook_rates"].wait_s(kernel_id):
            raise TooManyError(self.access.requests_per_second, wait_s)

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Log the answers of the contract in a line."""
        if isinstance(value, ContractError):
            self.log.info("%s %s: %s", self.request.method, self.request.path, value)
        else:
            super().log_exception(typ, value, tb)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Answer `{"detail"}` with the status that the contract has for it."""
        error = self._in_words(status_code, kwargs.get("exc_info", (None, None, None))[1])
        if not self._is_foreign():
            self.set_cors_headers()  # those that were set are gone
        if not isinstance(error, ContractError):
            super().write_error(status_code, **kwargs)
            return
        self.set_status(error.status)
        if isinstance(error, TooManyError):
            self.set_header("Retry-After", str(error.wait_s))
        self.finish(json.dumps(error.body))

    def _in_words(self, status: int, error: BaseException | None) -> BaseException | None:
        """Say what clients know, where Jupyter or nobody has found words."""
        if isinstance(error, ContractError | SandboxError):
            return error
        if status == FORBIDDEN and self.current_user is None:
            return ContractError("Invalid API Key", FORBIDDEN)
        if status in WORDS:
            return ContractError(WORDS[status], status)
        return UnexpectedError() if status == BROKEN else error


class UnknownPathHandler(OpenHandsHandler):
    """Answers for all that is not there, to those who may know."""

    async def admit(self) -> None:
        """Do not ask for a method: none would do."""
        await super().admit()
        raise web.HTTPError(404)
