"""What programs may do to the terminal."""

import re

from tests.core.session.harness import ANY, Cell

PYTHON_RAW = "command -v python3 >/dev/null || exit 0; python3 -c 'import tty; tty.setraw(0)'"

CASES = {
    "it is one": [Cell("[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size", "40 120\n")],
    "a good TERM": [Cell("echo $TERM; tput cols", re.compile(r"xterm-256color\n\d+\n"))],
    "stty sane": [Cell("stty sane"), Cell("echo hi; printf 'a\\r\\nb\\n'", "hi\na\r\nb\n")],
    "stty raw": [Cell("stty raw"), Cell("echo hi", "hi\n")],
    "stty raw in the same cell": [Cell("stty raw; echo a; echo b", "a\nb\n")],
    "stty -echo": [Cell("stty -echo"), Cell("stty -a | grep -c -- ' echo '", "1\n")],
    "stty -isig and friends": [
        Cell("stty -isig -icanon min 1 olcuc 2>/dev/null; true"),
        Cell("stty -a | grep -c -- -isig; echo hi", "0\nhi\n"),
    ],
    "stty by another name": [
        Cell("s=st; ${s}ty raw -echo"),
        Cell("printf 's''tty raw' >/tmp/t.sh; bash /tmp/t.sh"),
        Cell("echo hi", "hi\n"),
    ],
    "stty cols": [Cell("stty cols 80 rows 24"), Cell("stty size", "24 80\n")],
    "reset": [Cell("reset", ANY), Cell("echo hi", "hi\n")],
    "tput": [
        Cell("tput clear; tput bold; tput sgr0", ANY),
        Cell("tput smcup; tput rmcup", ANY),
        Cell("echo hi", "hi\n"),
    ],
    "a program that leaves it raw": [
        Cell(PYTHON_RAW),
        Cell("stty -a | grep -c -- -isig; echo hi", "0\nhi\n"),
    ],
    "stopped output": [
        Cell("stty tostop; (echo bg) & wait; stty -tostop", ANY, None),
        Cell("echo hi", ANY),
    ],
    "a window title and a bell": [Cell("printf '\\a\\033]2;x\\033\\\\'", "\a\x1b]2;x\x1b\\")],
    "/dev/tty": [Cell("echo direct >/dev/tty; tty >/dev/null && echo yes", "direct\nyes\n")],
    "tabs are not touched": [
        Cell("stty tab3; printf 'a\\tb\\n'", ANY),
        Cell("printf 'a\\tb\\n'", "a\tb\n"),
    ],
}
