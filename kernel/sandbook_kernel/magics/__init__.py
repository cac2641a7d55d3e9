"""One file per magic; importing this package registers them all."""

from sandbook_kernel.magics import (
    bash,
    edit,
    get,
    help,  # noqa: A004
    jobs,
    ls,
    put,
    python,
    sandbox,
    view,
)
from sandbook_kernel.magics.registry import MAGICS, Answer, Context, Magic, Opened, Options

__all__ = [
    "MAGICS",
    "Answer",
    "Context",
    "Magic",
    "Opened",
    "Options",
    "bash",
    "edit",
    "get",
    "help",
    "jobs",
    "ls",
    "put",
    "python",
    "sandbox",
    "view",
]
