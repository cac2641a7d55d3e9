"""%view: show a file or a folder of the sandbox below the cell."""

import re
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING

from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, own
from sandbook_kernel.magics.registry import Context, Options, magic
from sandbook_kernel.words import quoted

if TYPE_CHECKING:
    from sandbook.files.workspace import WorkspaceFiles
    from sandbook.rendering.source import View
    from sandbook.rendering.viewing import Viewed

OPTIONS = Options("view", "Show a file or a folder: picture, table, code, archive, whatever it is.")
OPTIONS.add_path("path", metavar="PATH", help="the file or folder")
OPTIONS.add_argument("lines", nargs="?", metavar="A:B", help="only these lines of a text")
OPTIONS.add_argument("--page", type=int, default=1, metavar="N", help="this page of a long one")
OPTIONS.add_shell()

NATIVE = {"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"}
"""What every front end shows by itself, and stays a picture wherever a notebook goes."""

_LINES = re.compile(r"(?P<first>\d{0,9})(?P<to>:?)(?P<last>\d{0,9})", re.ASCII)


@magic(OPTIONS, needs="sandbook.rendering.viewing")
async def view(context: Context, step: MagicStep) -> Display:
    """Show a file or a folder: picture, table, code, archive, whatever it is."""
    options = OPTIONS.read(step.arguments)
    if options.page < 1:
        OPTIONS.error("--page wants a number from 1 on")
    files = await context.files(options)
    path = await context.path(options, options.path)
    again = " ".join([quoted(path), *filter(None, [options.lines])])
    return await show(context, files, path, _lines(options.lines), options.page, again)


async def show(
    context: Context,
    files: "WorkspaceFiles",
    path: str,
    lines: tuple[int, int] | None = None,
    page: int = 1,
    again: str = "",
) -> Display:
    """Show a file as %view does."""
    from sandbook.rendering.source import Surface, View  # noqa: PLC0415 -- in a thread, before
    from sandbook.rendering.viewing import view_file  # noqa: PLC0415

    whole = files.absolute(path)
    is_folder = (await files.stat(whole)).is_folder
    wanted = View(Surface.NOTEBOOK, page, lines)
    if context.base_url:
        wanted = _linked(wanted, context, whole, is_folder=is_folder)
    return _display(await view_file(files, whole, wanted), again or quoted(path))


def _linked(view: "View", context: Context, path: str, *, is_folder: bool) -> "View":
    from sandbook.rendering.addresses import Addresses  # noqa: PLC0415

    addresses = Addresses(context.base_url, context.executor.sandbox_id)
    return replace(view, links=addresses.links(path, is_folder=is_folder, lines=view.lines))


def _display(viewed: "Viewed", again: str) -> Display:
    source, rendered = viewed.source, viewed.rendered
    media_type, plain = source.type.media_type, rendered.plain
    if rendered.pages > 1:
        plain += f"\n(page {rendered.page} of {rendered.pages}: %view {again} --page N)"
    if media_type in NATIVE and not source.is_cut and not source.offset:
        return Display({media_type: b64encode(source.data).decode(), "text/plain": plain})
    return own(rendered.html, plain)


def _lines(given: str | None) -> tuple[int, int] | None:
    """Read `3:7`, `3:`, `:7` or `3`."""
    if given is None:
        return None
    match = _LINES.fullmatch(given)
    if match is None or not (match["first"] or match["last"]):
        OPTIONS.error(f"lines are written as 3:7, 3:, :7 or 3, not {given!r}")
    first = int(match["first"] or 1)
    last = int(match["last"] or (1 << 31 if match["to"] else first))
    if not 1 <= first <= last:
        OPTIONS.error(f"there are no lines {given}")
    return first, last
