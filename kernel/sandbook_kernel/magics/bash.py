"""%bash and %%bash: run bash, with options that a plain cell has no place for."""

import re

from sandbook.actions import RunAction
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.magics.registry import Context, Options, magic

OPTIONS = Options("%bash", "Run the rest of the cell, or of the line.")
OPTIONS.add_argument("--root", action="store_true", help="in a shell of its own, as root")

_LINE = re.compile(r"(?P<options>(?:--?[a-z]\S*\s*)*)(?P<code>.*)", re.DOTALL)


@magic("bash")
async def bash(_context: Context, step: MagicStep) -> RunAction:
    """Run bash; with --root as root of the sandbox, for example to install packages."""
    match = _LINE.fullmatch(step.arguments)
    words, line = (match["options"], match["code"]) if match else ("", step.arguments)
    options = OPTIONS.read(words)
    code = line if step.body is None else f"{line}\n{step.body}"
    return RunAction(code, root=options.root)
