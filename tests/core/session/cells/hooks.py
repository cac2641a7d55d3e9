"""What a user may hook into bash: prompts, functions and aliases with the names of builtins."""

import re

from tests.core.session.harness import ANY, Cell, Pause

BUILTINS = [
    "echo",
    "printf",
    "cd",
    "test",
    "[",
    "set",
    "unset",
    "trap",
    "exit",
    "builtin",
    "command",
    "eval",
    "local",
    "return",
    "read",
    "stty",
    "base64",
    "declare",
    "shift",
    "exec",
    "export",
    "source",
    ".",
    ":",
    "true",
    "false",
    "kill",
    "wait",
    "enable",
    "shopt",
    "mapfile",
    "tr",
    "rm",
    "bash",
    "tty",
]


def overridden(name: str) -> list[Cell]:
    """A function of this name that does nothing right; the session lives on."""
    return [
        Cell(f"function {name} {{ /bin/echo mine; [[ a == b ]]; }}", ANY, None),
        Cell("x=5; /bin/sh -c 'exit 4'", "", 4),
        Cell("/bin/echo hi", "hi\n"),
        Cell("set -e; /bin/false", ANY, None),
        Cell("/bin/echo hi$x", "hi5\n"),
    ]


VENV = """
deactivate () {
    if [ -n "${_OLD_PATH:-}" ] ; then PATH="${_OLD_PATH:-}"; export PATH; unset _OLD_PATH; fi
    hash -r 2> /dev/null
    if [ -n "${_OLD_PS1:-}" ] ; then PS1="${_OLD_PS1:-}"; export PS1; unset _OLD_PS1; fi
    unset VIRTUAL_ENV
    if [ ! "${1:-}" = "nondestructive" ] ; then unset -f deactivate; fi
}
deactivate nondestructive
VIRTUAL_ENV=/tmp/venv; export VIRTUAL_ENV
_OLD_PATH="$PATH"; PATH="$VIRTUAL_ENV/bin:$PATH"; export PATH
_OLD_PS1="${PS1:-}"; PS1="(venv) ${PS1:-}"; export PS1
hash -r 2> /dev/null
"""

