"""%put: copy a file or a folder of this machine into the sandbox."""

from pathlib import Path

from sandbook.errors import AlreadyExistsError, FileError
from sandbook.sandbox.progress import Progress
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, amount, text
from sandbook_kernel.magics.registry import Context, Options, magic

OPTIONS = Options(
    "put",
    "Copy a file or a folder of the machine that runs the kernel into the sandbox. Relative paths "
    "there go from the notebook's folder.",
)
OPTIONS.add_path("source", "host", metavar="HOST_FILE", help="the file or folder of this machine")
OPTIONS.add_path("target", nargs="?", default="", metavar="DEST", help="where it goes")
OPTIONS.add_argument("--force", action="store_true", help="replace what is there")
OPTIONS.add_shell()


@magic(OPTIONS, needs="sandbook.files.transfer")
async def put(context: Context, step: MagicStep) -> Display:
    """Copy a file or a folder of this machine into the sandbox."""
    from sandbook.files.host import HostPath  # noqa: PLC0415 -- takes long to import
    from sandbook.files.transfer import put as copy  # noqa: PLC0415
    from sandbook.rendering.safe import name_text  # noqa: PLC0415

    options = OPTIONS.read(step.arguments)
    files = await context.files(options)
    source = HostPath(options.source, Path.cwd())
    target = await context.path(options, options.target)

    def tell(done: int, total: int | None) -> None:
        context.tell(Progress("copy", name_text(source.name), done, total))

    try:
        copied = await copy(files, source, target, replace=options.force, on_bytes=tell)
    except AlreadyExistsError as error:
        raise kept(error) from error
    return text(f"Copied to {name_text(copied.path)} ({amount(copied.count)})")


def kept(error: AlreadyExistsError) -> FileError:
    """Say that something was not replaced, and how it would be."""
    return FileError(f"{error.path!r} is there already. Choose another name, or add --force.")
