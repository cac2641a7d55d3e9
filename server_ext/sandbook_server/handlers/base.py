"""What all handlers share: how one of our errors becomes an answer."""

import json
from typing import Any

from jupyter_server.base.handlers import APIHandler

from sandbook.errors import SandboxError
from sandbook.sandbox.factory import SandboxFactory

AUTH_RESOURCE = "sandbook"
STATUS = {
    "invalid-action": 400,
    "sandbox-not-found": 404,
    "session-busy": 409,
    "session-lost": 502,
    "backend-unavailable": 503,
    "image-not-found": 503,
}


class SandbookHandler(APIHandler):
    """Subclasses raise; only this class knows status codes."""

    auth_resource = AUTH_RESOURCE

    @property
    def factory(self) -> SandboxFactory:
        """The sandboxes of this server."""
        return self.settings["sandbook_factory"]

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Answer `{"code", "detail"}` for our errors and Jupyter's own JSON for others."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if not isinstance(error, SandboxError):
            super().write_error(status_code, **kwargs)
            return
        self.set_status(STATUS.get(error.code, 500))
        self.finish(json.dumps({"code": error.code, "detail": str(error)}))
