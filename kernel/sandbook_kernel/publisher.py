"""What goes out on iopub for one request. The only sender, so nothing gets around its wall."""

import uuid
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from sandbook.output import OutputPolicy
from sandbook.output_logs import LOGS
from sandbook_kernel.display import Display, amount, own
from sandbook_kernel.spool import Spool
from sandbook_kernel.stream import TAIL_BYTES, Stream

NAME_MAX, MESSAGE_MAX, TRACEBACK_MAX = 200, 4_000, 40_000
"""An error is a message of its own, which front ends show whole: a large one stops the page."""
Send = Callable[[str, dict[str, Any]], None]
ShownIds = MutableMapping[str, str]
"""Display ids, and the cell that each was shown in last. Lives as long as the kernel."""


def send_nothing(kind: str, content: dict[str, Any]) -> None:
    """Stand in where nobody wants to see anything."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be known of the request that is answered."""

    name: str = "output"
    """The log's name, should there be one."""
    folder: Path = Path(LOGS)
    """Where the logs lie."""
    link: str = ""
    """Where a server gives the log; empty where there is none."""
    execution_count: int = 0
    cell_id: str = ""
    """Which cell it is, if the front end tells."""


class Publisher:
    """Sends what a request says: text as OutputPolicy has it, all else at once and in its place."""

    def __init__(
        self,
        send: Send,
        policy: OutputPolicy | None = None,
        request: Request | None = None,
        shown_ids: ShownIds | None = None,
    ) -> None:
        policy = policy or OutputPolicy()
        self._request = request or Request()
        self._send = send
        self._shown_ids: ShownIds = {} if shown_ids is None else shown_ids
        self._shown_here: set[str] = set()
        self._progress_id = ""
        self._link_id = ""
        self._failure = ""
        self._refused: set[str] = set()
        place = self._request.folder / self._request.name
        self._spool = Spool(place, policy, policy.live_bytes + TAIL_BYTES)
        self._stream = Stream(self._say, self._link, self._spool, policy.live_bytes)

    def output(self, data: bytes) -> None:
        """Take a piece of output, cut anywhere."""
        self._stream.take(data)

    def flush(self) -> None:
        """Send what is left of a command's output: it has ended."""
        left_out = self._stream.flush()
        if self._link_id:
            self._link()
        if left_out:
            told = f"{amount(left_out)} of the output above are left out. "
            self.display(_link_to(self._spool, self._request.link, told))

    @property
    def last_line(self) -> str:
        """Tell the line that has no end yet; where a program waits for input, it is the prompt."""
        return self._stream.last_line

    def take_back(self, text: str) -> None:
        """Wipe a prompt off the screen that was shown as output: it goes into an input box."""
        self._stream.take_back(text)

    def display(self, shown: Display, display_id: str = "") -> None:
        """Show something rich below the cell, or in place of what has the same id."""
        self._stream.send_waiting()
        content = self._passed(shown)
        if not display_id:
            self._send("display_data", content)
            return
        content["transient"] = {"display_id": display_id}
        self._send(
            "update_display_data" if self._is_on_screen(display_id) else "display_data", content
        )
        self._shown_here.add(display_id)
        self._shown_ids[display_id] = self._request.cell_id

    def _passed(self, shown: Display) -> dict[str, Any]:
        """Keep what may be shown; say once what may not, and what to do instead."""
        from sandbook.rendering.wall import passed  # noqa: PLC0415 -- not at the start

        found = passed(shown.data, shown.metadata)
        for sentence in found.refused:
            if sentence not in self._refused:
                self._refused.add(sentence)
                self.notice(f"Sandbook: {sentence}\n")
        return {"data": found.data, "metadata": found.metadata}

    def _is_on_screen(self, display_id: str) -> bool:
        """Tell whether there is something to update: a cell that runs anew has lost its own."""
        if display_id in self._shown_here:
            return True
        cell = self._shown_ids.get(display_id)
        return cell is not None and not (cell and cell == self._request.cell_id)

    def execute_result(self, shown: Display) -> None:
        """Show the result of the cell."""
        self._stream.send_waiting()
        content = self._passed(shown)
        count = self._request.execution_count
        self._send("execute_result", {"execution_count": count, **content})

    def clear_output(self, *, wait: bool = False) -> None:
        """Remove what the cell has shown, at once or when the next thing comes."""
        self._stream.send_waiting()
        self._send("clear_output", {"wait": wait})
        for display_id in self._shown_here:
            self._shown_ids.pop(display_id, None)
        self._shown_here.clear()

    def notice(self, line: str) -> None:
        """Say something of our own, apart from what the cell says."""
        self._stream.send_waiting()
        self._send("stream", {"name": "stderr", "text": line})

    def progress(self, shown: Display) -> None:
        """Show how far something is, in place of what was shown before."""
        self._progress_id = self._progress_id or str(uuid.uuid4())
        self.display(shown, self._progress_id)

    def error(self, name: str, message: str, traceback: str = "") -> dict[str, Any]:
        """Show that the cell failed, in words for a person; give back the same for the reply."""
        self.flush()
        name, message = _within(name, NAME_MAX), _within(message, MESSAGE_MAX)
        told = _within(traceback, TRACEBACK_MAX) or f"\x1b[31m{name}\x1b[0m: {message}"
        content = {"ename": name, "evalue": message, "traceback": [told]}
        self._send("error", content)
        return content

    def _say(self, text: str) -> None:
        self._send("stream", {"name": "stdout", "text": text})

    def _link(self) -> None:
        """Tell where all output is, or why it is not; called when some is left out, and after."""
        if self._spool.failure and not self._failure:
            self._failure = self._spool.failure
            self.notice(
                f"Sandbook: {self._spool.path} does not hold all output: {self._failure}.\n"
            )
        if self._spool.written:
            self._link_id = self._link_id or str(uuid.uuid4())
            self.display(_link_to(self._spool, self._request.link), self._link_id)

    @property
    def bytes(self) -> int:
        """Tell how many bytes of output there were so far."""
        return self._stream.taken


def _within(text: str, most: int) -> str:
    """Keep the beginning and the end of a text that is too long."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} … {len(text) - 2 * half:,} characters … {text[-half:]}"


def _link_to(log: Spool, link: str, told: str = "") -> Display:
    if not log.written:
        return own(escape(told.rstrip()), told.rstrip())
    what = "All output" if log.complete else "Much of the output"
    size, shown = amount(log.written), escape(log.path)
    anchor = f'<a href="{escape(link)}" target="_blank">{shown}</a>' if link else shown
    return own(f"{told}{what}: {anchor} ({size})", f"{told}{what}: {log.path} ({size})")
