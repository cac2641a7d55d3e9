"""What must survive when a new shell takes over, and what bash must not show of that."""

import re

from tests.core.session.harness import ANY, Cell

CLEAN = re.compile(r"(?!.*(?:sandbook|7717)).*", re.DOTALL)
NON_BLOCKING = (
    "command -v python3 >/dev/null || exit 0; python3 -c 'import os; os.set_blocking(1, 0)'"
)
NUMBERS = "".join(f"{number}\n" for number in range(1, 30_001))

CASES = {
    "the status under set -x": [
        Cell("set -x; (exit 5)", ANY, 5),
        Cell("echo $?", "+ echo 5\n5\n"),
    ],
    "the status under set -v": [
        Cell("set -v"),
        Cell("(exit 5)", ANY, 5),
        Cell("echo $?", "echo $?\n5\n"),
    ],
    "set -xv shows nothing of ours": [Cell("set -xv"), Cell("echo hi", CLEAN), Cell("true", CLEAN)],
    "set -v and an exit": [
        Cell("set -v; a=1"),
        Cell("exit 3", "exit 3\n", 3),
        Cell("echo $a", "echo $a\n1\n"),
    ],
    "set -ev and a failure": [
        Cell("a=1; set -ev\nfalse\necho no", CLEAN, 1),
        Cell("echo $a", CLEAN),
    ],
    "set -v and traps": [
        Cell("set -v\ntrap 'echo bye' EXIT\nexit 3", CLEAN, 3),
        Cell("trap 'echo d' DEBUG", CLEAN),
        Cell("echo hi", re.compile(r"(?!.*sandbook).*d\nhi\n", re.DOTALL)),
    ],
    "set -v and a program": [Cell("set -v\nprintf 'if { x'; sleep 0.1; echo", ANY)],
    "set -x and traps": [Cell("set -x; trap 'echo d' DEBUG", CLEAN), Cell("echo hi", CLEAN)],
    "set -x and exec": [Cell("set -x; exec echo hi", "+ exec echo hi\nhi\n")],
    "an EXIT trap with arguments": [
        Cell("set -- a b; trap 'echo $# $1' EXIT; exit 1", "2 a\n", 1),
        Cell("echo $# $2", "2 b\n"),
    ],
    "an EXIT trap that returns": [
        Cell("a=1; trap 'return 4' EXIT; exit 3", "", None),
        Cell("echo $a", "1\n"),
    ],
    "an EXIT trap that shifts": [
        Cell("a=1; trap 'shift; set -- z' EXIT; exit 3", ANY, 3),
        Cell("echo $a", "1\n"),
    ],
    "functions with extended patterns": [
        Cell("shopt -s extglob\nf() { case $1 in !(a)) :;; esac; }; g() { echo g; }"),
        Cell("shopt -u extglob"),
        Cell("set -u; exit 2", "", 2),
        Cell("declare -F f; g; shopt -q extglob || echo $-", re.compile("f\ng\n.*u.*\n")),
    ],
    "no function is left": [
        Cell("a=1; f() { :; }; unset -f $(declare -F | awk '{print $3}')", ANY, None),
        Cell("echo $a; exit 3", "1\n", 3),
        Cell("echo $a", "1\n"),
    ],
    "exec bash with a script": [
        Cell("a=1; exec bash <<<'echo from $BASHPID; exit 4'", re.compile(r"from \d+\n"), 4),
        Cell("echo $a", "1\n"),
    ],
    "exec with two dashes": [Cell("a=1; exec -- echo hi", "hi\n"), Cell("echo $a", "1\n")],
    "exec closes a coprocess": [
        Cell("coproc cat; exec {COPROC[1]}>&-; wait; echo $?", re.compile(r"(\[.*\n)*0\n"))
    ],
    "too large an environment": [
        Cell("a=1; export BIG=$(printf '%200000d' 1)"),
        Cell("exit 3", "", 3),
        Cell("echo $a ${#BIG}; unset BIG", "1 200000\n"),
    ],
    "no job control": [
        Cell("set +m; shopt -s lastpipe; exit 2", "", 2),
        Cell("echo a | read x; echo $x", "a\n"),
    ],
    "no process in the background": [Cell("exit 3", "", 3), Cell("echo [$!]", "[]\n")],
    "what is unset stays so": [
        Cell("unset IFS PS4; exit 2", "", 2),
        Cell("echo ${IFS+set} ${PS4+set}", "\n"),
    ],
    "a terminal that does not wait": [
        Cell(NON_BLOCKING),
        Cell("seq 30000", NUMBERS),
        Cell("seq 30000", NUMBERS),
    ],
    "a terminal that does not wait, and a file": [
        Cell(f"exec 9>&1 >out.txt; {NON_BLOCKING} >&9"),
        Cell("seq 30000; exec >&9 9>&-; cmp <(seq 30000) out.txt; rm out.txt"),
    ],
}
