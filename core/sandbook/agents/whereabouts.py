"""Looks where a command has left the shell."""

from sandbook.errors import SessionError
from sandbook.observations import CommandResult, Whereabouts
from sandbook.session.shell import Shell

LOOK = r"""
builtin printf '%s\n' "${!:--1}"
builtin unset -f python python3; builtin set -h; builtin hash -r
builtin hash python || builtin hash python3
builtin printf '%s\n' "${BASH_CMDS[python]:-${BASH_CMDS[python3]-}}"
builtin set -- '\u' '\h'
builtin printf '%s\n' "${1@P}" "${2@P}"
"""
"""Starts no program: every action of an agent waits for this."""


async def find_whereabouts(shell: Shell, result: CommandResult) -> Whereabouts:
    """Tell what an agent is told after a command; as much as the shell knows."""
    try:
        said = await shell.session.ask(LOOK)
    except SessionError:  # somebody else was quicker, or it has just gone
        return Whereabouts(result.exit_code, working_dir=result.cwd)
    pid, python, user, host = (said.decode("utf-8", "replace").split("\n") + [""] * 4)[:4]
    return Whereabouts(
        exit_code=result.exit_code,
        pid=int(pid) if pid.isdecimal() else -1,
        username=user or None,
        hostname=host or None,
        working_dir=result.cwd,
        py_interpreter_path=python,
    )
