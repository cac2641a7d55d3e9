"""%sandbox: what machine the cells of this notebook run on, and how to get a new one."""

from datetime import datetime, timezone

from sandbook.errors import SandboxNotFoundError
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, table
from sandbook_kernel.magics.registry import Context, Options, magic

RESTART = "restart"
REPLACED = "was removed by %sandbox restart"
OPTIONS = Options("sandbox", "Show the sandbox of this notebook, or replace it by a new one.")
OPTIONS.add_argument(
    "action",
    nargs="?",
    choices=[RESTART],
    help="make a new sandbox: variables, running programs, installed packages and /tmp are lost, "
    "in all shells of this notebook; the workspace stays",
)
MINUTE = 60
HOUR = 60 * MINUTE


def uptime(seconds: int) -> str:
    """Say how long something has run, in words short enough for a table."""
    if seconds < MINUTE:
        return f"{seconds} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE} min {seconds % MINUTE} s"
    return f"{seconds // HOUR} h {seconds % HOUR // MINUTE} min"


@magic(OPTIONS)
async def sandbox(context: Context, step: MagicStep) -> Display:
    """Show the sandbox of this notebook, or replace it by a new one."""
    options = OPTIONS.read(step.arguments)
    if options.action == RESTART:
        await context.executor.renew(REPLACED)
    await context.executor.start()
    is_paused = await context.executor.is_paused()
    info = context.executor.info
    if info is None:
        raise SandboxNotFoundError("of this notebook")
    age = datetime.now(timezone.utc) - info.started_at
    return table(
        {
            "backend": f"{info.backend} (isolation: {info.isolation})",
            "image": info.image or "this machine's own programs",
            "id": info.sandbox_id,
            "state": "paused; the next bash cell resumes it" if is_paused else info.state,
            "limits": str(info.limits),
            "workspace": info.workspace,
            "uptime": uptime(int(age.total_seconds())),
        }
    )
