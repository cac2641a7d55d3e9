"""POST /sandbook/<kernel_id>/upload_file: a file, or an archive to unpack, as in OpenHands."""

import json
import posixpath
import zipfile
from collections.abc import AsyncIterator

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook.errors import ArchiveError, InvalidRequestError, TooLargeError
from sandbook.files.paths import shown
from sandbook_server.channel import Channel
from sandbook_server.forms import FileForm
from sandbook_server.handlers.base import AUTH_RESOURCE
from sandbook_server.handlers.openhands import ContractError, MissingError, OpenHandsHandler
from sandbook_server.transfers import Transfer
from sandbook_server.workspaces import Workspace

TRUE = {"1", "on", "t", "true", "y", "yes"}
SLACK = 1 << 16
"""What a form may have beside the file."""


class UploadFileHandler(OpenHandsHandler):
    """Hands a file on while it comes in.

    A failure is remembered while the rest of the body comes: who is still sending hears nothing.
    """

    _form: FileForm
    _channel: Channel[None] | None = None
    _transfer: Transfer | None = None
    _failure: Exception | None = None

    @property
    def body_max(self) -> int:
        """How much is taken: a file, and the form around it."""
        return self.workspaces.policy.total_bytes + SLACK

    async def admit(self) -> None:
        """Check everything before the body comes: `post` runs when it is there."""
        await super().admit()
        if self.request.method == "POST":
            await ensure_async(self._begin())

    def too_large(self) -> TooLargeError:
        """Name the file that is too large."""
        return TooLargeError(self.query("destination", "/"), self.body_max - SLACK)

    @web.authenticated
    @authorized("write", AUTH_RESOURCE)
    async def _begin(self) -> None:
        self.request.connection.set_max_body_size(self.body_max)  # pyright: ignore -- it is HTTP/1
        try:
            async with self.workspaces.use(self.path_kwargs["kernel_id"]):
                pass  # it is there
            self._form = FileForm(self.request.headers.get("Content-Type", ""))
            if not self.query("destination", "/").startswith("/"):
                self._failure = ContractError("400: Destination must be an absolute path")
        except InvalidRequestError:
            self._failure = MissingError("body", "file")

    async def data_received(self, chunk: bytes) -> None:
        """Take a piece of the body; wait while the sandbox has enough to do."""
        self._received += len(chunk)
        if self._transfer:
            self._transfer.bytes = self._received
        if self._failure or self.is_refused or self.request.method != "POST":
            return
        try:
            data = self._form.feed(chunk)
            if self._form.filename is not None and self._channel is None:
                self._channel = self._open(self._form.filename)
        except (ContractError, InvalidRequestError) as error:
            self._failure = error
            return
        if data and self._channel:
            await self._channel.put(data)

    @web.authenticated
    @authorized("write", AUTH_RESOURCE)
    async def post(self, kernel_id: str) -> None:
        """Say what was stored, when it is."""
        del kernel_id
        if not self._failure and not (self._channel and self._form.is_complete):
            self._failure = MissingError("body", "file")
        if self._failure or self._channel is None:
            await self._give_up()
            raise self._failure or MissingError("body", "file")
        await self._channel.end()
        answer = {
            "filename": self._form.filename,
            "destination": self.query("destination", "/"),
            "recursive": self._is_recursive(),
        }
        self.finish(json.dumps(answer))

    def on_connection_close(self) -> None:
        """Take back what somebody does not want to send any more."""
        super().on_connection_close()
        if self._channel:
            self._channel.stop()

    async def _give_up(self) -> None:
        if self._channel:
            self._channel.stop()
            await self._channel.wait()

    def _is_recursive(self) -> bool:
        return self.query("recursive", "false").lower() in TRUE

    def _open(self, filename: str) -> Channel[None]:
        name = posixpath.basename(filename)
        if not name:
            raise MissingError("body", "file")
        is_archive = name.endswith(".zip")
        if self._is_recursive() and not is_archive:
            raise ContractError("400: Recursive uploads must be zip files")
        target = posixpath.join(self.query("destination", "/"), name)
        return Channel(lambda pieces: self._store(pieces, target, unpack=is_archive))

    async def _store(self, pieces: AsyncIterator[bytes], target: str, *, unpack: bool) -> None:
        async with self.workspaces.use(self.path_kwargs["kernel_id"]) as workspace:
            with workspace.transfers.begin("upload", target, self.content_length) as self._transfer:
                self._transfer.bytes = self._received
                if unpack:
                    await _unpack(workspace, pieces, target)
                else:
                    limit = workspace.policy.total_bytes
                    await workspace.uploads.write_stream(target, pieces, limit=limit)


async def _unpack(workspace: Workspace, pieces: AsyncIterator[bytes], target: str) -> None:
    try:
        await workspace.uploads.zip_in(pieces, posixpath.dirname(target))
    except ArchiveError as error:
        if isinstance(error.__cause__, zipfile.BadZipFile):
            raise ContractError(f"{shown(target)} is not a zip file") from error
        raise
