"""What of a command's output goes out as text, and when."""

import asyncio
import codecs
import re
from collections.abc import Callable

from sandbook.tail import Tail
from sandbook_kernel.carriage import Screen, collapse, columns, strip_escapes, units
from sandbook_kernel.display import amount
from sandbook_kernel.spool import Spool

INTERVAL_S = 0.03
CHUNK_BYTES = 1 << 16
TAIL_BYTES = 1 << 15
LINE_BYTES = 1 << 12
LINE_LENGTH = 500
STEADY_BYTES_PER_S = 1 << 18
"""So much may go on for ever, if it overwrites itself; the server drops from four times this on."""

_INSIDE_A_CHARACTER = re.compile(rb"\A[\x80-\xbf]{1,3}")
_CONTROLS = bytes(range(32))
_CONTROL_COST = 5
"""A control character is six letters in a message."""


class Stream:
    """Sends output at once, then at most every 30 ms or 64 KiB, and after the live limit no more.

    A message per read would drown the clients: beyond a thousand waiting ones, zmq throws some
    away, even the one that says that the kernel is idle.
    """

    def __init__(
        self, say: Callable[[str], None], on_left_out: Callable[[], None], spool: Spool, limit: int
    ) -> None:
        self.taken = 0
        """How many bytes there were so far."""
        self._say = say
        self._on_left_out = on_left_out
        self._spool = spool
        self._limit = limit
        self._tail = Tail(TAIL_BYTES)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = bytearray()
        self._screen = Screen()
        self._cost = 0
        self._began = 0.0
        self._last_sent = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._cut_at: int | None = None
        """From this byte on nothing was shown."""
        self._left_out = False
        self._line_at = 0
        """The last line does not reach back beyond this byte."""

    def take(self, data: bytes) -> None:
        """Take a piece of output, cut anywhere."""
        self._began = self._began or asyncio.get_running_loop().time()
        self._spool.add(data)
        self._tail.add(data)
        done = 0
        while done < len(data) and self._cut_at is None:
            room = self._room()
            if room <= 0:
                self._cut(self.taken + done)
                break
            piece = data[done : done + min(room, CHUNK_BYTES)]
            done += len(piece)
            self._waiting += piece
            self._send_or_wait()
        self.taken += len(data)
        self._tell_if_left_out()

    def flush(self) -> int:
        """Send what is left, or the end of it: nothing more comes. Tell how much is left out."""
        self.send_waiting(final=True)
        left_out = 0
        if self._cut_at is not None:
            left_out = self._show_tail(self.taken - self._cut_at)
            self._cut_at = self.taken
        if not self._left_out:
            self._spool.discard()
        return left_out

    def send_waiting(self, *, final: bool = False) -> None:
        """Send what has gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text = self._decoder.decode(bytes(self._waiting), final)
        self._waiting.clear()
        if text:
            self._publish(collapse(text))

    @property
    def last_line(self) -> str:
        """Tell the line that has no end yet, as a person reads it; a prompt, perhaps."""
        line = strip_escapes(self._raw_line()).rstrip("\r").rpartition("\r")[2]
        return "".join(filter(str.isprintable, line))[-LINE_LENGTH:]

    def take_back(self, text: str) -> None:
        """Wipe the end of the last line off the screen: it is shown elsewhere."""
        self.send_waiting()
        line, text = self.last_line.rstrip(), text.rstrip()
        if self._cut_at is None and text and line.endswith(text):
            blank = " " * max(units(self._raw_line()), columns(line))
            self._publish(f"\r{blank}\r{line.removesuffix(text)}")
        self._line_at = self.taken

    def _raw_line(self) -> str:
        data = self._tail.last(min(LINE_BYTES, self.taken - self._line_at))
        return _from_a_character_on(data).decode("utf-8", "replace").rpartition("\n")[2]

    def _room(self) -> int:
        """Tell how many bytes more may be shown."""
        if self._allowed() <= len(self._waiting):
            self.send_waiting()
        return self._allowed() - len(self._waiting)

    def _allowed(self) -> int:
        elapsed = asyncio.get_running_loop().time() - self._began
        steady = 2 * self._limit + int(STEADY_BYTES_PER_S * elapsed)
        return min(self._limit - self._screen.size, steady - self._cost)

    def _cut(self, at: int) -> None:
        """Show no more. A character that has begun is not shown, so it counts as left out."""
        self.send_waiting()
        begun, _ = self._decoder.getstate()
        self._decoder.reset()
        self._cut_at = at - len(begun)

    def _tell_if_left_out(self) -> None:
        if self._cut_at is None or self._left_out or self.taken - self._cut_at <= TAIL_BYTES:
            return
        self._left_out = True
        self._spool.begin()
        self._on_left_out()

    def _show_tail(self, count: int) -> int:
        data = self._tail.last(count)
        if count > len(data):
            data = _from_a_character_on(data)
            begin = "" if self._screen.at_begin_of_line else "\n"
            self._publish(f"{begin}… {self._what_is_left_out(count - len(data))} …\n")
        if data:
            self._publish(collapse(data.decode("utf-8", "replace")))
        return count - len(data)

    def _what_is_left_out(self, count: int) -> str:
        kept = ""
        if self._spool.complete:
            kept = f"; all of it is in {self._spool.path}"
        elif self._spool.written:
            kept = f"; the first {amount(self._spool.written)} of all are in {self._spool.path}"
        return f"{amount(count)} left out{kept}"

    def _send_or_wait(self) -> None:
        loop = asyncio.get_running_loop()
        if len(self._waiting) >= CHUNK_BYTES or loop.time() - self._last_sent >= INTERVAL_S:
            self.send_waiting()
        elif self._timer is None:
            self._timer = loop.call_later(INTERVAL_S, self.send_waiting)

    def _publish(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        self._cost += len(data)
        self._cost += _CONTROL_COST * (len(data) - len(data.translate(None, _CONTROLS)))
        self._screen.write(data)
        self._last_sent = asyncio.get_running_loop().time()
        self._say(text)


def _from_a_character_on(data: bytes) -> bytes:
    """Drop what is left of a character whose beginning is missing."""
    return _INSIDE_A_CHARACTER.sub(b"", data, count=1)
