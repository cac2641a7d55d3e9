"""What all handlers share: how one of our errors becomes an answer."""

import contextlib
import json
from typing import Any

from tornado.iostream import StreamClosedError

from sandbook.errors import InvalidRequestError, SandboxError
from sandbook.files.paths import to_text
from sandbook.sandbox.factory import SandboxFactory
from sandbook_server.handlers.bodies import BodyHandler
from sandbook_server.keys import KeyIdentity
from sandbook_server.workspaces import Workspaces

AUTH_RESOURCE = "sandbook"
NO_SANDBOX = dict.fromkeys(("backend-unavailable", "image-not-found", "sandbox-start-failed"), 503)
"""There is none, and none can be made."""
STATUS = {
    **NO_SANDBOX,
    "invalid-action": 400,
    "invalid-request": 400,
    "file-error": 400,
    "is-a-folder": 400,
    "not-a-folder": 400,
    "not-a-file": 400,
    "archive-refused": 400,
    "permission-denied": 403,
    "root-refused": 403,
    "sandbox-not-found": 404,
    "path-not-found": 404,
    "log-not-found": 404,
    "session-busy": 409,
    "sandbox-paused": 409,
    "already-exists": 409,
    "file-changed": 409,
    "too-large": 413,
    "session-lost": 502,
    "side-lost": 502,
    "disk-full": 507,
}


class SandbookHandler(BodyHandler):
    """Subclasses raise; only this class knows status codes."""

    auth_resource = AUTH_RESOURCE
    error_type = "application/json"
    is_use = True
    """Whether who asks this uses the sandbox, and does not only look after it."""

    def initialize(self) -> None:
        """Nobody uses the sandbox yet."""
        self._use = contextlib.ExitStack()

    async def admit(self) -> None:
        """Let those in who may; whatever they do with a sandbox, they use it meanwhile."""
        await super().admit()
        kernel_id = self.path_kwargs.get("kernel_id")
        is_use = self.is_use and self._track_activity
        if kernel_id and is_use and self.current_user is not None:
            self._use.enter_context(self.settings["sandbook_idling"].used(kernel_id))

    def on_finish(self) -> None:
        """Use the sandbox no longer."""
        self._use.close()
        super().on_finish()

    def on_connection_close(self) -> None:
        """Use it no longer either: of a body that breaks off, nothing else is heard."""
        super().on_connection_close()
        self._use.close()

    @property
    def identity_provider(self) -> Any:
        """Who is let in: also agents, with the key of their sandbox."""
        return KeyIdentity(super().identity_provider, self.settings["sandbook_keys"])

    @property
    def factory(self) -> SandboxFactory:
        """The sandboxes of this server."""
        return self.settings["sandbook_factory"]

    @property
    def workspaces(self) -> Workspaces:
        """The files of the sandboxes."""
        return self.settings["sandbook_workspaces"]

    def decode_argument(self, value: bytes, name: str | None = None) -> str:
        """Take names as the sandbox has them: not all of them are UTF-8."""
        del name
        return to_text(value)

    def query(self, name: str, default: str | None = None) -> str:
        """Give an argument just as it came: a name may begin with a space.

        Raises:
            InvalidRequestError: It is missing, and has no default.
        """
        values = self.request.query_arguments.get(name)
        if values:
            return self.decode_argument(values[-1])
        if default is None:
            raise InvalidRequestError(f"Say `{name}` in the address.")
        return default

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        """Break off an answer that has begun: one half of a file must not look like a file."""
        if self._headers_written and not self._finished:
            error = kwargs.get("exc_info", (None, None, None))[1]
            self.log.warning("Broke off %s: %s", self.request.path, error)
            self.hang_up()
            return
        super().send_error(status_code, **kwargs)

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Log our own errors, and clients who leave, in a line: they are no defects."""
        if isinstance(value, SandboxError | StreamClosedError | ConnectionError):
            self.log.info("%s %s: %s", self.request.method, self.request.path, value)
        else:
            super().log_exception(typ, value, tb)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Answer `{"code", "detail"}` for our errors and Jupyter's own JSON for others."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if not isinstance(error, SandboxError):
            super().write_error(status_code, **kwargs)
            return
        self.set_status(STATUS.get(error.code, 500))
        self.finish(self.error_body(error), set_content_type=self.error_type)

    def error_body(self, error: SandboxError) -> str:
        """Write an error as JSON; subclasses may say it in another way."""
        return json.dumps({"code": error.code, "detail": str(error)})

    async def stream(self, piece: bytes) -> None:
        """Send a piece, and wait until the client has taken what was sent before."""
        self.write(piece)
        await self.flush()
