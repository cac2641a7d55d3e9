"""/sandbook/<kernel_id>/contents: Jupyter's contents API for the files of a sandbox."""

import inspect
import json
from typing import Any
from urllib.parse import quote

from jupyter_client.jsonutil import json_default
from jupyter_server.auth.decorator import authorized
from jupyter_server.services.contents.handlers import ContentsHandler
from jupyter_server.utils import url_path_join
from tornado import web

from sandbook.errors import InvalidRequestError, SandboxError
from sandbook.files.paths import to_bytes
from sandbook_server.contents import SandboxContents
from sandbook_server.handlers.base import AUTH_RESOURCE, SandbookHandler

WORDS = {"copy_from", "ext", "format", "name", "path", "type"}


class SandboxContentsHandler(SandbookHandler, ContentsHandler):
    """Does what Jupyter does, with the files of a sandbox.

    Jupyter's verbs are taken without their decorators: those would authorise for another resource.
    """

    auth_resource = AUTH_RESOURCE

    @property
    def body_max(self) -> None:
        """Take what the server takes: files are saved so."""
        return

    @property
    def contents_manager(self) -> SandboxContents:
        """What Jupyter's verbs work on."""
        return self._contents

    def location_url(self, path: str) -> str:
        """Give the address of a file here."""
        place = quote(to_bytes(path.strip("/")))
        kernel_id = self.path_kwargs["kernel_id"]
        return url_path_join(self.base_url, "sandbook", kernel_id, "contents", place)

    def get_json_body(self) -> dict[str, Any] | None:
        """Take an object, or nothing; Jupyter takes its words for text without a look."""
        body = super().get_json_body()
        if body is not None and not isinstance(body, dict):
            raise InvalidRequestError("The body is to be a JSON object.")
        for word, value in (body or {}).items():
            if word in WORDS and not isinstance(value, str | None):
                raise InvalidRequestError(f"`{word}` is to be a string.")
        return body

    def error_body(self, error: SandboxError) -> str:
        """Say it in Jupyter's words, too: JupyterLab shows the message."""
        message = str(error)
        return json.dumps({"code": error.code, "detail": message, "message": message})

    async def _do(self, verb: Any, kernel_id: str, path: str, checkpoint_id: str) -> None:
        del checkpoint_id
        async with self.workspaces.use(kernel_id) as workspace:
            self._contents = workspace.contents
            await inspect.unwrap(verb)(self, path)

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str, path: str = "", checkpoint_id: str = "") -> None:
        """Answer the model of a file or a folder."""
        await self._do(ContentsHandler.get, kernel_id, path, checkpoint_id)

    @web.authenticated
    @authorized("write", AUTH_RESOURCE)
    async def post(self, kernel_id: str, path: str = "", checkpoint_id: str = "") -> None:
        """Make something new in a folder, or a copy."""
        await self._do(ContentsHandler.post, kernel_id, path, checkpoint_id)

    @web.authenticated
    @authorized("write", AUTH_RESOURCE)
    async def put(self, kernel_id: str, path: str = "", checkpoint_id: str = "") -> None:
        """Save a file, or upload it in parts."""
        await self._do(ContentsHandler.put, kernel_id, path, checkpoint_id)

    @web.authenticated
    @authorized("write", AUTH_RESOURCE)
    async def patch(self, kernel_id: str, path: str = "", checkpoint_id: str = "") -> None:
        """Give something another name."""
        await self._do(ContentsHandler.patch, kernel_id, path, checkpoint_id)

    @web.authenticated
    @authorized("write", AUTH_RESOURCE)
    async def delete(self, kernel_id: str, path: str = "", checkpoint_id: str = "") -> None:
        """Remove something."""
        await self._do(ContentsHandler.delete, kernel_id, path, checkpoint_id)


class CheckpointsHandler(SandboxContentsHandler):
    """The earlier states of a file, or a folder that is called `checkpoints`, and what is in it.

    Only files have earlier states, so what lies in a folder is never one.
    """

    async def _do(self, verb: Any, kernel_id: str, path: str, checkpoint_id: str) -> None:
        async with self.workspaces.use(kernel_id) as workspace:
            self._contents = workspace.contents
            if await self._contents.dir_exists(path):
                place = filter(None, (path, "checkpoints", checkpoint_id))
                await inspect.unwrap(verb)(self, "/".join(place))
                return
            doing = CHECKPOINT_VERBS.get((self.request.method, bool(checkpoint_id)))
            if doing is None:
                raise web.HTTPError(405)
            await doing(self, path, checkpoint_id)

    async def list_all(self, path: str, _checkpoint_id: str) -> None:
        """Tell which there are."""
        found = await self._contents.list_checkpoints(path)
        self.finish(json.dumps(found, default=json_default))

    async def make(self, path: str, _checkpoint_id: str) -> None:
        """Keep the state of now."""
        made = await self._contents.create_checkpoint(path)
        location = url_path_join(self.location_url(path), "checkpoints", made["id"])
        self.set_header("Location", location)
        self.set_status(201)
        self.finish(json.dumps(made, default=json_default))

    async def restore(self, path: str, checkpoint_id: str) -> None:
        """Go back to one."""
        await self._contents.restore_checkpoint(checkpoint_id, path)
        self.set_status(204)
        self.finish()

    async def forget(self, path: str, checkpoint_id: str) -> None:
        """Forget one."""
        await self._contents.delete_checkpoint(checkpoint_id, path)
        self.set_status(204)
        self.finish()


CHECKPOINT_VERBS = {
    ("GET", False): CheckpointsHandler.list_all,
    ("POST", False): CheckpointsHandler.make,
    ("POST", True): CheckpointsHandler.restore,
    ("DELETE", True): CheckpointsHandler.forget,
}
"""What can be done with the states of a file: with all of them, or with one."""
