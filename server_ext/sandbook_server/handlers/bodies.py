"""What comes with a request: refused before it has come, and never more than is wanted."""

import asyncio
import sys
from typing import Any

from jupyter_server.base.handlers import APIHandler
from tornado import web

from sandbook.errors import SandboxError

BODY_MAX = 1 << 20
LINGER_S = 10.0
LINGER_MAX = 512 << 20
"""For so long, and for so much, a client that was refused may go on sending."""


class BodyTooLargeError(SandboxError):
    """More comes with a request than is taken."""

    code = "too-large"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"This request may bring {limit} bytes. Send less; files are for upload_file."
        )


@web.stream_request_body
class BodyHandler(APIHandler):
    """Asks who comes, and with how much, when it has seen the headers.

    Who is refused is told so at once. What that client still sends is dropped: a connection that
    is closed too early is reset, and then its answer is lost unread.
    """

    _deadline: asyncio.TimerHandle | None = None
    is_refused = False
    """Whether what comes is of no use."""
    _received = 0

    @property
    def body_max(self) -> int | None:
        """How many bytes are taken; `None` is what the server takes at most."""
        return BODY_MAX

    async def admit(self) -> None:
        """See whether a request may be made, before its body comes; raise if it may not."""
        await super().prepare()
        if self.current_user is None and not self._is_open():
            raise web.HTTPError(403)
        if self._is_too_much(self.content_length or 0):
            raise self.too_large()

    def too_large(self) -> Exception:
        """Say that a body is too large."""
        return BodyTooLargeError(self.body_max or BODY_MAX)

    async def prepare(self) -> None:
        """Begin to take the body, or refuse."""
        try:
            await self.admit()
        except Exception as error:
            if not self._may_linger():
                raise
            self._refuse(error)
        self.request.body = bytearray()  # pyright: ignore -- as good as bytes

    @property
    def content_length(self) -> int | None:
        """How much will come, if that is said."""
        length = self.request.headers.get("Content-Length", "")
        return int(length) if length.isdecimal() else None

    @property
    def body(self) -> bytes:
        """What has come. If it was too much, nothing was kept, and this raises."""
        if self._is_too_much(self._received):
            raise self.too_large()
        return self.request.body

    def data_received(self, chunk: bytes) -> Any:
        """Keep a piece, if it is wanted."""
        self._received += len(chunk)
        if self.is_refused or self._is_too_much(self._received):
            self.request.body = b""
        else:
            self.request.body += chunk

    def finish(self, *arguments: Any, **options: Any) -> Any:
        """Answer; while a body still comes, the end of the answer waits for its end."""
        if self._deadline is None:
            return super().finish(*arguments, **options)
        if not self._headers_written:
            self._answer_early(*arguments, **options)
        return None

    def on_connection_close(self) -> None:
        """Wait for nothing any more."""
        super().on_connection_close()
        self._stop_waiting()

    def hang_up(self) -> None:
        """Break the connection off."""
        self._stop_waiting()
        self._finished = True
        connection: Any = self.request.connection
        connection.close()
        self.on_finish()

    def _is_too_much(self, count: int) -> bool:
        return self.body_max is not None and count > self.body_max

    def _is_open(self) -> bool:
        """Say whether anybody may ask this."""
        verb = getattr(self, str(self.request.method).lower())
        return getattr(verb, "__allow_unauthenticated", False)

    def _may_linger(self) -> bool:
        """Say whether what comes may be waited for: if it is not too much, and comes unasked."""
        return (self.content_length or 0) <= LINGER_MAX and "Expect" not in self.request.headers

    def _refuse(self, error: Exception) -> None:
        self.is_refused = True
        self._deadline = asyncio.get_running_loop().call_later(LINGER_S, self.hang_up)
        setattr(self, str(self.request.method).lower(), self._end_refusal)
        status = error.status_code if isinstance(error, web.HTTPError) else 500
        self.log_exception(*sys.exc_info())
        self.send_error(status, exc_info=sys.exc_info())

    def _end_refusal(self, *_: str, **__: str) -> None:
        """Do this in the place of what was asked for: the body has come."""
        self._stop_waiting()
        super().finish()

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _answer_early(self, text: str = "", *, set_content_type: str = "application/json") -> None:
        data = text.encode()
        self.set_header("Content-Type", set_content_type)
        self.set_header("Content-Length", str(len(data)))
        self.write(data)
        self.flush()
