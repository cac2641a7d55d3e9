"""GET /sandbook/<kernel_id>/view?path=: a page that shows a file of any kind, or a folder."""

import re
from html import escape

from jupyter_server.auth.decorator import authorized
from jupyter_server.utils import url_path_join
from tornado import web

from sandbook.errors import InvalidRequestError, SandboxError
from sandbook_server.addresses import Addresses
from sandbook_server.handlers.base import AUTH_RESOURCE, SandbookHandler
from sandbook_server.viewing import Viewer, Wish

HTML = "text/html; charset=utf-8"
INERT = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
ERROR = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>:root{{color-scheme:light dark}}body{{font:15px/1.5 system-ui,sans-serif;margin:3rem auto;\
max-width:40rem;padding:0 1.5rem}}</style></head>
<body><h1>{title}</h1><p>{detail}</p></body></html>
"""


class ViewHandler(SandbookHandler):
    """Shows hostile files on a page that cannot act and loads only files of the same sandbox."""

    error_type = HTML

    @property
    def content_security_policy(self) -> str:
        """Allow nothing, until it is known what is to be shown."""
        return f"sandbox; {INERT}; frame-ancestors 'self'"

    def set_default_headers(self) -> None:
        """Let no other site embed the page, nor learn its address from a link on it."""
        super().set_default_headers()
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")
        self.set_header("Referrer-Policy", "same-origin")
        self.set_header("Cache-Control", "private, no-cache")

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str) -> None:
        """Answer the page."""
        viewer: Viewer = self.settings["sandbook_viewer"]
        async with self.workspaces.use(kernel_id) as workspace:
            path = self.query("path", "") or workspace.sandbox.workspace
            wish = Wish(workspace.files.absolute(path), self._page(), self._lines())
            base = url_path_join(self.base_url, "sandbook", kernel_id, "/")
            page = await viewer.page(workspace.files, wish, Addresses(base))
        self._allow_files(f"{self.request.host}{base}files/", embeds=page.embeds)
        self.finish(page.html, set_content_type=HTML)

    def _allow_files(self, files: str, *, embeds: bool) -> None:
        """Let the page load files of its sandbox, and save them.

        Its origin stays ours, or they would be asked for without the cookie; without scripts, it
        has no other use of that. A page around a PDF is not sandboxed itself, but it has nothing
        of the file on it, and what it embeds is.
        """
        sandbox = "" if embeds else "sandbox allow-same-origin allow-downloads; "
        loads = f"img-src {files} data:; media-src {files}"
        if embeds:
            loads = f"object-src {files}; frame-src {files}"  # Chromium wants both
        policy = f"{sandbox}{INERT}; {loads}; frame-ancestors 'self'"
        self.set_header("Content-Security-Policy", policy)

    def error_body(self, error: SandboxError) -> str:
        """Say it on a page."""
        return ERROR.format(title="This cannot be shown", detail=escape(str(error)))

    def _page(self) -> int:
        return self._numbers("page", "1", r"([1-9]\d{0,8})", "a number from 1 on")[0]

    def _lines(self) -> tuple[int, int] | None:
        if not self.query("lines", ""):
            return None
        number = r"([1-9]\d{0,8})"
        first, last = self._numbers("lines", "", f"{number}:{number}", "two numbers, as in 10:20")
        if first > last:
            raise InvalidRequestError(f"There are no lines {first}:{last}.")
        return first, last

    def _numbers(self, name: str, default: str, pattern: str, wanted: str) -> list[int]:
        match = re.fullmatch(pattern, self.query(name, default), re.ASCII)
        if not match:
            raise InvalidRequestError(f"`{name}` is to be {wanted}.")
        return list(map(int, match.groups()))
