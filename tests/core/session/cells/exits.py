"""The many ways to end a shell, and what is still there afterwards."""

import re

from tests.core.session.harness import ANY, Cell


def leaves(code: str, status: int, output="") -> list[Cell]:
    """A cell that ends the shell; the state is there for the next one, and so is the status."""
    return [
        Cell("x=5; cd /usr; arr=(1 '2 3'); f() { echo \"f $1\"; }; set -- p 'q r'"),
        Cell(code, output, status, exited=True),
        Cell('echo $? $x $PWD "${arr[1]}" "$2"; f y', f"{status} 5 /usr 2 3 q r\nf y\n"),
    ]


CASES = {
    "exit": leaves("exit", 0),
    "exit 3": leaves("exit 3", 3),
    "exit after a failure": leaves("false; exit", 1),
    "exit with odd numbers": [
        *leaves("exit 256", 0),
        *leaves("exit -1", 255),
        *leaves("exit 08", 8),
        *leaves("exit -- 4", 4),
    ],
    "exit with something else": [
        *leaves("exit abc", 2, "bash: exit: abc: numeric argument required\n"),
        Cell("exit 1 2; echo on", "bash: exit: too many arguments\non\n"),
    ],
    "exit in the middle": leaves("echo a; exit 4; echo no", 4, "a\n"),
    "exit on a later line": leaves("echo a\nexit 4\necho no", 4, "a\n"),
    "exit in a function": leaves("g() { local x=9; exit 5; }; g; echo no", 5),
    "exit in a loop": leaves("for i in 1 2 3; do echo $i; [ $i = 2 ] && exit 6; done", 6, "1\n2\n"),
    "exit in a condition": leaves("if exit 7; then echo no; fi; echo no", 7),
    "exit in a list": leaves("true && exit 8 || echo no", 8),
    "exit negated": leaves("! exit 9; echo no", 9),
    "exit in a group": leaves("{ echo a; exit 3; } >&2; echo no", 3, "a\n"),
    "exit in eval": leaves("eval 'eval \"exit 3\"'; echo no", 3),
    "exit in a file": leaves("echo 'exit 11' >/tmp/leave.sh; . /tmp/leave.sh; echo no", 11),
    "exit in case and while": leaves("while :; do case a in a) exit 3 ;; esac; done; echo no", 3),
    "exit elsewhere": [
        Cell("(exit 3); echo $?", "3\n"),
        Cell("echo a | exit 4", "", 4),
        Cell("x=$(echo a; exit 5); echo $? $x", "5 a\n"),
        Cell("bash -c 'exit 6'", "", 6),
        Cell("(set -e; false; echo no)", "", 1),
        Cell("exit 3 & wait $!", "", 3),
    ],
    "exit many times": [
        Cell("n=0"),
        *[Cell("n=$((n+1)); exit $n", "", i) for i in range(1, 9)],
        Cell("echo $n", "8\n"),
    ],
    "exit past the function": [
        Cell("builtin exit 3", ANY, 3, exited=True),
        Cell("echo hi", "hi\n"),
        Cell("command exit 4", ANY, 4, exited=True),
        Cell("echo hi", "hi\n"),
    ],
    "logout": [Cell("logout", re.compile(".*not login shell.*\n"), 1)],
    "exit with jobs": [
        Cell("shopt -s checkjobs; sleep 60 & pid=$!"),
        Cell("exit 3", "", 3),
        Cell("kill $pid; echo hi", "hi\n"),
    ],
    "exit with a stopped job": [
        Cell("sleep 60 & pid=$!; kill -STOP $pid; sleep 0.1", ANY),
        Cell("exit 3", ANY, 3),
        Cell("kill -9 $pid 2>/dev/null; echo hi", "hi\n"),
    ],
    "set -e and a failure": leaves("set -e; (exit 4); echo no", 4),
    "set -e stays on": [
        Cell("set -e"),
        Cell("echo hi", "hi\n"),
        Cell("false; echo no", "", 1, exited=True),
        Cell("echo $-", re.compile(r".*e.*\n")),
        Cell("(exit 3); echo no", "", 3, exited=True),
        Cell("set +e"),
        Cell("false; echo on", "on\n"),
    ],
    "set -e in a pipeline, a function, a substitution": [
        Cell("set -e"),
        Cell("g() { false; echo no; }; g", "", 1),
        Cell("x=$(false); echo no", "", 1),
        Cell("set -o pipefail; false | cat; echo no", "", 1),
        Cell("if false; then :; fi; false || echo ok; ! true; echo on", "ok\non\n"),
    ],
    "set -u and a name that is not set": [
        Cell("set -u; x=5"),
        Cell("echo hi", "hi\n"),
        Cell("echo $nope; echo no", "bash: nope: unbound variable\n", 1),
        Cell("echo $x $-", re.compile(r"5 .*u.*\n")),
        Cell("exit 3", "", 3),
        Cell("echo $nope", "bash: nope: unbound variable\n", 1),
    ],
    "set -eux -o pipefail": [
        Cell("set -eux -o pipefail"),
        Cell("echo hi", re.compile(r"\++ echo hi\nhi\n")),
        Cell("false", re.compile(r"\++ false\n"), 1),
        Cell("echo hi", re.compile(r"\++ echo hi\nhi\n")),
        Cell("{ set +eux; } 2>/dev/null", ANY),
        Cell("echo hi", "hi\n"),
    ],
    "a thousand variables": [
        Cell('for i in {1..1000}; do declare v$i="value $i"; done; export v7; exit 1', "", 1),
        Cell("echo $v1 $v1000; bash -c 'echo $v7'", "value 1 value 1000\nvalue 7\n"),
    ],
    "large and odd values": [
        Cell(
            "big=({1..20000}); nl=$'a\\nb'; q=\"'\\\"\\$\\`\"; e=$'\\e\\a'; u='é😀'; b=$'\\377'; n="
        ),
        Cell(
            "declare -A m=([a b]=c [$'\\n']=d); declare -i i=5; declare -r ro=1; declare -n ref=u"
        ),
        Cell("declare -l low=ABC; declare -x exp=1; unset -v gone; declare -a sparse=([3]=x)"),
        Cell("exit 2", "", 2),
        Cell(
            "echo ${#big[@]} ${nl@Q} \"$q\" ${e@Q} $u ${b@Q} ${n-unset} ${m[a b]} ${m[$'\\n']} $ref",  # noqa: E501 -- one line of bash
            "20000 $'a\\nb' '\"$` $'\\E\\a' é😀 $'\\377' c d é😀\n",
        ),
        Cell(
            "i=2+3; low=XY; echo $i $low ${sparse[3]} ${!sparse[@]}; bash -c 'echo $exp'",
            "5 xy x 3\n1\n",
        ),
        Cell("ro=2", "bash: ro: readonly variable\n", 1),
    ],
    "functions": [
        Cell("a-b() { echo 'it'\\''s'; }; h() { cat <<E\n$1\nE\n}; r() { echo r; }; readonly -f r"),
        Cell("e() { echo exported; }; export -f e; exit 3", "", 3),
        Cell(
            "a-b; h x; bash -c e; r() { :; }", "it's\nx\nexported\nbash: r: readonly function\n", 1
        ),
    ],
    "exit in traps": [
        Cell("trap 'exit 9' USR1; x=3"),
        Cell("kill -USR1 $$; echo no", "", 9, exited=True),
        Cell("trap 'exit 8' ERR; false; echo no", "", 8, exited=True),
        Cell("trap - ERR; set -T; trap 'exit 7' RETURN; f() { :; }; f; echo no", "", 7),
        Cell("echo $? $x", "7 3\n"),
    ],
    "exit and what only bash is told": [
        Cell("builtin trap 'echo \"bye $?\"' EXIT; exit 3", "bye 3\n", 3, exited=True),
        Cell("x=1; unset -f trap; trap 'echo bye' EXIT; exit 5", "bye\n", 5, exited=True),
        Cell("echo $? $x", "5 1\n"),
    ],
    "options": [
        Cell(
            "set -f -C -o pipefail; shopt -s extglob nullglob globstar; shopt -u sourcepath; umask 077"  # noqa: E501 -- one line of bash
        ),
        Cell("exit 3", "", 3),
        Cell(
            "echo $-; shopt extglob nullglob globstar sourcepath; umask; set -o | grep pipefail",
            re.compile(
                r".*f.*C.*\nextglob.*on\nnullglob.*on\nglobstar.*on\nsourcepath.*off\n"
                r"0077\npipefail.*on\n"
            ),
        ),
        Cell("case ab in +(a|b)) echo yes ;; esac", "yes\n"),
    ],
    "aliases, directories, completions, disabled builtins": [
        Cell("alias hi='echo hi' ll='ls -l'; complete -W 'x y' foo; enable -n test"),
        Cell("cd /; pushd /usr >/dev/null; pushd /tmp >/dev/null; exit 3", "", 3),
        Cell(
            "hi; dirs; complete -p foo; type test | head -1; popd",
            re.compile(r"hi\n/tmp /usr /\ncomplete -W 'x y' foo\ntest is /.*\n/usr /\n"),
        ),
    ],
    "traps": [
        Cell("trap 'echo usr' USR1; trap 'echo bye' EXIT; trap 'echo err' ERR; exit 3", "bye\n", 3),
        Cell("kill -USR1 $$; false", "usr\nerr\n", 1),
        Cell("trap", "trap -- 'echo usr' SIGUSR1\ntrap -- 'echo err' ERR\n"),
        Cell("exit 4", "", 4),
    ],
    "limits and environment": [
        Cell("ulimit -c 0; ulimit -n 64; export E=1; unset HOME; exit 3", "", 3),
        Cell("ulimit -n; bash -c 'echo $E'; echo ${HOME-unset}", "64\n1\nunset\n"),
    ],
    "posix": [
        Cell("set -o posix; x=5"),
        Cell("echo hi", "hi\n"),
        Cell("exit 3", ANY, 3),
        Cell("echo $x; set -o | grep posix; set +o posix", re.compile("5\nposix.*on\n")),
        Cell("export POSIXLY_CORRECT=1 ENV=/nonexistent; exit 4", ANY, 4),
        Cell("echo hi", "hi\n"),
    ],
    "exported options": [
        Cell("export SHELLOPTS BASHOPTS; set -x; exit 3", ANY, 3),
        Cell("set +x", ANY),
        Cell("echo hi", "hi\n"),
    ],
    "signals that end the shell": [
        Cell("x=5; kill -USR1 $$; echo no", "", 138, exited=True),
        Cell("echo $? $x", "138 5\n"),
        Cell("kill -s PIPE $$; echo no", "", 141, exited=True),
        Cell("kill -14 $$; echo no", "", 142, exited=True),
        Cell("(sleep 0.1; kill -USR2 $$) & sleep 1; echo no", ANY, 129, exited=True),
        Cell("builtin exit 0", ANY, 0, exited=True),
        Cell("echo $x", "5\n"),
    ],
    "hang-up": [Cell("x=5; kill -HUP $$", "", None), Cell("echo $x", "5\n")],
    "termination is ignored, as in any interactive bash": [Cell("kill -TERM $$; echo on", "on\n")],
    "the shell stops itself": [Cell("kill -TSTP $$; echo on", "on\n")],
    "one command only": [
        Cell("set -t", ANY, None),
        Cell("echo hi", ANY, None),
        Cell("set +t", ANY, None),
        Cell("echo hi", "hi\n"),
    ],
}
