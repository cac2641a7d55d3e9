"""%lsmagic: what magics there are."""

from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, table
from sandbook_kernel.magics.registry import MAGICS, Context, Options, magic

OPTIONS = Options("lsmagic", "List all magics; each tells more with --help.")


@magic(OPTIONS)
async def lsmagic(_: Context, step: MagicStep) -> Display:
    """List all magics."""
    OPTIONS.read(step.arguments)
    return table({f"%{name}": MAGICS[name].summary for name in sorted(MAGICS)})
