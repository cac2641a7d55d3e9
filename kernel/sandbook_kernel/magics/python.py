"""%%python: run Python in an IPython of the sandbox's own, which agents use, too."""

from sandbook.actions import PythonAction
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.magics.registry import Context, Options, magic

OPTIONS = Options("python", "Run the rest of the cell as Python, inside the sandbox.")
OPTIONS.add_argument("--timeout", metavar="S", type=float, help="interrupt it after S seconds")


@magic(OPTIONS)
async def python(context: Context, step: MagicStep) -> PythonAction:
    """Run Python (%%python). Variables stay from cell to cell; it works where the shell is."""
    del context
    options = OPTIONS.read(step.arguments)
    if step.body is None:
        OPTIONS.error("%%python, with two signs, runs the rest of the cell")
    if options.timeout is not None and options.timeout <= 0:
        OPTIONS.error("--timeout wants a number of seconds above 0")
    return PythonAction(step.body, timeout_s=options.timeout)
