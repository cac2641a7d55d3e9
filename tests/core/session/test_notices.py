"""What bash tells of jobs, however it is cut, and what only looks like it."""

import pytest

from sandbook.session.notices import LONGEST, Notices

DONE = b"[1]+  Done                    sleep 1\n"
LOOP = b"[2]-  Exit 3                  for i in 1;\ndo\n    sleep 1;\ndone\n"
HERE = b"[1]   Terminated              { cat <<X\na\nX\n }\n"
STOPPED = b"[1]+  Stopped                 a\n"
OTHER = b"[2]+  Done                    b\n"
NONE = b"x" + DONE + b"[x]\n[\n(wd now: /)\n"


def heard(source, *pieces, size=1000):
    notices = Notices()
    said = b""
    for code in [source] if isinstance(source, bytes) else source:
        notices.begin(code)
        data = b"".join(pieces)
        cut = [notices.strip(data[at : at + size]) for at in range(0, len(data), size)]
        said = b"".join([*cut, notices.rest()])
    return said


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("code", "said", "left"),
    [
        (b"sleep 1 & sleep 2", b"a\n[1] 4711\nb\n" + DONE + b"c\n", b"a\nb\nc\n"),
        (b"a & b & c", b"[1] 10\n[2] 11\n" + LOOP + DONE + b"(wd now: /)\nx", b"x"),
        (b"for i in 1 2; do a & done", b"[1] 10\n[2] 12\n[3] 13\n", b""),
        (b"a & wait; Rscript x.R", b"[1] 4711\n[1] 31\n[1] 4711\n", b"[1] 31\n[1] 4711\n"),
        (b"a & wait; b", b"[1] 10\n" + DONE + b"[1] 20\n", b"[1] 20\n"),
        (b"a & jobs", b"[1] 10\n" + DONE, DONE),
        (b"a & b", b"[1] 10\n" + STOPPED, STOPPED),
        (b"a & b", b"[1] 10\n" + OTHER, OTHER),
        (b"a & b", b"[1] 10\n" + NONE, NONE),
        (b"a & read -p '[1] '", b"[1] 10\n[1] ", b"[1] "),
        (b"a & b", b"[1] 10\n" + HERE + b"x\n", b"x\n"),
        (b"Rscript -e 31 2>&1 && b", b"[1] 31\n" + DONE, b"[1] 31\n" + DONE),
        (b"curl 'a?b&c'; Rscript x.R", b"[1] 31\n", b"[1] 31\n"),
    ],
)
def test_only_what_bash_can_have_said_is_taken_out(code, said, left, size):
    assert heard(code, said, size=size) == left


def test_a_function_may_begin_jobs_later():
    notices = Notices()
    notices.begin(b"serve() { sleep 1 & }")
    notices.begin(b"if x; then serve 80; fi")

    assert notices.strip(b"[1] 10\nup\n") == b"up\n"
    notices.begin(b"echo")
    assert notices.strip(DONE + b"[1] 11\n") == b"[1] 11\n"


def test_all_are_shown_where_that_is_wished():
    notices = Notices()
    notices.begin(b"sleep 1 & x", shown=True)

    assert notices.strip(b"[1] 10\n" + DONE) == b"[1] 10\n" + DONE
    notices.begin(b"x")
    assert notices.strip(DONE) == b""


def test_a_function_may_ask_for_them():
    notices = Notices()
    notices.begin(b"show() { jobs; }; sleep 1 &")
    notices.strip(b"[1] 10\n")
    notices.begin(b"show")

    assert notices.strip(DONE) == DONE


def test_what_only_begins_like_a_notice_does_not_wait_for_ever():
    notices = Notices()
    notices.begin(b"a & b")
    notices.strip(b"[1] 10\n")

    assert len(notices.strip(b"[1]+  Done  for x;\n" + b"x\n" * LONGEST)) > LONGEST


def test_a_deep_command_is_read():
    notices = Notices()
    notices.begin(b"(" * 5000 + b"a &" + b")" * 5000)
