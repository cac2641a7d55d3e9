"""Jobs, pipes, coprocesses, and programs that read."""

import re

from tests.core.session.harness import ANY, Cell, Pause

CASES = {
    "a job": [Cell("sleep 0.05 & wait; echo hi", "hi\n")],
    "a job over several cells": [
        Cell("sleep 0.3 & pid=$!"),
        Cell("jobs | grep -c Running", "1\n"),
        Cell("wait $pid; echo $?", "0\n"),
        Cell('[ -z "$(jobs -r)" ] && echo none', "none\n"),
    ],
    "the status of a job": [
        Cell("(exit 5) & wait $!", "", 5),
        Cell("echo $?", "5\n"),
        Cell("(sleep 0.1; exit 6) &"),
        Cell("wait %1", "", 6),
    ],
    "foreground and background": [
        Cell("sleep 0.2 & fg", "sleep 0.2\n"),
        Cell("sleep 60 & disown; kill $!", ANY),
        Cell("sleep 60 & kill -STOP $!; sleep 0.1; bg >/dev/null; kill %1; wait", ANY, None),
        Cell("echo hi", ANY),
    ],
    "a program that stops itself": [
        Cell("sh -c 'kill -STOP $$; echo on'", re.compile(r"\n?\[1\]\+  Stopped.*\n"), 147),
        Cell("fg", re.compile(r"sh -c.*\non\n")),
        Cell("echo hi", "hi\n"),
    ],
    "a notice comes with no cell": [
        Cell("sleep 0.05 &"),
        Pause(0.3),
        Cell("echo hi", "hi\n"),
    ],
    "notices come with no command either": [
        Cell("for i in 1 2; do sleep 0.0$i & done; sleep 0.2; echo hi; wait", "hi\n"),
        Cell("cd /usr; while sleep 0.1; do break; done & cd /; sleep 0.3; echo hi", "hi\n"),
        Cell("{ cat; exit 3; } <<E & sleep 0.2; echo hi\nhere\nE", "here\nhi\n"),
        Cell(
            "echo '[1] 31'; echo '[1]+  Done                    x'",
            "[1] 31\n[1]+  Done                    x\n",
        ),
        Cell("sleep 60 & kill %1; sleep 0.1; wait; echo hi", "hi\n"),
        Cell("serve() { sleep 60 & }"),
        Cell("serve"),
        Cell("jobs", re.compile(r"\[1\]\+  Running                 sleep 60 &\n")),
        Cell("jobs -p | wc -l", "1\n"),
        Cell("kill %1; wait %1", "", 143),
    ],
    "jobs shows what has ended": [
        Cell("sleep 0.2 & (sleep 0.2; exit 3) &"),
        Pause(0.4),
        Cell("jobs", re.compile(r"\[1\].  Done +sleep 0.2\n\[2\].  Exit 3 +\( sleep.*\)\n")),
        Cell("jobs"),
    ],
    "coprocesses": [
        Cell("coproc CAT { cat; }", ANY),
        Cell("echo hi >&${CAT[1]}; read -r l <&${CAT[0]}; echo $l", "hi\n"),
        Cell("kill $CAT_PID; wait $CAT_PID 2>/dev/null", ANY, None),
        Cell("echo hi", ANY),
    ],
    "pipes into and out of the shell": [
        Cell("cat <(echo a) <(echo b); echo c > >(cat); wait $!", re.compile("a\nb\nc\n")),
        Cell(
            'echo x | while read -r y; do echo "$y"; done; false | true; echo ${PIPESTATUS[@]}',
            "x\n1 0\n",
        ),
        Cell("yes | head -1", "y\n"),
    ],
    "lastpipe": [
        Cell("set +m; shopt -s lastpipe; echo 5 | read x; echo $x", "5\n"),
        Cell("echo $x", "5\n"),
    ],
    "a program that reads its input to the end": [
        Cell("echo a | cat; cat </dev/null\necho b", "a\nb\n")
    ],
    "read with a limit of time": [
        Cell('read -t 0.1 x\necho "[$x] $?"', "[] 142\n"),
        Cell("read -t 0 x", "", 1),
        Cell("read -t 0.05 -n 1 x", "", 142),
    ],
    "read from elsewhere": [
        Cell("read -r -d '' x <<'E'\na\n b\nE\necho \"$x\"", "a\n b\n"),
        Cell("read -r -n 2 x <<< abc; read -ra y <<< '1 2 3'; echo $x ${y[2]}", "ab 3\n"),
        Cell(
            "mapfile -t m < <(seq 3); echo ${m[2]}; readarray -d , n <<< 'x,y'; echo ${#n[@]}",
            "3\n2\n",
        ),
        Cell("while IFS=: read -r a b; do echo $b; done <<< $'1:2\\n3:4'", "2\n4\n"),
        Cell("select s in a b; do echo $s; break; done <<< 2 2>/dev/null", "b\n"),
    ],
    "a pager": [Cell("seq 3 | ${PAGER}", "1\n2\n3\n")],
    "signals end programs": [
        Cell("bash -c 'kill -9 $$'", re.compile(r"(Killed\n)?"), 137),
        Cell("sh -c 'kill -SEGV $$'", re.compile(r"Segmentation fault.*\n"), 139),
        Cell("timeout 0.1 sleep 5", "", 124),
        Cell("bash -c 'kill -INT $$'", re.compile(r"\n?"), 130),
        Cell("echo on", "on\n"),
    ],
    "nested shells": [
        Cell("bash -c 'exit 3'", "", 3),
        Cell("bash <<< 'echo in; exit 4'", "in\n", 4),
        Cell("sh -c 'echo $0'; env -i /bin/bash -c 'echo clean'", "sh\nclean\n"),
        Cell("bash -ic 'echo inter' 2>/dev/null </dev/null", re.compile("inter\n")),
    ],
    "setsid, nohup and exec -a": [
        Cell(
            "setsid -w echo a; nohup echo b 2>/dev/null </dev/null | cat; (exec -a name bash -c 'echo $0')",  # noqa: E501 -- one line of bash
            "a\nb\nname\n",
        )
    ],
    "subshells know themselves": [
        Cell(
            "(echo $BASH_SUBSHELL); [ $$ = $BASHPID ] && echo same; (( $$ != $(echo $BASHPID) )) && echo other",  # noqa: E501 -- one line of bash
            "1\nsame\nother\n",
        )
    ],
    "many programs": [
        Cell("for i in {1..100}; do /bin/true; done; for i in {1..50}; do :& done; wait", ANY),
        Cell("echo hi", ANY),
    ],
    "a pipe that nobody reads": [
        Cell("set -o pipefail; yes 2>/dev/null | true; [ $? -ge 128 ] && echo sig", "sig\n")
    ],
}
