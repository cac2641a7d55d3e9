"""%%edit and %edit: write a file of the sandbox, change it, take that back, or open it."""

import argparse
import re
from typing import TYPE_CHECKING

from sandbook.errors import FileError, IsAFolderError, PathNotFoundError
from sandbook.files.paths import shown
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, own
from sandbook_kernel.magics.registry import Context, Opened, Options, magic
from sandbook_kernel.magics.view import show
from sandbook_kernel.words import quoted

if TYPE_CHECKING:
    from sandbook.files.editing import FileEditor, Written
    from sandbook.files.workspace import WorkspaceFiles

OPTIONS = Options(
    "edit",
    "%%edit writes the rest of the cell to a file. %edit opens a file in the editor, replaces the "
    "only place where something stands in it, or takes the last of these edits back.",
)
OPTIONS.add_path("path", metavar="PATH", help="the file")
OPTIONS.add_argument("--append", action="store_true", help="%%%%edit: write at its end")
OPTIONS.add_argument("--mode", metavar="755", help="%%%%edit: give it these permissions")
OPTIONS.add_argument("--mkdir", action="store_true", help="%%%%edit: make the folders on the way")
OPTIONS.add_argument(
    "--no-newline", action="store_true", help="%%%%edit: leave its last line without an end"
)
OPTIONS.add_argument("--replace", nargs=2, metavar=("OLD", "NEW"), help="%%edit: replace a text")
OPTIONS.add_argument("--undo", action="store_true", help="%%edit: take the last edit back")
OPTIONS.add_shell()

_MODE = re.compile(r"0?[0-7]{3}")


@magic(OPTIONS, needs="sandbook.rendering.viewing")
async def edit(context: Context, step: MagicStep) -> Display | Opened:
    """Write the cell to a file (%%edit), open one in the editor, replace a text in it, or undo."""
    from sandbook.files.editing import FileEditor  # noqa: PLC0415 -- takes long to import

    options = OPTIONS.read(step.arguments)
    _check(options, step)
    files = await context.files(options)
    path = await context.path(options, options.path)
    editor = FileEditor(files, context.executor.edits)
    if step.body is not None:
        return _said(await _write(editor, path, step.body, options))
    if options.replace:
        return _said(await editor.replace(path, *options.replace))
    if options.undo:
        return _said(await editor.undo(path), "undone")
    return await _open(context, files, path)


def _check(options: argparse.Namespace, step: MagicStep) -> None:
    of_cell = options.append or options.mode is not None or options.mkdir or options.no_newline
    of_line = options.replace is not None or options.undo
    if step.body is None and of_cell:
        OPTIONS.error(
            "--append, --mode, --mkdir and --no-newline are for %%edit, which writes the cell"
        )
    if step.body is not None and of_line:
        OPTIONS.error("--replace and --undo are for %edit, on a line of its own")
    if options.replace and options.undo:
        OPTIONS.error("either --replace or --undo")
    if options.mode is not None and not _MODE.fullmatch(options.mode):
        OPTIONS.error(f"--mode is three digits from 0 to 7, such as 755, not {options.mode!r}")


async def _write(
    editor: "FileEditor", path: str, body: str, options: argparse.Namespace
) -> "Written":
    is_ended = body.endswith("\n") or not body or options.no_newline
    text = body if is_ended else f"{body}\n"
    mode = None if options.mode is None else int(options.mode, 8)
    return await editor.write(path, text, append=options.append, mode=mode, mkdir=options.mkdir)


def _said(written: "Written", what: str = "") -> Display:
    """Tell what has become of the file, with the lines that changed in colours."""
    from sandbook.rendering.diff import counted, diff_ansi, diff_html  # noqa: PLC0415
    from sandbook.rendering.safe import name_text  # noqa: PLC0415

    path, is_new = name_text(written.path), written.what == "created"
    said = ", ".join(filter(None, (what or written.what, counted(written.diff), written.note)))
    html = diff_html(written.path, said, written.diff, folded=is_new)
    plain = f"{path}: {said}"
    if written.diff and not is_new:
        plain += f"\n{diff_ansi(written.diff)}"
    return own(html, plain)


async def _open(context: Context, files: "WorkspaceFiles", path: str) -> Display | Opened:
    """Leave it to the front end to open the file; where there is none, show what is in it."""
    from sandbook.rendering.addresses import Addresses  # noqa: PLC0415
    from sandbook.rendering.safe import link_html, name_html, name_text  # noqa: PLC0415

    whole = files.absolute(path)
    try:
        info = await files.stat(whole)
    except PathNotFoundError as error:
        raise FileError(f"{error} %%edit {quoted(path)} writes one.") from error
    if info.is_folder:
        raise IsAFolderError(shown(whole))
    if not context.base_url:
        return await show(context, files, path)
    address = Addresses(context.base_url, context.executor.sandbox_id).view(whole)
    link = link_html(address, name_html(whole))
    plain = f"{name_text(whole)} is opened in the editor."
    html = f"{link} is opened in the editor."
    return Opened(whole, own(html, plain))
