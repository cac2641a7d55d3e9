"""Options and variables that change how bash works, and with it how the session works."""

import re

from tests.core.session.harness import ANY, Cell, Lost

TRACED = re.compile(r"\+ echo hi\nhi\n")

CASES = {
    "set -x shows only the user's commands": [
        Cell("set -x"),
        Cell("echo hi", TRACED),
        Cell("echo hi", TRACED),
        Cell("set +x", ANY),
        Cell("echo hi", "hi\n"),
    ],
    "set -x after an exit": [Cell("set -x"), Cell("exit 3", ANY, 3), Cell("echo hi", TRACED)],
    "set -x hides how we do it": [
        Cell("set -x"),
        Cell("(exit 2)", re.compile(r"\+ exit 2\n"), 2),
        Cell("trap 'echo bye' EXIT; trap", re.compile(r"\+.* EXIT\n\+.*\ntrap -- .* EXIT\n")),
        Cell("set +x; { set -x; } 2>/dev/null; clear_output", ANY),
        Cell("exit 1 2; echo on", re.compile(r"\+ exit 1 2\n.*many.*\n\+ echo on\non\n")),
        Cell("exit 3", re.compile(r"\+ exit 3\nbye\n"), 3),
    ],
    "set -x shows what a terminal shows": [
        Cell("set -x; echo hi", "+ echo hi\nhi\n"),
        Cell("a=$(echo b)\neval 'echo c'", "++ echo b\n+ a=b\n+ eval 'echo c'\n++ echo c\nc\n"),
        Cell("f() { echo in f; }; f | cat", re.compile(r"(\+ (f|cat|echo in f)\n){3}in f\n")),
        Cell("printf a; echo '++ b'", "+ printf a\na+ echo '++ b'\n++ b\n"),
        Cell("bash -xc 'a=$(echo b)'", "+ bash -xc 'a=$(echo b)'\n++ echo b\n+ a=b\n"),
        Cell('echo "[$PS4]"', "+ echo '[+ ]'\n[+ ]\n"),
        Cell("exit 3", "+ exit 3\n", 3),
        Cell("echo hi; set +x", "+ echo hi\nhi\n+ set +x\n"),
        Cell("declare -p PS4; echo ${#PS4}", 'declare -- PS4="+ "\n2\n'),
    ],
    "set -x with prompts of the user's": [
        Cell("PS4='+$LINENO '; set -x\necho hi", "+2 echo hi\nhi\n"),
        Cell('PS4="> "\necho hi; set +x', "+1 PS4='> '\n> echo hi\nhi\n> set +x\n"),
        Cell("declare -p PS4; PS4='+ '", 'declare -- PS4="> "\n'),
        Cell(
            "cat >f <<E\nPS4='- '; set -x; echo in f\nE\nbash f; wc -c <f",
            "- echo in f\nin f\n28\n",
        ),
        Cell("rm f; PS4=$(echo '++ '); set -x; echo hi", ANY),
    ],
    "set -x into a file": [
        Cell("exec 5>trace.txt; BASH_XTRACEFD=5; set -x"),
        Cell("echo hi", "hi\n"),
        Cell("set +x; exec 5>&-; grep -c 'echo hi' trace.txt; rm trace.txt", "1\n"),
    ],
    "set -v": [
        Cell("set -v"),
        Cell("echo hi", re.compile(r"echo hi\n?hi\n")),
        Cell("set +v", ANY),
        Cell("echo hi", "hi\n"),
    ],
    "set -n is not for interactive shells": [Cell("set -n"), Cell("echo hi", "hi\n")],
    "set -f, -C and pipefail": [
        Cell("set -Cf -o pipefail"),
        Cell("echo * | cat", "*\n"),
        Cell("false | cat", "", 1),
        Cell("echo a >f; echo b >f", ANY, 1),
        Cell("cat f; rm f", "a\n"),
    ],
    "set -a, -h, -k, -B": [
        Cell("set -a -k +h +B"),
        Cell("v=1; bash -c 'echo $v'; echo {1,2} x=1", "1\n{1,2}\n"),
        Cell("exit 3", "", 3),
        Cell("echo $-", ANY),
    ],
    "set -m off": [
        Cell("set +m"),
        Cell("sleep 0.05 & wait; echo hi", "hi\n"),
    ],
    "set -b": [
        Cell("set -b; sleep 0.05 &", ANY),
        Cell("sleep 0.2; echo hi", re.compile("(.*Done.*\n)?hi\n")),
    ],
    "ignoreeof": [Cell("set -o ignoreeof; IGNOREEOF=5"), Cell("echo hi", "hi\n")],
    "posix and IFS": [
        Cell("set -o posix; IFS=0123456789"),
        Cell("echo hi", "hi\n"),
        Cell("(exit 3)", "", 3),
        Cell('echo "$?"', "3\n"),
    ],
    "IFS that nobody may change": [
        Cell("readonly IFS=0123456789abcdef; set -- a b"),
        Cell("echo hi", "hi\n"),
        Cell("exit 34", "", 34),
        Cell('echo "$?" "$2" "$IFS"', "34 b 0123456789abcdef\n"),
        Cell("trap 'echo bye' EXIT; exit 5", "bye\n", 5),
    ],
    "IFS of newlines or nothing": [
        Cell("IFS=$'\\n'"),
        Cell("(exit 3)", "", 3),
        Cell("IFS="),
        Cell("(exit 4)", "", 4),
        Cell("echo $?; unset IFS", "4\n"),
    ],
    "extglob across cells": [
        Cell("shopt -s extglob"),
        Cell("[[ aab == +(a)b ]] && echo yes", "yes\n"),
        Cell("echo !(*)", ANY),
        Cell("f() { echo ${1%%+(x)}; }; f axx", "a\n"),
    ],
    "extglob on the next line": [
        Cell("shopt -s extglob\ncase aab in +(a)b) echo yes ;; esac", "yes\n")
    ],
    "other shopts": [
        Cell(
            "shopt -s nullglob failglob dotglob lastpipe execfail xpg_echo cdable_vars autocd nocasematch"  # noqa: E501 -- one line of bash
        ),
        Cell("builtin echo hi", "hi\n"),
        Cell("exit 4", "", 4),
        Cell("builtin echo hi", "hi\n"),
        Cell("shopt -s compat31 2>/dev/null; shopt -s localvar_inherit localvar_unset"),
        Cell("builtin echo hi", "hi\n"),
    ],
    "failglob throws everything away": [
        Cell("shopt -s failglob; echo /no-such-*; echo no", re.compile(".*no match.*\n"), 1),
        Cell("echo hi", "hi\n"),
    ],
    "no PATH": [
        Cell("OLD=$PATH; PATH="),
        Cell("echo hi", "hi\n"),
        Cell("ls", ANY, 127),
        Cell("exit 3", "", 3),
        Cell("unset PATH; echo hi", "hi\n"),
        Cell("exit 4", "", 4),
        Cell("PATH=$OLD; ls -d /", "/\n"),
    ],
    "no HOME, no PWD, nothing": [
        Cell("unset HOME PWD OLDPWD SHELL TERM USER LANG"),
        Cell("echo hi", "hi\n"),
        Cell("exit 3", "", 3),
        Cell("cd /usr; pwd", "/usr\n"),
        Cell("PWD=/lies"),
        Cell("cd /; pwd", "/\n"),
    ],
    "set -u without PWD": [Cell("set -u; unset PWD PS1 PS2 OLDPWD"), Cell("echo hi", "hi\n")],
    "other languages": [
        Cell("LC_ALL=C; LANG=C"),
        Cell("printf 'é\\n'; echo ${#LANG}", "é\n1\n"),
        Cell("exit 3", "", 3),
        Cell("LC_ALL=xx_YY.UTF-8", ANY),
        Cell("echo 'é'", "é\n"),
        Cell("unset LC_ALL"),
        Cell("echo é", "é\n"),
    ],
    "umask and limits": [
        Cell("umask 0777"),
        Cell("echo hi", "hi\n"),
        Cell("exit 3", "", 3),
        Cell("umask", "0777\n"),
        Cell("ulimit -n 20"),
        Cell("echo hi", "hi\n"),
        Cell("ulimit -f 0"),
        Cell("echo hi", "hi\n"),
    ],
    "next to no descriptors": [
        Cell("cd /usr; ulimit -n 6"),
        Cell("echo hi", "hi\n"),
        Lost("ulimit -n 5"),
        Cell("pwd", "/usr\n"),
        Lost("ulimit -n 0"),
        Cell("pwd", "/usr\n"),
    ],
    "POSIXLY_CORRECT": [
        Cell("POSIXLY_CORRECT=1"),
        Cell("echo hi", "hi\n"),
        Cell("unset POSIXLY_CORRECT; echo hi", "hi\n"),
    ],
    "bash variables of all kinds lost": [
        Cell(
            "unset BASH BASH_VERSION BASHPID FUNCNAME DIRSTACK GROUPS HOSTNAME HISTCMD LINENO RANDOM SECONDS",  # noqa: E501 -- one line of bash
            ANY,
            None,
        ),
        Cell(
            "unset BASH_SOURCE BASH_LINENO PIPESTATUS SHLVL _ IFS OPTIND COMP_WORDBREAKS", ANY, None
        ),
        Cell("echo hi", "hi\n"),
        Cell("(exit 3)", "", 3),
        Cell("exit 5", "", 5),
        Cell("echo hi", "hi\n"),
    ],
    "our own variables lost": [
        Cell("unset ${!__sandbook_*}"),
        Cell("echo hi", "hi\n"),
        Cell("exit 3", "", 3),
        Cell("echo hi", "hi\n"),
    ],
    "names that we use ourselves": [
        Cell("text=a kind=b name=c action=d others=e place=f option=g mime=h id=i variable=j"),
        Cell("exit 3", "", 3),
        Cell("trap 'x' USR2; echo -n | display a/b >/dev/null; trap - USR2", ANY),
        Cell(
            "echo $text $kind $name $action $others $place $option $mime $id $variable",
            "a b c d e f g h i j\n",
        ),
    ],
    "names that we use ourselves, for good": [
        Cell("readonly text=1 name=2"),
        Cell("echo hi", "hi\n"),
        Cell("exit 3", "", 3),
        Cell("echo $text", "1\n"),
    ],
    "REPLY and BASH_REMATCH stay": [
        Cell("REPLY=mine; [[ abc =~ b(c) ]]"),
        Cell("echo $REPLY ${BASH_REMATCH[1]}", "mine c\n"),
    ],
}
