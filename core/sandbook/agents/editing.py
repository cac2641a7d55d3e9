"""The editor that agents know, on the files of a sandbox."""

import asyncio
import posixpath
from typing import Protocol

from sandbook.actions import EditAction
from sandbook.errors import FileError, PathNotFoundError
from sandbook.files import editor
from sandbook.files import editor_texts as texts
from sandbook.files.edit_checks import Found, check_file, check_path
from sandbook.files.editor import Edit
from sandbook.files.encoding import Encoding, decoded
from sandbook.files.entries import FileInfo
from sandbook.files.history import History
from sandbook.observations import FileEdited

FAILED = "ERROR:\n"
"""What comes before the reason where nothing was done."""


class Files(Protocol):
    """What the editor needs of the files of a sandbox; all raise `FileError`s."""

    def absolute(self, path: str) -> str:
        """Give the whole path of a file."""
        ...

    async def stat(self, path: str) -> FileInfo:
        """Tell about a file, a folder, or a link and what it leads to."""
        ...

    async def list_folder(self, path: str = ".") -> list[FileInfo]:
        """Tell what is in a folder."""
        ...

    async def read(self, path: str) -> bytes:
        """Read a file."""
        ...

    async def write(self, path: str, data: bytes | str) -> None:
        """Write a file."""
        ...


class Editor:
    """One step at a time; what a file held before is remembered for `undo_edit`."""

    def __init__(self, history: History) -> None:
        self._history = history

    async def edit(self, files: Files, action: EditAction) -> FileEdited:
        """Do one step. What goes wrong is told, not raised."""
        diff, text = "", None
        if action.command == "view":
            content = await self.shown(files, action.path, action.view_range)
        else:
            try:
                edit = await self._change(files, action)
                content, diff, text = edit.content, edit.diff, edit.text
            except FileError as error:
                content = _error(error)
        return FileEdited(action.path, content, action.old_str, action.new_str, diff, text)

    async def shown(self, files: Files, path: str, view_range: object = None) -> str:
        """Show a file or a folder; what goes wrong is told, not raised."""
        try:
            return await self._view(files, path, view_range)
        except FileError as error:
            return _error(error)

    async def _view(self, files: Files, path: str, view_range: object = None) -> str:
        """Show a file with line numbers, or what is in a folder."""
        found, text, _ = await self._look(files, "view", path)
        if not found.is_folder:
            return await asyncio.to_thread(editor.view, path, text, view_range)
        if view_range:
            raise texts.range_of_folder(view_range)
        return await _folder(files, path)

    async def _change(self, files: Files, action: EditAction) -> Edit:
        path = action.path
        _, text, encoding = await self._look(files, action.command, path)
        edit = await asyncio.to_thread(self._edited, action, text)
        try:
            await files.write(path, encoding.encode(edit.text))
        except FileError as error:
            if action.command == "undo_edit":
                self._history.push(path, edit.text)
            raise texts.failed_to("write to", path, error) from error
        if action.command != "undo_edit":
            self._history.push(path, edit.before)
        return edit

    def _edited(self, action: EditAction, text: str) -> Edit:
        path = action.path
        match action.command:
            case "create":
                return editor.create(path, action.file_text)
            case "str_replace":
                return editor.str_replace(path, text, action.old_str, action.new_str)
            case "insert":
                return editor.insert(path, text, action.insert_line, action.new_str)
            case "undo_edit":
                return editor.undo(path, text, self._history)
            case unknown:
                raise texts.unknown_command(unknown)

    async def _look(self, files: Files, command: str, path: str) -> tuple[Found, str, Encoding]:
        """Read what is at a path, if the command can be used on it."""
        found, text, encoding = await _found(files, path)
        meant = ""
        if not path.startswith("/") and found.exists:
            meant = files.absolute(path)
        check_path(command, path, found, meant)
        if command == "create" and not await _exists(files, posixpath.dirname(path)):
            missing = f"[Errno 2] No such file or directory: '{path}'"
            raise texts.failed_to("write to", path, missing)
        check_file(path, found)
        return found, text, encoding


def _error(error: FileError) -> str:
    return f"{FAILED}{error}"


async def _found(files: Files, path: str) -> tuple[Found, str, Encoding]:
    try:
        info = (await files.stat(path)).followed
    except PathNotFoundError:
        return Found(exists=False), "", Encoding()
    if info.kind == "folder":
        return Found(exists=True, is_folder=True), "", Encoding()
    if info.size > texts.MAX_FILE_BYTES:
        return Found(exists=True, size=info.size), "", Encoding()
    data = await files.read(path)
    text = await asyncio.to_thread(decoded, data)
    if text is None:
        return Found(exists=True, size=info.size, is_binary=True), "", Encoding()
    return Found(exists=True, size=info.size), *text


async def _exists(files: Files, path: str) -> bool:
    try:
        await files.stat(path)
    except PathNotFoundError:
        return False
    return True


async def _folder(files: Files, path: str) -> str:
    """List two levels of a folder, without what is hidden. Links are not followed."""
    entries: list[str] = []
    hidden = 0
    folders = [""]
    while folders:
        inside = folders.pop()
        for info in await files.list_folder(posixpath.join(path, inside)):
            if info.name.startswith("."):
                hidden += not inside
                continue
            name = posixpath.join(inside, info.name)
            entries.append(name + "/" * info.is_folder)
            if info.kind == "folder" and not inside:
                folders.append(name)
    return texts.folder(path, entries, hidden)
