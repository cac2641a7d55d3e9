"""%sandbox: what machine the cells of this notebook run on."""

from datetime import datetime, timezone

from sandbook.errors import SandboxNotFoundError
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, table
from sandbook_kernel.magics.registry import Context, Options, magic

OPTIONS = Options("sandbox", "Show the sandbox of this notebook.")
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
    """Show the sandbox of this notebook: backend, image, id, limits, uptime."""
    OPTIONS.read(step.arguments)
    await context.executor.start()
    info = context.executor.info
    if info is None:
        raise SandboxNotFoundError("of this notebook")
    age = datetime.now(timezone.utc) - info.started_at
    return table(
        {
            "backend": f"{info.backend} (isolation: {info.isolation})",
            "image": info.image or "this machine's own programs",
            "id": info.sandbox_id,
            "limits": str(info.limits),
            "workspace": info.workspace,
            "uptime": uptime(int(age.total_seconds())),
        }
    )
