"""%get: take a file or a folder out of the sandbox."""

from pathlib import Path

from sandbook.errors import AlreadyExistsError
from sandbook.sandbox.progress import Progress
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, amount, own, text
from sandbook_kernel.magics.put import kept
from sandbook_kernel.magics.registry import Context, Options, magic

OPTIONS = Options(
    "get",
    "Give a link to download a file of the sandbox, or copy it to the machine that runs the "
    "kernel. A folder comes as a zip archive.",
)
OPTIONS.add_path("path", metavar="PATH", help="the file or folder of the sandbox")
OPTIONS.add_path(
    "target",
    "host",
    nargs="?",
    default="",
    metavar="DEST",
    help="copy it there: a file or a folder of this machine, from the notebook's folder",
)
OPTIONS.add_argument("--force", action="store_true", help="replace what is there")
OPTIONS.add_shell()


@magic(OPTIONS, needs="sandbook.rendering.viewing")
async def get(context: Context, step: MagicStep) -> Display:
    """Download a file or a folder of the sandbox, or copy it to this machine."""
    from sandbook.files.host import HostPath  # noqa: PLC0415 -- takes long to import
    from sandbook.files.transfer import get as copy  # noqa: PLC0415
    from sandbook.rendering.safe import name_text  # noqa: PLC0415

    options = OPTIONS.read(step.arguments)
    files = await context.files(options)
    path = files.absolute(await context.path(options, options.path))
    if context.base_url and not options.target:
        info = (await files.stat(path)).followed
        return _link(context, path, info.size, is_folder=info.is_folder)

    def tell(done: int, total: int | None) -> None:
        context.tell(Progress("copy", name_text(path), done, total))

    target = HostPath(options.target or ".", Path.cwd())
    try:
        copied = await copy(files, path, target, replace=options.force, on_bytes=tell)
    except AlreadyExistsError as error:
        raise kept(error) from error
    return text(f"Copied to {name_text(copied.path)} ({amount(copied.count)})")


def _link(context: Context, path: str, size: int, *, is_folder: bool) -> Display:
    from sandbook.rendering.addresses import Addresses  # noqa: PLC0415
    from sandbook.rendering.safe import link_html, name_html, name_text  # noqa: PLC0415

    addresses = Addresses(context.base_url, context.executor.sandbox_id)
    address = addresses.download(path, is_folder=is_folder)
    what = "all of it as a zip archive" if is_folder else amount(size)
    return own(
        f"Download {link_html(address, name_html(path))} ({what})",
        f"Download {name_text(path)} ({what}): {address}",
    )
