"""One file per magic; importing this package registers them all."""

from sandbook_kernel.magics import bash, help, sandbox  # noqa: A004
from sandbook_kernel.magics.registry import MAGICS, Context, Magic

__all__ = ["MAGICS", "Context", "Magic", "bash", "help", "sandbox"]
