"""How a command is wrapped for the shell, and how its output is told from its end. Pure."""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from sandbook.session.syntax import signed

OPENER = b"\x1b]"
MARK = b"\x1b]7717;"
IMAGE = b"\x1b]1337;File="
MAX_MARK = 16 << 20
"""No mark is longer. Without a bound, one that never ends could eat the memory."""

FORGET_TRAPS = b"".join(
    b" [[ -n ${__sandbook_trap_%s+x} ]] || \\builtin trap - %s\n" % (kind, kind)
    for kind in (b"DEBUG", b"ERR", b"RETURN")
)
# Assigned by a command of its own, `LINENO` would have its old value back at the end of that; a
# redirection of a group keeps it. `$?` stays, since the end may still have to be reported; as the
# first half of a list it sets off neither `set -e` nor traps.
_COUNT = (
    b' { __sandbook_status "$?" && ((1)); } 2>/dev/null 2>"/dev/null${-:${LINENO+LINENO=%d}:0}"\n'
)
COUNT = _COUNT % 0
"""Stands behind what the shell was told: bash counts the lines of the next command from one."""
COUNT_TRACED = _COUNT % -1
_SPECIAL = re.compile(rb"[\x00-\x1f\x7f'\\!]")
MAY_TRACE = re.compile(rb"\bset\s+-|verbose|xtrace")
_LIMITS = re.compile(rb"ulimit|restricted|set\s+-\w*r")
_END = re.compile(rb"[\x07\x1b]")
_END_OF_OURS = re.compile(rb"[\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class Mark:
    """What comes in band beside the output.

    `kind` is B where a command begins, D where it is done, A when a new shell took over, M and R
    for something rich and for a result, C to clear the output, and I for a picture as terminals
    know them from iTerm2. A mark that Ctrl-C has cut off is of the kind `cut`.
    """

    kind: str
    fields: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Ticket:
    """What tells one run of a command from all others: a number, and a secret that ends it."""

    number: int
    secret: str


def random_number() -> str:
    """Make a number that nobody can guess. It has no letters: a terminal may change those."""
    return str(secrets.randbits(62)).zfill(19)


def quote(text: bytes) -> bytes:
    """Write bytes as one bash word on one line, in ANSI-C quotes."""
    return b"$'" + _SPECIAL.sub(lambda match: b"\\%03o" % match[0][0], text) + b"'"


def source_of(command: str, flags: str = "", status: int = 0) -> bytes:
    """Make what bash evaluates of a command.

    Tracing goes on where the last command had left it (`flags` is its `$-`), or may begin here.
    """
    source = command.encode("utf-8", "surrogateescape")
    traced = "".join(flag for flag in "vx" if flag in flags)
    if traced or MAY_TRACE.search(source):
        last = f"{status} && ((1))" if status else "0"  # in a list, no failure is heard
        line = f"{{ __sandbook_trace '{traced}' {last}; }} 2>/dev/null\n"
        return line.encode() + signed(source)
    return source


@dataclass(frozen=True, slots=True)
class Hints:
    """What a command may do. Bash reads byte by byte: what most do not need would cost all time."""

    traps: bool = False
    """It may remove traps; afterwards, what bash still has of them is taken back."""
    limits: bool = False
    """It may leave bash unable to report."""
    unsets: bool = False
    """It may take away functions, and ours among them."""
    traced: bool = False
    """It has one more line at its top, which lets tracing go on."""
    ours: bool = False
    """It is not the user's, so it sets off none of the user's traps."""


NO_HINTS = Hints()


def hints_from(source: bytes) -> Hints:
    """Say what the code of a user may do."""
    return Hints(
        traps=b"trap" in source,
        limits=_LIMITS.search(source) is not None,
        unsets=b"unset" in source,
        traced=source.startswith(b"{ __sandbook_trace "),
    )


def aside(command: str) -> bytes:
    """Make what bash evaluates of a command of ours, in a copy of the shell.

    What the user has done to outputs and traps does not concern it.
    """
    first = "builtin trap - DEBUG ERR RETURN; builtin set +euxv"
    code = f"( {first}; {{ {command}\n}} </dev/null >/dev/tty ) 2>/dev/null || builtin :"
    return code.encode("utf-8", "replace")


def wrap(
    word: bytes, ticket: Ticket, status: int = 0, hints: Hints = NO_HINTS, script: str = ""
) -> bytes:
    """Make the control lines that run one command at top level and then report its end.

    The first line reports as soon as the command is done. The last one is the safety net: bash
    reads it whenever it is back at top level, also after an error that threw the first line away.

    Args:
        word: The command as one bash word.
        status: The exit status of the command before, which `$?` must still show.
        script: Where the shell finds its side of the session.
    """
    run = b"\\builtin eval -- " + word + (b"" if hints.ours else b" </dev/tty")
    begin = b'__sandbook_begin %d %d "$@"' % (ticket.number, status)
    # Only in a condition may the old status come back without setting off `set -e` and traps.
    run = b"if %s; then :; else %s; fi" % (begin, run) if status else b"%s; %s" % (begin, run)
    report = _done(ticket) + b"\n"
    lines = b" " + run + b"; " + report + (report_end(ticket) if hints.limits else report)
    lines = lines + (FORGET_TRAPS if hints.traps else b"") + COUNT
    lines = lines + (_renew(script, ticket) if hints.unsets else b"")
    return COUNT_TRACED + lines if hints.traced else lines


def report_end(ticket: Ticket) -> bytes:
    """Make the control line that reports the end of a command, or ends a shell that cannot."""
    return _done(ticket) + b" || __sandbook_give_up\n" + COUNT


def _renew(script: str, ticket: Ticket) -> bytes:
    """Make the control line that reads the shell side again where it is gone, and then reports."""
    again = b"{ \\builtin . %b; __sandbook_done %d %b 0; } >/dev/null 2>&1"
    again %= script.encode(), ticket.number, ticket.secret.encode()
    return b"\\builtin declare -F __sandbook_report >/dev/null || %b\n%b" % (again, COUNT)


def _done(ticket: Ticket) -> bytes:
    return b'{ __sandbook_done %d %s "$?"; } 2>/dev/null' % (ticket.number, ticket.secret.encode())


class MarkScanner:
    """Splits what a terminal says into plain output and marks.

    Args:
        pictures: Take pictures for marks, too; else they stay plain output.
    """

    def __init__(self, nonce: str, *, pictures: bool = True) -> None:
        mark = MARK + nonce.encode() + b";"
        self._starts = (mark, IMAGE) if pictures else (mark,)
        self._held = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> Iterator[bytes | Mark]:
        """Take the next bytes, cut anywhere; give back output and marks in their order."""
        if not self._held and OPENER not in data and not data.endswith(b"\x1b"):
            yield data
            return
        self._held += data
        yield from self._parts()

    def _parts(self) -> Iterator[bytes | Mark]:
        held, plain, at = self._held, 0, 0
        while (at := held.find(b"\x1b", at)) >= 0:
            start = self._start_at(at)
            if start is None:
                self._searched = 0  # if this was kept to go on with, it is no mark after all
                at += 1
                continue
            mark, end = self._mark_at(at, start)
            if end is None:  # the rest has not come yet
                break
            if mark is not None:
                if at > plain:
                    yield bytes(held[plain:at])
                yield mark
                plain = end
            at = end
        keep = len(held) if at < 0 else at
        if keep > plain:
            yield bytes(held[plain:keep])
        del held[:keep]

    def _start_at(self, at: int) -> bytes | None:
        """Say which mark begins here, or could begin here when more comes."""
        for start in self._starts:
            if start.startswith(self._held[at : at + len(start)]):
                return start
        return None

    def _mark_at(self, at: int, start: bytes) -> tuple[Mark | None, int | None]:
        """Read a mark, and say where to go on; there is no picture if another escape breaks it."""
        body = at + len(start)
        searched = 0 if at else self._searched  # what was kept to go on with is at the front
        ending = _END if start == IMAGE else _END_OF_OURS
        found = ending.search(self._held, max(body, searched))
        self._searched = 0
        if found is None:
            if len(self._held) - at > MAX_MARK:
                return None, len(self._held)
            self._searched = len(self._held) - at
            return None, None
        end = found.start()
        closed = found[0] == b"\x07"
        if not closed and start == IMAGE:  # pictures may also end as older sequences do: ESC \
            if end + 1 == len(self._held):
                self._searched = end - at
                return None, None
            closed = self._held[end + 1] == ord("\\")
            end += closed
        if not closed:
            return (None if start == IMAGE else Mark("cut", (bytes(self._held[body:end]),))), end
        return _mark(start, bytes(self._held[body : found.start()])), end + 1


def _mark(start: bytes, body: bytes) -> Mark:
    if start == IMAGE:
        arguments, _, data = body.partition(b":")
        return Mark("I", (arguments, data))
    kind, *fields = body.split(b";")
    return Mark(kind.decode("latin-1"), tuple(fields))
