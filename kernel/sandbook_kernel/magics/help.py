"""%lsmagic: what magics there are."""

from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, table
from sandbook_kernel.magics.registry import MAGICS, Context, magic


@magic("lsmagic")
async def lsmagic(_context: Context, _step: MagicStep) -> Display:
    """List all magics."""
    return table({f"%{name}": MAGICS[name].summary for name in sorted(MAGICS)})