CASES = {
    **{f"a function {name}": overridden(name) for name in BUILTINS},
    "functions with all the names": [
        *[
            Cell(f"function {name} {{ [[ a == b ]]; }}", "", None)
            for name in BUILTINS
            if name != "builtin"
        ],
        Cell("/bin/echo hi", "hi\n"),
        Cell("\\builtin exit 5", ANY, 5),
        Cell("\\builtin echo hi", "hi\n"),
    ],
    "builtin and unset": [
        Cell("unset() { echo U; }; builtin() { echo B; }"),
        Cell("echo hi", "hi\n"),
        Cell("exit 4", "", 4),
        Cell("unset x", "U\n"),
    ],
    "aliases with the names of everything": [
        Cell("alias eval='echo A' printf='echo A' exit='echo A' trap='echo A' builtin='echo A'"),
        Cell("alias if='echo A' while='echo A' set='echo A' __sandbook_done='echo A' for='echo A'"),
        Cell("\\echo hi; (\\exit 3)", "hi\n", 3),
        Cell("\\exit 4", "", 4),
        Cell("\\echo hi", "hi\n"),
        Cell("alias '{'='echo A' '[['='echo A'"),
        Cell("\\echo hi; (\\exit 3)", "hi\n", 3),
    ],
    "aliases on the next line": [
        Cell("alias hi='echo aliased'\nhi", "aliased\n"),
        Cell("hi there", "aliased there\n"),
        Cell("shopt -u expand_aliases"),
        Cell("hi", ANY, 127),
        Cell("shopt expand_aliases; shopt -s expand_aliases", "expand_aliases \toff\n"),
        Cell("hi", "aliased\n"),
        Cell("exit 3", "", 3),
        Cell("hi", "aliased\n"),
        Cell("unalias -a\nhi", ANY, 127),
    ],
    "disabled builtins": [
        Cell("enable -n printf echo set unset trap shopt eval local"),
        Cell("/bin/echo hi", "hi\n"),
        Cell("exit 3", ANY, 3),
        Cell("/bin/echo hi", "hi\n"),
    ],
    "PS1": [
        Cell("PS1='fancy> '"),
        Cell("echo hi", "hi\n"),
        Cell("PS1='$(echo no)\\n'; echo a", "a\n"),
    ],
    "PS0, PS2 and PS4": [
        Cell("PS0='zero\\n'; PS2='more> '; PS4='trace '"),
        Cell("for i in 1\ndo echo $i\ndone", "1\n"),
        Cell("set -x; echo hi; set +x", "trace echo hi\nhi\ntrace set +x\n"),
    ],
    "PROMPT_COMMAND": [
        Cell("PROMPT_COMMAND='echo PC; false; exit 9'"),
        Cell("echo hi", "hi\n"),
        Cell("PROMPT_COMMAND=('echo one' 'echo two')"),
        Cell("echo hi", "hi\n"),
    ],
    "no prompts at all": [Cell("unset PS0 PS1 PS2 PS4 PROMPT_COMMAND"), Cell("echo hi", "hi\n")],
    "prompts that nobody may change": [
        Cell("readonly PS1='$ ' PS2='> '"),
        Cell("echo hi", "hi\n"),
        Cell("false", "", 1),
        Cell("readonly PROMPT_COMMAND='echo PC'"),
        Cell("echo hi", "hi\n"),
        Cell("readonly PS0='zero'"),
        Cell("exit 3", "", 3),
        Cell("echo $?", "3\n"),
    ],
    "a user's settings read in": [
        Cell(
            'printf \'PS1="fancy> "\\nPROMPT_COMMAND="echo PC"\\nset -o vi\\nalias a=b\\n\' >rc.sh'
        ),
        Cell(". ./rc.sh; rm rc.sh"),
        Cell("echo hi", "hi\n"),
    ],
    "settings for interactive shells only": [
        Cell('[ -z "$PS1" ] || echo on; [[ $- == *i* ]]', "on\n")
    ],
    "a virtual environment": [
        Cell(VENV),
        Cell("echo $VIRTUAL_ENV", "/tmp/venv\n"),
        Cell("deactivate"),
        Cell("echo ${VIRTUAL_ENV-gone}", "gone\n"),
    ],
    "prompts as conda makes them": [
        Cell("PS1='(base) '\"$PS1\"; CONDA_PROMPT_MODIFIER='(base) '; export PS1"),
        Cell("echo hi", "hi\n"),
        Cell("env | grep -c ^PS1=", "1\n"),
    ],
    "prompts that terminals report by": [
        Cell("PS1='\\[\\e]133;A\\a\\]$ '; PROMPT_COMMAND='printf \"\\033]7;file:///\\007\"'"),
        Cell("echo hi", "hi\n"),
    ],
    "TMOUT": [Cell("TMOUT=1"), Pause(1.5), Cell("echo hi", "hi\n", exited=False)],
    "TMOUT that nobody may change": [
        Cell("readonly TMOUT=1"),
        Pause(1.5),
        Cell("echo hi", "hi\n", exited=False),
    ],
    "a program for commands that are not found": [
        Cell('command_not_found_handle() { echo "what is $1?"; return 77; }'),
        Cell("frobnicate", "what is frobnicate?\n", 77),
    ],
    "history": [
        Cell("set -o history; HISTFILE=/tmp/h; rm -f /tmp/h; set -H; echo a", "a\n"),
        Cell("history", ""),
        Cell('echo "a!b"; history -s mine; history', re.compile("a!b\n +1  mine\n")),
        Cell("fc -l", ANY, None),
        Cell("exit 3", "", 3),
        Cell("history", ANY),
        Cell("test ! -e /tmp/h || { cat /tmp/h; rm /tmp/h; }", re.compile("(mine\n)?")),
    ],
    "editing modes": [
        Cell("set -o vi"),
        Cell("echo hi", "hi\n"),
        Cell("set -o emacs; echo a\necho b", "a\nb\n"),
        Cell(". <(echo 'set -o vi'); echo c", "c\n"),
        Cell("exit 2", "", 2),
        Cell("echo hi", "hi\n"),
    ],
    "startup files of other shells": [
        Cell("export BASH_ENV=/tmp/no-such ENV=/tmp/no-such"),
        Cell("echo hi", "hi\n"),
        Cell("exit 3", "", 3),
        Cell("echo $ENV", "/tmp/no-such\n"),
    ],
}
