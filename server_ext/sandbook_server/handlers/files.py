"""GET /sandbook/<kernel_id>/files/<path>: the bytes of a file, or of a part of it."""

import asyncio
import posixpath

from jupyter_server.auth.decorator import authorized
from tornado import web

from sandbook.files.entries import FileInfo
from sandbook.files.mime import identify
from sandbook_server.handlers.base import AUTH_RESOURCE, SandbookHandler
from sandbook_server.headers import UnsatisfiableError, attachment, http_date, part_of, served_type
from sandbook_server.workspaces import Workspace


class FilesHandler(SandbookHandler):
    """Sends hostile bytes: whatever is in them, they cannot act where a browser shows them."""

    @property
    def content_security_policy(self) -> str:
        """Take everything from a document that is shown: scripts, our origin, the network."""
        return (
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
            "frame-ancestors 'self'"
        )

    def set_default_headers(self) -> None:
        """Let no other site embed what is here, nor learn its address."""
        super().set_default_headers()
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")
        self.set_header("Referrer-Policy", "same-origin")
        self.set_header("Cache-Control", "private, no-cache")

    def compute_etag(self) -> None:
        """Keep to the tag of the file, not one of what is sent."""

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str, path: str) -> None:
        """Answer with bytes, as many as were asked for."""
        await self._answer(kernel_id, f"/{path}")

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def head(self, kernel_id: str, path: str) -> None:
        """Answer what `get` would, without the bytes."""
        await self._answer(kernel_id, f"/{path}")

    async def _answer(self, kernel_id: str, path: str) -> None:
        async with self.workspaces.use(kernel_id) as workspace:
            seen = await workspace.files.look(path)
            found = await asyncio.to_thread(identify, path, seen.head, is_whole=seen.is_whole)
            self._type = served_type(found)
            self._describe(posixpath.basename(path), seen.info)
            if self.check_etag_header():
                self.set_status(304)
            elif part := self._part(seen.size):
                await self._send(workspace, path, part, seen.head)
        self.finish(set_content_type=self._type)

    def _describe(self, name: str, info: FileInfo) -> None:
        self.set_header("Content-Type", self._type)
        self.set_header("Accept-Ranges", "bytes")
        self.set_header("Etag", f'"{info.etag}"')
        self.set_header("Last-Modified", http_date(info.modified_ns))
        if self.query("download", "0") not in {"", "0"}:
            self.set_header("Content-Disposition", attachment(name))

    def _part(self, size: int) -> tuple[int, int] | None:
        """Find out which bytes are wanted; a part of a file that has changed is worth nothing."""
        unless = self.request.headers.get("If-Range")
        is_same = not unless or unless in {self._headers["Etag"], self._headers["Last-Modified"]}
        try:
            part = part_of(self.request.headers.get("Range", ""), size) if is_same else None
        except UnsatisfiableError:
            self.set_status(416)
            self.set_header("Content-Range", f"bytes */{size}")
            return None
        if part is None:
            return 0, size
        self.set_status(206)
        self.set_header("Content-Range", f"bytes {part[0]}-{part[1] - 1}/{size}")
        return part

    async def _send(
        self, workspace: Workspace, path: str, part: tuple[int, int], head: bytes
    ) -> None:
        begin, end = part
        self.set_header("Content-Length", str(end - begin))
        if self.request.method == "HEAD":
            return
        if end <= len(head):
            self.write(head[begin:end])
            return
        with workspace.transfers.begin("download", path, end - begin) as transfer:
            async with workspace.files.open(path, begin, end - begin) as reader:
                async for piece in reader.pieces:
                    await self.stream(piece)
                    transfer.bytes += len(piece)
