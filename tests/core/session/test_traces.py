"""What bash shows of our own lines, however it is cut."""

import pytest

from sandbook.session.syntax import SIGN
from sandbook.session.traces import LONGEST, Traces

EXIT = b'{ __sandbook_leaving=${x-$?} a\n  set +x; } 2>/dev/null; \\__sandbook_exit "$@"\n'
GUARD = b"if { __sandbook_before=$?; [[ x ]]; } 2>/dev/null; then :; fi\n"


def stripped(data, size, flags="v"):
    traces = Traces()
    traces.begin(b"echo", flags)
    pieces = [traces.strip(data[at : at + size]) for at in range(0, len(data), size)]
    return b"".join([*pieces, traces.rest()])


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (b"false\n" + EXIT + b"bye\n", b"false\nbye\n"),
        (b"a\n" + GUARD + GUARD + b"b\n", b"a\nb\n"),
        (b"++ __sandbook_exec echo hi\nhi\n", b"++ exec echo hi\nhi\n"),
        (b"if { no\n{ __s\n+ echo +\n++", b"if { no\n{ __s\n+ echo +\n++"),
        (b"++" + SIGN + b" a\na++++" + SIGN + b" b\n", b"+ a\na+++ b\n"),
        (b"++" + SIGN + b" __sandbook_exec a\n", b"+ exec a\n"),
        (b"[+" + SIGN + b" ] +++ b/file\n", b"[+ ] +++ b/file\n"),
        (b"mid { __sandbook_leaving=", b"mid { __sandbook_leaving="),
    ],
)
def test_only_our_lines_are_taken_out(said, shown, size):
    assert stripped(said, size) == shown


def test_nothing_is_touched_where_nothing_is_traced():
    assert stripped(GUARD, 5, flags="") == GUARD


def test_what_only_begins_like_ours_does_not_wait_for_ever():
    traces = Traces()
    traces.begin(b"set -v", "")

    said = traces.strip(b"{ __sandbook_leaving=" + b"x" * LONGEST)

    assert len(said) > LONGEST
