"""%bash and %%bash: run bash, with options that a plain cell has no place for."""

import argparse
import re

from sandbook.actions import RunAction
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, grid, text
from sandbook_kernel.magics.registry import Answer, Context, Options, magic

OPTIONS = Options("bash", "Run the rest of the line (%bash) or of the cell (%%bash).")
OPTIONS.add_argument("--session", metavar="NAME", default="", help="in a shell of this name")
OPTIONS.add_argument("--root", action="store_true", help="as root of the sandbox")
OPTIONS.add_argument("--timeout", metavar="S", type=float, help="stop it after S seconds")
OPTIONS.add_argument(
    "--input", metavar="LINE", action="append", default=[], help="answer a program with this line"
)
OPTIONS.add_argument(
    "--background", action="store_true", help="do not wait for it; %%jobs shows what it says"
)
OPTIONS.add_argument("--list", action="store_true", help="list the shells of this sandbox")

_WORD = r"""(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+"""
_WITH_VALUE = rf"--(?:session|timeout|input)(?:=|[ \t]+){_WORD}"
_LINE = re.compile(rf"(?P<options>(?:(?:{_WITH_VALUE}|--?[a-z]\S*)(?:\s+|$))*)(?P<code>.*)", re.S)


@magic(OPTIONS)
async def bash(context: Context, step: MagicStep) -> Answer:
    """Run bash in a shell of its own, as root, for a limited time, or in the background."""
    match = _LINE.fullmatch(step.arguments)
    words, line = (match["options"], match["code"]) if match else ("", step.arguments)
    options = OPTIONS.read(words)
    if options.list:
        return _shells(context)
    code = line if step.body is None else f"{line}\n{step.body}"
    action = _action(context, code, options)
    if not options.background:
        return action
    job = await context.executor.begin(action)
    return text(f"Job {job.number} has begun. %jobs {job.number} shows what it says.")


def _action(context: Context, code: str, options: argparse.Namespace) -> RunAction:
    if options.timeout is not None and options.timeout <= 0:
        OPTIONS.error("--timeout wants a number of seconds above 0")
    session = options.session or context.session
    inputs = tuple(options.input)
    return RunAction(code, session, options.root, options.timeout, inputs)


def _shells(context: Context) -> Display:
    rows = [("session", "user", "pid", "state", "directory")]
    for (name, root), shell in sorted(context.executor.shells.items()):
        state = "busy" if shell.is_busy else "idle"
        user = "root" if root else "you"
        rows.append(
            (name or "(the notebook's)", user, str(shell.session.pid), state, shell.session.cwd)
        )
    return grid(rows)
