"""What goes out on iopub for one request, and how often. The only sender."""

import asyncio
import codecs
import uuid
from collections.abc import Callable
from typing import Any

from sandbook_kernel.display import Display

INTERVAL_S = 0.03
CHUNK_BYTES = 1 << 16

Send = Callable[[str, dict[str, Any]], None]


class Publisher:
    """Sends output at once, and then at most every 30 ms or 64 KiB.

    A message per read would drown the clients: beyond a thousand waiting ones, zmq throws some
    away, even the one that says that the kernel is idle.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = bytearray()
        self._last_sent = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._progress_id = ""

    def output(self, data: bytes) -> None:
        """Take a piece of output, cut anywhere."""
        self._waiting += data
        loop = asyncio.get_running_loop()
        if len(self._waiting) >= CHUNK_BYTES or loop.time() - self._last_sent >= INTERVAL_S:
            self._send_waiting()
        elif self._timer is None:
            self._timer = loop.call_later(INTERVAL_S, self._send_waiting)

    def flush(self) -> None:
        """Send what is left: nothing more comes."""
        self._send_waiting(final=True)

    def display(self, shown: Display) -> None:
        """Show something rich below the cell."""
        self._send_waiting()
        self._send("display_data", {"data": shown.data, "metadata": shown.metadata})

    def notice(self, line: str) -> None:
        """Say something of our own, apart from what the cell says."""
        self._send("stream", {"name": "stderr", "text": line})

    def progress(self, shown: Display) -> None:
        """Show how far something is, in place of what was shown before."""
        kind = "update_display_data" if self._progress_id else "display_data"
        self._progress_id = self._progress_id or str(uuid.uuid4())
        transient = {"display_id": self._progress_id}
        content = {"data": shown.data, "metadata": shown.metadata, "transient": transient}
        self._send(kind, content)

    def error(self, name: str, message: str) -> dict[str, Any]:
        """Show that the cell failed, in words for a person; give back the same for the reply."""
        self.flush()
        content = {
            "ename": name,
            "evalue": message,
            "traceback": [f"\x1b[31m{name}\x1b[0m: {message}"],
        }
        self._send("error", content)
        return content

    def _send_waiting(self, *, final: bool = False) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text = self._decoder.decode(bytes(self._waiting), final)
        self._waiting.clear()
        if text:
            self._last_sent = asyncio.get_running_loop().time()
            self._send("stream", {"name": "stdout", "text": text})
