"""Traps of all kinds: set, shown, reset, inherited; and never set off by the session itself."""

import re

from tests.core.session.harness import ANY, Cell

CASES = {
    "DEBUG": [
        Cell("trap 'echo dbg' DEBUG"),
        Cell("echo hi", "dbg\nhi\n"),
        Cell("trap - DEBUG", "dbg\n"),
        Cell("echo hi", "hi\n"),
    ],
    "DEBUG knows the command": [
        Cell("trap 'echo \"> $BASH_COMMAND\"' DEBUG"),
        Cell("echo a; echo b", "> echo a\na\n> echo b\nb\n"),
        Cell("exit 3", re.compile(r"> exit 3\n"), 3),
        Cell("echo a", "> echo a\na\n"),
    ],
    "DEBUG in functions": [
        Cell("f() { :; echo in; }; trap 'echo dbg' DEBUG; f", re.compile("dbg\n(dbg\n)?in\n")),
        Cell("trap - DEBUG; set -T; trap 'echo dbg' DEBUG", ANY),
        Cell("f", "dbg\ndbg\ndbg\ndbg\nin\n"),
        Cell("set +T; trap - DEBUG", ANY),
        Cell("f", "in\n"),
    ],
    "DEBUG with extdebug": [
        Cell(
            "shopt -s extdebug; trap '[[ $BASH_COMMAND != \"echo no\" ]]' DEBUG; echo a; echo no; echo b",  # noqa: E501 -- one line of bash
            "a\nb\n",
        ),
        Cell("trap - DEBUG; shopt -u extdebug", ANY),
        Cell("echo hi", "hi\n"),
    ],
    "ERR": [
        Cell("trap 'echo err' ERR"),
        Cell("echo hi", "hi\n"),
        Cell("false", "err\n", 1),
        Cell("(exit 3)", "err\n", 3),
        Cell("false || true; if false; then :; fi", ""),
        Cell("echo $?", "0\n"),
        Cell("trap - ERR"),
        Cell("false", "", 1),
    ],
    "ERR knows the status": [
        Cell("trap 'echo \"err $?\"' ERR"),
        Cell("(exit 7); echo on", "err 7\non\n"),
        Cell("f() { return 4; }; f", "err 4\n", 4),
    ],
    "ERR and set -e": [
        Cell("trap 'echo err' ERR; set -e"),
        Cell("false; echo no", "err\n", 1, exited=True),
        Cell("echo hi", "hi\n"),
        Cell("false", "err\n", 1),
    ],
    "ERR in functions": [
        Cell("f() { false; echo in; }; trap 'echo err' ERR; f", "in\n"),
        Cell("set -E; f", "err\nin\n"),
        Cell("(false)", "err\nerr\n", 1),
        Cell("set +E; (false)", "err\n", 1),
    ],
    "RETURN": [
        Cell("f() { echo in; }; trap 'echo ret' RETURN; f", "in\n"),
        Cell("set -T; f", "in\nret\n"),
        Cell("echo 'echo file' >r.sh; . ./r.sh; rm r.sh", "file\nret\n"),
        Cell("set +T; trap - RETURN; f", "in\n"),
    ],
    "EXIT": [
        Cell("trap 'echo bye' EXIT"),
        Cell("echo hi", "hi\n"),
        Cell("trap", "trap -- 'echo bye' EXIT\n"),
        Cell("exit 3", "bye\n", 3),
        Cell("echo hi", "hi\n"),
        Cell("exit 4", "", 4),
    ],
    "EXIT in one cell": [
        Cell("trap 'echo \"bye $? $x\"' EXIT; x=5; exit 3", "bye 3 5\n", 3),
        Cell("echo $x", "5\n"),
        Cell("trap 'echo bye' 0; set -e; false", "bye\n", 1),
    ],
    "EXIT that exits": [
        Cell("trap 'echo bye; exit 9' EXIT; exit 3", "bye\n", 9),
        Cell("echo $?", "9\n"),
    ],
    "EXIT that fails": [
        Cell("trap 'false; no-such-program; echo ${z:?z}' EXIT; exit 3", ANY, None),
        Cell("echo hi", "hi\n"),
    ],
    "EXIT in subshells": [
        Cell("(trap 'echo sub' EXIT; echo in)", "in\nsub\n"),
        Cell("bash -c 'trap \"echo b\" EXIT; exit 3'", "b\n", 3),
        Cell("x=$(trap 'echo s' EXIT; exit 4); echo $? $x", "4 s\n"),
    ],
    "EXIT taken back": [
        Cell("trap 'echo bye' EXIT; trap - EXIT"),
        Cell("exit 3", "", 3),
        Cell("trap 'echo bye' EXIT; trap '' EXIT"),
        Cell("exit 3", "", 3),
        Cell("echo hi", "hi\n"),
    ],
    "EXIT set by a function": [
        Cell("cleanup() { echo clean; }; setup() { trap cleanup EXIT; }; setup"),
        Cell("exit 3", "clean\n", 3),
    ],
    "signals": [
        Cell("trap 'echo usr' USR1; kill -USR1 $$", "usr\n"),
        Cell("kill -USR1 $$; echo on", "usr\non\n"),
        Cell("trap -p USR1", "trap -- 'echo usr' SIGUSR1\n"),
        Cell("trap - USR1; trap"),
        Cell("trap '' USR1; kill -USR1 $$; trap", "trap -- '' SIGUSR1\n"),
        Cell("trap 'echo t' TERM; kill -TERM $$", "t\n"),
        Cell("trap 'echo h' HUP; kill -HUP $$", "h\n"),
    ],
    "signals by number, several at once": [
        Cell(
            "trap 'echo s' 10 SIGUSR2 term; trap",
            "trap -- 'echo s' SIGUSR1\ntrap -- 'echo s' SIGUSR2\ntrap -- 'echo s' SIGTERM\n",
        ),
        Cell("trap 10 12 15; trap"),
        Cell("trap 'x' NOSUCH", re.compile(".*invalid signal.*\n"), 1),
        Cell("trap -l | head -1", re.compile(r".*SIGHUP.*\n")),
    ],
    "signals that are none": [
        Cell("trap x", "trap: usage: trap [-lp] [[arg] signal_spec ...]\n", 2),
        Cell("trap ''", re.compile("trap: usage: .*\n"), 2),
        Cell("trap -z", re.compile("bash: trap: -z: invalid option\ntrap: usage: .*\n"), 2),
        Cell("trap 'echo i' INT; trap INT; trap 'echo e' EXIT; trap EXIT; trap"),
    ],
    "traps with quotes": [
        Cell(
            "trap 'echo \"it'\\''s\"' USR1; trap -p USR1", "trap -- 'echo \"it'\\''s\"' SIGUSR1\n"
        ),
        Cell("kill -USR1 $$", "it's\n"),
        Cell('eval "$(trap -p)"; kill -USR1 $$', "it's\n"),
    ],
    "traps shown and set again": [
        Cell(
            "trap 'echo e' ERR; trap 'echo d' DEBUG; s=$(trap -p ERR DEBUG); trap - ERR DEBUG; echo \"$s\"",  # noqa: E501 -- one line of bash
            ANY,
        ),
        Cell('eval "$s"', ANY),
        Cell("false", re.compile("(d\n)+e\n"), 1),
    ],
    "INT by itself": [Cell("trap 'echo int' INT; kill -INT $$; echo on", "int\non\n")],
    "INT to the shell": [
        Cell("x=5"),
        Cell("kill -INT $$; echo no", ANY, 130),
        Cell("echo $x $?", "5 130\n"),
    ],
    "CHLD": [
        Cell("trap 'echo chld' CHLD; sleep 0.01; :", re.compile("(chld\n)+")),
        Cell("trap - CHLD"),
        Cell("echo hi", "hi\n"),
    ],
    "all of them": [
        Cell("for s in DEBUG ERR RETURN EXIT; do trap ': user' $s; done", ANY),
        Cell("false", "", 1),
        Cell("f() { return 3; }; f", "", 3),
        Cell("echo hi", "hi\n"),
        Cell("exit 4", "", 4),
        Cell("echo hi", "hi\n"),
    ],
    "traps that print the shell's own state": [
        Cell("trap 'echo \"$- $?\" >&2; set -x' ERR; false", ANY, 1),
        Cell("set +x; trap - ERR", ANY),
        Cell("echo hi", "hi\n"),
    ],
}
