"""What bash shows of our own lines, where it shows the lines it reads or runs. Pure."""

import re

from sandbook.session.framing import MAY_TRACE
from sandbook.session.syntax import SIGN

DEEPEST = 100
"""Bash repeats no character more often."""
_REPEATED = re.compile(rb"([\x00-\x7f])(\1{1,%d})%b" % (DEEPEST, SIGN))
_BEGUN = b"|".join(SIGN[:end] for end in range(len(SIGN), 0, -1))
_OURS = re.compile(
    rb"^(?:\{ __sandbook_leaving=[^\n]*\n[^\n]*__sandbook_exit [^\n]*\n"  # the trap for EXIT
    rb"|if \{ __sandbook_before=[^\n]*\n)",  # the guard of other traps
    re.MULTILINE,
)
_EXEC = re.compile(rb"^(\++ )__sandbook_exec(?= )", re.MULTILINE)
_STARTS = (b"{ __sandbook_leaving=", b"if { __sandbook_before=")
_TRACED = re.compile(rb"\++(?:%b)?(?: [_a-z]*)?$" % _BEGUN)
_CUT = re.compile(rb"(?:\++|([\x00-\x7f])\1*(?:%b))$" % _BEGUN)
"""May be the beginning of a traced line anywhere in a line."""
LONGEST = 1 << 12
"""No line of ours is longer; one that only begins like it must not wait for ever."""


def unsigned(data: bytes) -> bytes:
    """Have traced lines begin as they do on a terminal, where no `eval` is around them."""
    return _REPEATED.sub(rb"\2", data).replace(SIGN, b"") if SIGN in data else data


class Traces:
    """Takes our lines out of what bash shows while `set -v` or `set -x` may be on."""

    def __init__(self) -> None:
        self._is_on = False
        self._held = b""

    def begin(self, source: bytes, flags: str) -> None:
        """Begin with a command; `flags` are what `$-` was before."""
        self._held = b""
        self._is_on = "v" in flags or "x" in flags or MAY_TRACE.search(source) is not None

    def strip(self, data: bytes) -> bytes:
        """Give back what is not ours; the beginning of a line may have to wait for its end."""
        if not self._is_on:
            return data
        data = self._held + data
        cut = self._beginning_of_ours(data)
        if len(data) - cut > LONGEST:
            cut = len(data)
        self._held, data = data[cut:], data[:cut]
        return self._without_ours(data)

    def rest(self) -> bytes:
        """Give back what waited, now that the command has ended."""
        held, self._held = self._held, b""
        return self._without_ours(held)

    def _without_ours(self, data: bytes) -> bytes:
        return _EXEC.sub(rb"\1exec", _OURS.sub(b"", unsigned(data)))

    def _beginning_of_ours(self, data: bytes) -> int:
        """Find where a line of ours begins that may go on; the end if none does."""
        for start in _STARTS:  # the first of them has two lines
            at = data.rfind(start)
            if at >= 0 and (at == 0 or data[at - 1 : at] == b"\n") and not _OURS.match(data, at):
                return at
        at = data.rfind(b"\n") + 1
        last = data[at:]
        may_be = any(start.startswith(last) for start in _STARTS) or _TRACED.fullmatch(last)
        if last and may_be:
            return at
        cut = _CUT.search(data, max(0, len(data) - DEEPEST))
        return cut.start() if cut else len(data)
