"""%ls: what is in a folder of the sandbox."""

from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, own
from sandbook_kernel.magics.registry import Context, Options, magic

OPTIONS = Options("ls", "List a folder of the sandbox, with links to its files.")
OPTIONS.add_path("path", nargs="?", default=".", metavar="PATH", help="the folder, or a file")
OPTIONS.add_argument("-l", "--long", action="store_true", help="with mode and owner")
OPTIONS.add_argument("-a", "--all", action="store_true", help="with names that begin with a dot")
OPTIONS.add_shell()


@magic(OPTIONS, needs="sandbook.rendering.viewing")
async def ls(context: Context, step: MagicStep) -> Display:
    """List a folder of the sandbox, with links to its files."""
    from sandbook.rendering.addresses import Addresses  # noqa: PLC0415 -- takes long to import
    from sandbook.rendering.file_table import Listing, table_html, table_text  # noqa: PLC0415

    options = OPTIONS.read(step.arguments)
    files = await context.files(options)
    path = files.absolute(await context.path(options, options.path))
    info = await files.stat(path)
    if info.is_folder:
        found = await files.list_folder(path)
        entries = [one for one in found if options.all or not one.name.startswith(".")]
    else:
        entries = [info]
    listing = Listing(path, entries, long=options.long)
    links = None
    if context.base_url:
        addresses = Addresses(context.base_url, context.executor.sandbox_id)
        links = addresses.links(path, is_folder=True).view_of
    return own(table_html(listing, links), table_text(listing))
