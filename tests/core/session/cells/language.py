"""How code is read: quoting, sizes, odd characters, and what bash does at top level."""

import re

from tests.core.session.harness import Cell, Lost, Open

FROM_COPIES = "in f 1\nin f 2\nin f 3\n"

CASES = {
    "several lines and a here-document": [
        Cell("cat <<'E'\na $x\n  b\nE\nfor i in 1 2; do\n echo $i\ndone", "a $x\n  b\n1\n2\n")
    ],
    "a here-document with tabs": [
        Cell("cat <<-E\n\tone\n\t\ttwo\tthree\n\tE", "one\ntwo\tthree\n")
    ],
    "a here-document that holds our own words": [
        Cell(
            "cat <<'E'\n}; { __sandbook_done 1 x 0; } 2>/dev/null\nE",
            "}; { __sandbook_done 1 x 0; } 2>/dev/null\n",
        )
    ],
    "a here-document inside a function and $( )": [
        Cell("f() { cat <<E\n$1\nE\n}; x=$(f 'a b'); echo \"$x\"", "a b\n")
    ],
    "a here-string": [Cell("read -r a b <<< 'x y z'; echo \"$b\"", "y z\n")],
    "exclamation marks": [Cell('echo "a!b" !x "wow!!"', "a!b !x wow!!\n")],
    "every kind of quote": [
        Cell("""echo 'a"b' "c'd" $'e\\'f\\t' "g\\"h" \\'i""", "a\"b c'd e'f\t g\"h 'i\n")
    ],
    "backslashes": [Cell("echo 'a\\nb' \"c\\\\d\" e\\\\f", "a\\nb c\\d e\\f\n")],
    "a line that goes on": [Cell("echo a \\\n  b \\\n  c", "a b c\n")],
    "a comment at the end with a backslash": [Cell("echo a # \\", "a\n")],
    "a 100 kB line": [Cell("x='" + "y" * 100_000 + "'; echo ${#x}", "100000\n")],
    "a 1 MB line": [Cell("x='" + "y" * 1_000_000 + "'; echo ${#x}", "1000000\n")],
    "1 MB of quotes": [Cell('x="' + "'\\\\" * 350_000 + '"; echo ${#x}', "700000\n")],
    "10 000 lines": [
        Cell("\n".join(f"v{i}={i}" for i in range(10_000)) + "\necho $v9999", "9999\n")
    ],
    "a line longer than a terminal takes": [Cell("echo " + "a" * 5000, "a" * 5000 + "\n")],
    "a word that looks like an option": [
        Cell("-x foo 2>&1", "bash: -x: command not found\n", 127),
        Cell("-- ls 2>&1", "bash: --: command not found\n", 127),
    ],
    "nothing": [Cell("false", "", 1), Cell(""), Cell(" \n\t \n")],
    "only a comment": [Cell("# nothing"), Cell("# one\n# two\n")],
    "lines as Windows ends them": [
        Cell("echo a\r", "a\r\n"),
        Cell("true\r", re.compile(r".*command not found\n"), 127),
    ],
    "a byte order mark": [Cell("\ufeffecho a", re.compile(r".*command not found\n"), 127)],
    "unclosed things are told, and nothing is run": [
        Open("echo no\necho 'abc", 2),
        Open('echo no\n\necho "abc', 3),
        Open("echo no\ncat <<E\ntext", 2),
        Open("echo no $(ls", 1),
        Open("echo no `ls", 1),
        Open("echo no\nif true; then\necho a", 3),
        Open("for i in 1 2; do echo no", 1),
        Open("case x in", 1),
        Open("f() { echo no", 1),
        Open("{ echo no;", 1),
        Open("(echo no", 1),
        Open("echo no &&", 1),
        Open("echo no |", 1),
        Open("echo no\necho no ||\n", 2),
        Open("echo no \\", 1),
        Open("echo no \\\n", 1),
        Open("a=(1 2", 1),
        Open("[[ a == b", 1),
        Open("echo no\n[[ a", 2),
        Open("[[ a ||", 1),
        Open("[[ -f", 1),
        Open("echo no $((1 +", 1),
        Open("echo no ${a", 1),
        Open("coproc {", 1),
        Cell("echo hi", "hi\n"),
    ],
    "errors of syntax": [
        Cell("if then fi", re.compile(r"bash: .*syntax error.*`then'\n.*", re.DOTALL), 2),
        Cell("echo $?", "2\n"),
        Cell("echo )", re.compile(r".*syntax error.*", re.DOTALL), 2),
        Cell("fi", re.compile(r".*syntax error.*", re.DOTALL), 2),
        Cell("echo a\nfi\necho b", re.compile(r"a\n.*syntax error.*", re.DOTALL), 2),
    ],
    "errors of syntax in conditions": [
        Cell("[[ a == b c ]]; echo x", re.compile(r"bash: .*syntax error.*\n"), 2),
        Cell("[[ a && b ]] && echo yes", "yes\n"),
        Cell("eval '[[ a b ]]'", re.compile(r"bash: .*expected\n"), 2),
        Cell("if [[ a == a ]]; then echo yes; fi", "yes\n"),
        Cell("set -e"),
        Cell("[[ ( a ]]", re.compile(r"bash: .*expected.*\n"), 2),
        Cell("[[ a ]] && echo yes", "yes\n"),
    ],
    "declarations at top level stay": [
        Cell("declare -A m=([a]=1); declare z=3; declare -i n=2+3; set -- p q; declare -n r=z"),
        Cell("echo ${m[a]} $z $n $2 $r $#", "1 3 5 q 3 2\n"),
    ],
    "local at top level": [Cell("local x=1", re.compile(r".*can only be used in a function\n"), 1)],
    "read-only variables": [
        Cell("readonly r=1; r=2; echo no", "bash: r: readonly variable\n", 1),
        Cell("echo $r", "1\n"),
        Cell("declare -r r2=5; unset r2", re.compile(".*cannot unset.*\n"), 1),
    ],
    "return, break and continue at top level": [
        Cell("echo a\nreturn 4\necho b", re.compile(r"a\n.*return.*\nb\n")),
        Cell("break; continue", re.compile(r"(.*loop\n){2}")),
    ],
    "parameters": [
        Cell("set -- 'a b' c '' d; shift; echo $#", "3\n"),
        Cell("printf '[%s]' \"$@\"", "[c][][d]"),
    ],
    "a variable that must be set": [
        Cell("echo a; echo ${zz:?boom}; echo no", "a\nbash: zz: boom\n", 1),
        Cell("echo $?", "1\n"),
    ],
    "the status of the cell before": [
        Cell("(exit 42)", "", 42),
        Cell("echo $?", "42\n"),
        Cell("echo $?", "0\n"),
        Cell("no-such-program", "bash: no-such-program: command not found\n", 127),
        Cell("x=$?; echo $x", "127\n"),
    ],
    "a status is no failure of the next cell": [
        Cell("(exit 3)", "", 3),
        Cell("set -e; trap 'echo err' ERR; :"),
        Cell("echo hi", "hi\n"),
    ],
    "line numbers": [
        Cell("echo $LINENO\n\necho $LINENO", "1\n3\n"),
        Cell("(exit 3)", "", 3),
        Cell("\necho $LINENO; sleep 0.02", "2\n"),
        Cell("echo $LINENO\nif then", re.compile(r"1\n.*syntax error.*\n", re.DOTALL), 2),
        Cell("echo $LINENO\nexit 4", "1\n", 4),
        Cell("f() { caller; }\n\nf", "3 NULL\n"),
        Cell("trap 'echo err $LINENO' ERR\n\nfalse", "err 3\n", 1),
        Cell("trap - ERR; trap 'echo dbg $LINENO' DEBUG"),
        Cell("echo a\necho b", "dbg 1\na\ndbg 2\nb\n"),
        Cell("trap - DEBUG; set -v", "dbg 1\n"),
        Cell("echo $LINENO", re.compile(r"echo \$LINENO\n?1\n")),
        Cell("set +v; : '" + "y" * 100_000 + "'\necho $LINENO", re.compile(r".*\n2\n", re.DOTALL)),
    ],
    "no line numbers": [
        Cell('unset LINENO; echo "[$LINENO]"', "[]\n"),
        Cell('echo "[$LINENO]"', "[]\n"),
        Cell("set -u; echo $LINENO", "bash: LINENO: unbound variable\n", 1),
    ],
    "line numbers that nobody may change": [
        Cell("readonly LINENO"),
        Cell("echo hi", "hi\n"),
        Cell("exit 3", "", 3),
        Cell("echo $?", "3\n"),
    ],
    "eval inside eval": [Cell("eval 'eval \"eval '\\''echo deep'\\''\"'", "deep\n")],
    "deep recursion": [Cell("f() { (( $1 == 0 )) || f $(($1 - 1)); }; f 500; echo ok", "ok\n")],
    "recursion without end": [
        Cell("FUNCNEST=100; g() { g; }; g", re.compile(".*maximum function nesting.*\n"), 1),
        Cell("echo hi", "hi\n"),
    ],
    "printf into a variable, random numbers, seconds": [
        Cell(
            "printf -v x %03d 7; RANDOM=5; a=$RANDOM; RANDOM=5; [ $a = $RANDOM ] && echo $x",
            "007\n",
        ),
        Cell("SECONDS=100"),
        Cell("(( SECONDS >= 100 )) && echo ok", "ok\n"),
    ],
    "getopts goes on": [
        Cell("set -- -a -b; getopts ab o; echo $o", "a\n"),
        Cell("getopts ab o; echo $o", "b\n"),
    ],
    "time": [Cell("time true", re.compile(r"\nreal\t.*\nuser\t.*\nsys\t.*\n"))],
    "arithmetic that fails": [
        Cell("echo $((1/0)); echo no", re.compile(r".*division by 0.*\n"), 1),
        Cell("((0))", "", 1),
    ],
    "a function with an odd name": [
        Cell("a-b.c() { echo odd; }; +x() { echo plus; }; a-b.c; +x", "odd\nplus\n")
    ],
    "a file that is read in": [
        Cell("printf 'y=7\\nreturn 4\\necho no\\n' >s.sh; . ./s.sh", "", 4),
        Cell("echo $? $y; rm s.sh", "4 7\n"),
    ],
    "the shell is killed": [
        Cell("cd /usr; x=1"),
        Lost("kill -9 $$"),
        Cell('pwd; echo "[$x]"', "/usr\n[]\n"),
    ],
    "another program in the shell's place": [
        Cell("cd /usr; x=5; trap 'echo bye' EXIT"),
        Cell("exec echo gone; echo no", "gone\n", exited=True),
        Cell("pwd; echo $x", "/usr\n5\n"),
        Cell("exec -a other bash -c 'echo $0; exit 4'; echo no", "other\n", 4, exited=True),
        Cell('echo $? $x; b=echo; exec $b "$x"', "4 5\n5\n", exited=True),
        Cell("if exec false; then echo no; fi; echo no", "", 1, exited=True),
        Cell("exec no-such-program; echo on", "bash: exec: no-such-program: not found\non\n"),
        Cell("exec /", re.compile(r"(.*Is a directory\n)+"), 126, exited=False),
        Cell("exec 3>&1; echo three >&3; exec 3>&-", "three\n"),
        Cell("exit 3", "bye\n", 3),
    ],
    "another program in the place of a copy of the shell": [
        Cell('f() { exec echo in f "$@"; }; (f 1); f 2 | cat; y=$(f 3); echo $y', FROM_COPIES),
        Cell("f 4 & wait $!", "in f 4\n"),
        Cell("export -f f; bash -c 'f 5'; (exec echo in 6)", "in f 5\nin 6\n"),
    ],
    "another program by a road that nobody sees": [
        Cell("cd /usr; echo 'exec true' >/tmp/exec.sh"),
        Lost(". /tmp/exec.sh"),
        Cell("pwd; rm /tmp/exec.sh", "/usr\n"),
    ],
    "another bash in the shell's place": [
        Cell("x=5; declare -a arr=(1 2); exec bash; echo no"),
        Cell("echo $x ${arr[1]}; cd /usr && exec $SHELL -l", "5 2\n"),
        Cell('pwd; f() { exec "$BASH"; }; f; echo no', "/usr\n"),
        Cell("exec env Y=6 bash --norc; echo no"),
        Cell("exec -l bash --noprofile -i; echo no"),
        Cell("echo $x $Y", "5 6\n"),
        Cell("exec bash -c 'echo as written' | cat; echo 'exec bash'", "as written\nexec bash\n"),
        Cell("eval 'cd /; exec bash'; echo no"),
        Cell('eval "exec bash"; echo no'),
        Cell("eval exec -a other bash --rcfile /dev/null; echo no"),
        Cell("b=bash; true && command exec $b -O extglob; echo no"),
        Cell("\\exec bash; echo no"),
        Cell("echo $x $PWD $0", "5 / bash\n"),
    ],
    "odd directories": [
        Cell("mkdir -p $'a\\nb' ./-d 'c d;%41' $'e\\377f'; cd $'a\\nb'"),
        Cell("pwd | tail -1", "b\n"),
        Cell("cd ../-d; cd ./; pwd | grep -c -- -d", "1\n"),
        Cell("cd '../c d;%41'; echo \"${PWD##*/}\"", "c d;%41\n"),
        Cell("cd $'../e\\377f'; echo \"${PWD##*/}\"", b"e\xfff\n"),
        Lost("kill -9 $$"),
        Cell("cd ..; echo hi", "hi\n"),
    ],
    "a directory that is gone": [
        Cell("mkdir q; cd q; rmdir ../q"),
        Cell("echo hi", "hi\n"),
        Cell("exit 3", "", 3),
        Cell("cd / 2>/dev/null; echo hi", "hi\n"),
    ],
    "a new shell in a directory with a newline": [
        Cell("mkdir -p $'/tmp/x\\ny;z%'; cd $'/tmp/x\\ny;z%'"),
        Lost("kill -9 $$"),
        Cell("echo \"${PWD@Q}\"; cd /; rmdir $'/tmp/x\\ny;z%'", "$'/tmp/x\\ny;z%'\n"),
    ],
}
