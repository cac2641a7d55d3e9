"""How a command is wrapped for the shell, and how its output is told from its end. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

INTRODUCER = b"\x1b]7717;"
TERMINATOR = b"\x07"
MAX_MARK = 16 << 20
"""No mark is longer. Without a bound, one that never ends could eat the memory."""

_SPECIAL = re.compile(rb"[\x00-\x1f\x7f'\\]")


@dataclass(frozen=True, slots=True)
class Mark:
    """What the shell side says in band: `kind` D for done, X for a shell that ended."""

    kind: str
    fields: tuple[bytes, ...]


def quote(text: bytes) -> bytes:
    """Write bytes as one bash word on one line, in ANSI-C quotes."""
    return b"$'" + _SPECIAL.sub(lambda match: b"\\%03o" % match[0][0], text) + b"'"


def wrap(command: str, number: int, status: int = 0, flags: str = "") -> bytes:
    """Make the control lines that run one command at top level and then report its end.

    The first line reports as soon as the command is done. The last one is the safety net: bash
    reads it whenever it is back at top level, also after an error that threw the first line away.

    Args:
        number: Comes back in the mark, so that a late report cannot end a later command.
        status: The exit status of the command before, which `$?` must still show.
        flags: `$-` as the last mark told it; tracing goes on only inside the command.
    """
    tracing = "".join(f"set -{flag}; " for flag in "vx" if flag in flags)
    run = b"\\builtin eval " + quote((tracing + command).encode()) + b" </dev/tty"
    if status:
        run = b"if __sandbook_status %d; then :; else %s; fi" % (status, run)
    report = report_end(number)
    return b" " + run + b"; " + report + b"\n" + report


def report_end(number: int) -> bytes:
    """Make the control line that reports the end of a command."""
    return b'{ __sandbook_done %d "$?"; } 2>/dev/null\n' % number


class MarkScanner:
    """Splits what a terminal says into plain output and the marks that carry our nonce."""

    def __init__(self, nonce: str) -> None:
        self._start = INTRODUCER + nonce.encode() + b";"
        self._held = b""

    def feed(self, data: bytes) -> Iterator[bytes | Mark]:
        """Take the next bytes, cut anywhere; give back output and marks in their order."""
        rest = self._held + data
        self._held = b""
        while rest:
            begin = rest.find(self._start)
            if begin < 0:
                keep = _length_of_beginning(rest, self._start)
                self._held = rest[len(rest) - keep :]
                rest = rest[: len(rest) - keep]
                if rest:
                    yield rest
                return
            if begin:
                yield rest[:begin]
            end = rest.find(TERMINATOR, begin)
            if end < 0:
                self._held = rest[begin:]
                if len(self._held) > MAX_MARK:
                    yield self._held
                    self._held = b""
                return
            kind, *fields = rest[begin + len(self._start) : end].split(b";")
            yield Mark(kind.decode("ascii", "replace"), tuple(fields))
            rest = rest[end + 1 :]


def _length_of_beginning(data: bytes, start: bytes) -> int:
    """Say how many bytes at the end of `data` could be the beginning of `start`."""
    for length in range(min(len(start) - 1, len(data)), 0, -1):
        if data.endswith(start[:length]):
            return length
    return 0
