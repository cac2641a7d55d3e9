"""Commands: how they end, what is told of them, and what happens to those that do not end.

Each row is a case: its name, and what is sent and must come, one after the other. It begins in a
folder of its own, `{w}`, in a shell that the cases of a backend share.
"""

import pytest

from sandbook.agents.texts import GOES_ON
from tests.contract.agent import (
    Like,
    That,
    busy,
    check,
    failed,
    late,
    nothing,
    ran,
    run,
    silent,
)

NO_LOGS = "ERROR: No previous running command to retrieve logs from."
NO_TALK = "ERROR: No previous running command to interact with."
TOO_MANY = (
    "ERROR: Cannot execute multiple commands at once.\n"
    "Please run each command separately OR chain them into a single command via && or ;\n"
    "Provided commands:\n"
)
CUT = "\n[... Observation truncated due to length ...]\n"
LINES = "\n".join(f"Line {number}" for number in range(1, 4001))
LAST_LINES = Like(r"\[Previous command outputs are truncated\. Showing the last 10013 lines .*\]\n")

CASES = {
    # How a command ends
    "a word": [(run("echo hi"), ran("hi", command="echo hi"))],
    "both streams, in order": [(run("echo a; echo b >&2; echo c"), ran("a\nb\nc"))],
    "an exit code": [(run("(exit 3)"), ran("", 3))],
    "an exit code beyond a byte": [(run("(exit 300)"), ran("", 44))],
    "a command that there is not": [
        (run("no-such-command-here"), ran(Like(".*no-such-command-here: command not found"), 127))
    ],
    "a command killed in the background": [
        (run("kill -9 $BASHPID & wait $!"), ran(That(lambda text: "\x1b" not in text, "any"), 137))
    ],
    "nothing said": [(run("true"), ran(""))],
    "the command is told without blanks around it": [
        (run("  echo hi \n"), ran("hi", command="echo hi"))
    ],
    "the id, time, source and cause of a request are not repeated": [
        (
            run("echo hi", 10, hidden=False, thought="why", security_risk=1),
            ran("hi", command="echo hi"),
        )
    ],
    "a failure that is hidden": [(run("false", hidden=True), ran("", 1, hidden=True))],
    "what older clients send": [
        (run("echo hi", keep_prompt=True, is_confirmed="confirmed"), ran("hi"))
    ],
    "a syntax error": [(run("if then"), ran(Like(".*syntax error near unexpected token.*"), 2))],
    "exit keeps the shell (the original loses it)": [
        (run("kept=1; exit 7"), ran("", 7)),
        (run("echo still $kept"), ran("still 1")),
    ],
    "set -e keeps the shell": [
        (run("set -e"), ran("")),
        (run("false"), ran("", 1)),
        (run("set +e; echo still"), ran("still")),
    ],
    # What is kept
    "the folder": [
        (run("mkdir sub && cd sub"), ran("", cwd="{w}/sub")),
        (run("pwd"), ran("{w}/sub", cwd="{w}/sub")),
        (run("cd .."), ran("")),
    ],
    "variables, functions, aliases": [
        (run('export FOO=bar; myf(){ echo inf; }; alias zz="echo al"'), ran("")),
        (run("echo $FOO; myf; zz x"), ran("bar\ninf\nal x")),
    ],
    "the exit code of the last command": [(run("false"), ran("", 1)), (run("echo $?"), ran("1"))],
    "a terminal": [(run("test -t 0 && test -t 1 && echo tty"), ran("tty"))],
    # Several commands
    "two lines": [
        (run("echo 1\necho 2"), failed(f"{TOO_MANY}(1) echo 1\n(2) echo 2")),
    ],
    "three lines": [
        (run("a\n\nb\n  c d"), failed(f"{TOO_MANY}(1) a\n(2) b\n(3) c d")),
    ],
    "one in the background, then another": [
        (run("echo 1 &\necho 2"), failed(Like(r"ERROR: Cannot.*\(1\) echo 1 &\n\(2\) echo 2"))),
    ],
    "a function and its call": [
        (
            run("x() {\n echo hi\n}\nx"),
            failed(Like(r"ERROR: Cannot.*\(1\) x\(\) \{\n echo hi\n\}\n\(2\) x")),
        ),
    ],
    "commands in one line": [(run("echo 1; echo 2 && echo 3 | cat"), ran("1\n2\n3"))],
    "a here document": [(run("cat <<EOF\nl1\nl2\nEOF"), ran("l1\nl2"))],
    "a continued line": [(run("echo a \\\n  b"), ran("a b"))],
    "a loop over lines": [(run("for i in 1 2; do\n  echo $i\ndone"), ran("1\n2"))],
    "a text over lines": [(run("echo 'a\nb'"), ran("a\nb"))],
    "a pipe that goes on in the next line": [(run("echo abc |\n tr a-c x"), ran("xxx"))],
    "a comment behind a command": [(run("echo a # c"), ran("a"))],
    "a comment alone does nothing (the original fails)": [(run("# comment only"), ran(""))],
    "a comment, then a command": [(run("# comment\necho a"), ran("a"))],
    # What is shown
    "tabs": [(run(r'printf "a\tb\n"'), ran("a       b"))],
    "tabs, twice": [(run(r'printf "abc\tb\t\tc\n"'), ran("abc     b               c"))],
    "colours": [(run(r'printf "\033[31mred\033[0m \033[1;4mbold\033[m\n"'), ran("red bold"))],
    "a carriage return": [(run(r'printf "1\r2\r3\n"'), ran("3"))],
    "a progress bar": [
        (run(r'for i in 1 50 100; do printf "\rdone: %3d%%" $i; done; echo'), ran("done: 100%"))
    ],
    "a shorter line over a longer one": [(run(r'printf "abcdef\rxy\n"'), ran("xycdef"))],
    "backspaces": [(run(r'printf "abc\b\bX\n"'), ran("aXc"))],
    "a title and a link": [
        (run(r"printf '\033]0;title\007a\033]8;;http://x\033\\b\033]8;;\033\\\n'"), ran("ab"))
    ],
    "wide letters": [(run("echo héllo 日本 ✓"), ran("héllo 日本 ✓"))],
    "wide letters that are written over": [(run(r'printf "日本\rab\n"'), ran("ab本"))],
    "bytes that are no text": [(run(r'printf "a\377b\n"'), ran("a\ufffdb"))],
    "no newline at the end": [(run('printf "no newline"'), ran("no newline"))],
    "blanks around it": [(run(r'printf "\n\n  lead\ntrail   \n\n\n"'), ran("lead\ntrail"))],
    "a long line is not folded": [(run('printf "x%.0s" {1..3000}'), ran("x" * 3000))],
    "a screen that is cleared": [
        (run("echo before; printf '\\033[H\\033[2J\\033[3J'; echo after"), ran("after")),
        (run("echo then"), ran("then")),
    ],
    "what looks like the end of a command": [
        (run(r"printf '###PS1END###\n\033]133;D;0\007x\n'"), ran("###PS1END###\nx"))
    ],
    "a command that is echoed is not cut off": [(run("echo echo hi"), ran("echo hi"))],
    "escaped signs (the original doubles the backslash)": [
        (run("find /tmp -maxdepth 0 -exec echo {} \\;"), ran("/tmp")),
        (run(r"echo a \; echo b \| c"), ran("a ; echo b | c")),
        (run(r"echo 'a \; b'"), ran(r"a \; b")),
    ],
    "30000 letters are told": [(run("printf 'x%.0s' {1..30000}"), ran("x" * 30000))],
    "of more, the beginning and the end": [
        (
            run("printf 'x%.0s' {1..20000}; printf 'y%.0s' {1..20000}"),
            ran("x" * 15000 + CUT + "y" * 15000),
        )
    ],
    "of many lines, the beginning and the end": [
        (
            run('for i in $(seq 1 4000); do echo "Line $i"; done'),
            ran(LINES[:15000] + CUT + LINES[-15000:]),
        )
    ],
    "all of what is hidden": [
        (
            run('for i in $(seq 1 4000); do echo "Line $i"; done', hidden=True),
            ran(LINES, hidden=True),
        )
    ],
    "more lines than are kept": [
        (
            run('for i in $(seq 1 12000); do echo "Line $i"; done'),
            ran(Like(r"Line 1\d\d\d\n.*Line 12000"), prefix=LAST_LINES),
        )
    ],
    # Background
    "a command in the background": [
        (run("sleep 0.2 &"), ran(Like(r"\[\d+\] \d+"), pid=That(lambda pid: pid > 0, "a pid"))),
        (run("wait; echo done"), ran(Like(r".*done"))),
    ],
    "the pid is that of the last one in the background": [
        (run('sleep 0.1 & echo "pid $!" >p'), ran(Like(r"\[\d+\] \d+"))),
        (run('cat p; test "$(cat p)" = "pid $!"; wait'), ran(Like(r"pid \d+.*"))),
    ],
    # In a shell of its own
    "a static command": [
        (run("cd /; x=1"), ran("", cwd="/")),
        (run("pwd; echo [$x]", is_static=True), ran(Like(r"/\S+\n\[\]"), cwd=Like("/.+"))),
        (run("pwd"), ran("/", cwd="/")),
    ],
    "a static command in a folder": [
        (run("pwd", is_static=True, cwd="/tmp"), ran("/tmp", cwd="/tmp")),
        (run("pwd; cd /", is_static=True, cwd="{w}"), ran("{w}", cwd="/")),
        (run("pwd"), ran("{w}")),
    ],
    "a static command that is hidden": [
        (run("echo a", is_static=True, hidden=True), ran("a", cwd=Like("/.+"), hidden=True))
    ],
    "cwd alone does nothing": [(run("pwd", cwd="/tmp"), ran("{w}"))],
    "a static command beside one that runs": [
        (run("sleep 1; echo end", 0.2), late("", 0.2)),
        (run("echo beside", is_static=True), ran("beside", cwd=Like("/.+"))),
        (run("", 20, blocking=True), ran("end", command="")),
    ],
    # Where nothing runs
    "to wait for nothing": [(run(""), nothing(NO_LOGS))],
    "to wait for nothing, with blanks": [(run("  \n "), nothing(NO_LOGS))],
    "to type to nothing": [(run("x", is_input=True), nothing(NO_TALK))],
    "to type nothing to nothing": [(run("", is_input=True), nothing(Like("ERROR: No previous.*")))],
    "to stop nothing": [(run("C-c", is_input=True), nothing(NO_TALK))],
    "Ctrl-C at the prompt": [(run("C-c"), ran("^C", 130, key="C", command="C-c"))],
    # Patience
    "a hard timeout": [
        (
            run("echo a; sleep 1.5; echo b", 0.5),
            late("a", 0.5, command="echo a; sleep 1.5; echo b"),
        ),
        (run("ls", 5), busy("ls")),
        (run("", 0.2), late("", 0.2, prefix=GOES_ON, command="")),
        (run("", 10), ran("b", command="")),
        (run(""), nothing(NO_LOGS)),
    ],
    "a hard timeout of whole seconds": [
        (run("sleep 1.2", 1), late("", "1.0")),
        (run("", 10), ran("")),
    ],
    "a timeout of 0 is none": [(run("sleep 0.3; echo a", 0), ran("a"))],
    "a soft timeout, and something typed": [
        (run("echo q; cat"), silent("q")),
        (run("hello", 0.5, is_input=True), late("hello", 0.5, prefix=GOES_ON)),
        (run("C-d", 5, is_input=True), ran("", key="D", command="C-d")),
    ],
    "a soft timeout, twice": [
        (run("sleep 30"), silent("")),
        (run(""), silent("", prefix=GOES_ON)),
        (run("C-c", 5, is_input=True), ran("^C", 130, key="C")),
    ],
    "words keep a soft timeout away": [
        (run("for i in 1 2 3; do echo $i; sleep 0.9; done"), ran("1\n2\n3"))
    ],
    "blocking waits in silence": [(run("sleep 2.5; echo done", 20, blocking=True), ran("done"))],
    "blocking ends with the timeout": [
        (run("sleep 9", 0.5, blocking=True), late("", 0.5)),
        (run("C-c", 5, is_input=True), ran("^C", 130, key="C")),
    ],
    "hidden, too, is told that it goes on": [
        (run("sleep 9", 0.3, hidden=True), late("", 0.3, hidden=True)),
        (run("C-c", 5, is_input=True), ran("^C", 130, key="C")),
    ],
    "what was told is not told again": [
        (run("echo a; sleep 0.6; echo b; sleep 0.6; echo c", 0.4), late("a", 0.4)),
        (run("", 0.5), late("b", 0.5, prefix=GOES_ON)),
        (run("", 5), ran("c")),
    ],
    "refused, with what came since": [
        (run("echo a; sleep 0.4; echo b; sleep 30", 0.2), late("a", 0.2)),
        (run("sleep 0.6", is_static=True), ran("", cwd=Like("/.+"))),
        (run("echo no"), busy("echo no", "b")),
        (run("C-c", 5, is_input=True), ran("^C", 130, key="C")),
    ],
    "the last words of one that ended come with the next": [
        (run("sleep 0.4; echo last", 0.1), late("", 0.1)),
        (run("sleep 0.7", is_static=True), ran("", cwd=Like("/.+"))),
        (run("echo next"), ran("last\nnext")),
    ],
    "several commands are told apart before it is seen whether one runs": [
        (run("sleep 30", 0.2), late("", 0.2)),
        (run("echo 1"), busy("echo 1")),
        (run("C-c", 5, is_input=True), ran("^C", 130, key="C")),
    ],
    # Keys
    "Ctrl-C": [
        (run("sleep 100", 0.2), late("", 0.2)),
        (run("C-c", 5, is_input=True), ran("^C", 130, key="C", command="C-c")),
    ],
    "Ctrl-C is a command like any other without is_input": [
        (run("sleep 100", 0.2), late("", 0.2)),
        (run("C-c", 5), busy("C-c")),
        (run("C-c", 5, is_input=True), ran("^C", 130, key="C")),
    ],
    "Ctrl-C of a program that minds it": [
        (
            run("bash -c 'trap \"echo caught; exit 5\" INT; while :; do sleep 0.1; done'", 0.6),
            late("", 0.6),
        ),
        (run("C-c", 5, is_input=True), ran("^C\ncaught", 5, key="C")),
    ],
    "Ctrl-C of a program that does not": [
        (
            run(
                "python3 -c 'import time\ntry: time.sleep(60)\nexcept KeyboardInterrupt: print(7)'",
                1,
            ),
            late("", "1.0"),
        ),
        (run("C-c", 5, is_input=True), ran("^C\n7", key="C")),
    ],
    "Ctrl-D": [
        (run("cat; echo end", 0.3), late("", 0.3)),
        (run("C-d", 5, is_input=True), ran("end", key="D")),
    ],
    "Ctrl-Z": [
        (run("sleep 100", 0.3), late("", 0.3)),
        (
            run("C-z", 5, is_input=True),
            ran(Like(r"\^Z\n\[\d+\]\+  Stopped +sleep 100"), 148, key="Z", command="C-z"),
        ),
        (run("jobs"), ran(Like(r"\[\d+\]\+  Stopped +sleep 100"))),
        (run("kill %%; sleep 0.3; jobs"), ran(Like(r"\[\d+\]\S*  Terminated +sleep 100.*"))),
    ],
    # Typing
    "a program that asks": [
        (run('read -p "name? " name; echo "hi $name"', 0.5), late("name?", 0.5)),
        (run("Ada", 5, is_input=True), ran("hi Ada", command="Ada")),
        (run("echo $name"), ran("Ada")),
    ],
    "a program that asks without showing the answer": [
        (
            run('read -s -p "password: " word; echo; echo "${#word} letters"', 0.5),
            late("password:", 0.5),
        ),
        (run("secret", 5, is_input=True), ran("6 letters")),
    ],
    "an empty line is waiting, not typing": [
        (run("read x; echo [$x]", 0.3), late("", 0.3)),
        (run("", 0.2), late("", 0.2, prefix=GOES_ON)),
        (run("y", 5, is_input=True), ran("[y]")),
    ],
    "a session with Python": [
        (run("python3 -q -i", 1.5), late(Like(".*>>>"), 1.5)),
        (run("print(6*7)", 0.7, is_input=True), late(Like(".*42\n>>>"), 0.7, prefix=GOES_ON)),
        (run("exit()", 10, is_input=True), ran("")),
    ],
    "a table that needs a terminal's size": [
        (run("stty size"), ran(Like(r"\d+ \d+"))),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_a_command(agent, place, name):
    check(agent, place, CASES[name])
