"""Edits files of a sandbox: reads one, has the text changed, writes it, remembers what was."""

import asyncio
import posixpath
from dataclasses import dataclass, field
from typing import Literal

from sandbook.errors import FileError, PathNotFoundError
from sandbook.files import editor
from sandbook.files import editor_texts as texts
from sandbook.files.diff import unified_diff
from sandbook.files.encoding import Encoding, decoded
from sandbook.files.entries import FileInfo
from sandbook.files.history import History
from sandbook.files.line_ends import dominant_end, unified
from sandbook.files.paths import shown
from sandbook.files.workspace import WorkspaceFiles

CONTEXT = 3


@dataclass(frozen=True, slots=True)
class Text:
    """What a file holds, and how it is stored."""

    text: str = ""
    encoding: Encoding = field(default_factory=Encoding)
    info: FileInfo | None = None
    """Nothing where there is no file yet."""


@dataclass(frozen=True, slots=True)
class Written:
    """What has become of a file."""

    path: str
    what: Literal["created", "changed", "unchanged"]
    text: str
    diff: str
    note: str = ""
    """What else has changed with it."""


class FileEditor:
    """Edits text in place: encoding, line ends, mode and owner of a file stay as they are."""

    def __init__(self, files: WorkspaceFiles, history: History) -> None:
        self._files = files
        self._history = history

    async def write(
        self,
        path: str,
        text: str,
        *,
        append: bool = False,
        mode: int | None = None,
        mkdir: bool = False,
    ) -> Written:
        r"""Let a file hold this text, or end with it; lines of it end with `\n`.

        Raises:
            FileError: The file is no text, or too large, or there is no folder for it.
        """
        path = self._files.absolute(path)
        before = await self._read(path, new=True)
        if before.info is None and not mkdir:
            await self._check_folder(posixpath.dirname(path), shown(path))
        if dominant_end(before.text) == "\r\n":
            text = unified(text).replace("\n", "\r\n")
        if append:
            text = _ended(before.text) + text
        return await self._write(path, before, text, mode)

    async def replace(self, path: str, old: str, new: str) -> Written:
        """Replace the only place where something stands.

        Raises:
            EditError: It stands nowhere, or in several places.
        """
        path = self._files.absolute(path)
        before = await self._read(path)
        edit = await asyncio.to_thread(editor.str_replace, shown(path), before.text, old, new)
        return await self._write(path, before, edit.text)

    async def undo(self, path: str) -> Written:
        """Take back the last edit.

        Raises:
            EditError: None is known.
        """
        path = self._files.absolute(path)
        before = await self._read(path)
        edit = editor.undo(path, before.text, self._history)
        try:
            return await self._write(path, before, edit.text, remember=False)
        except BaseException:
            self._history.push(path, edit.text)
            raise

    async def _read(self, path: str, *, new: bool = False) -> Text:
        info = await self._find(path)
        if info is None:
            if new:
                return Text()
            raise PathNotFoundError(shown(path))
        if info.kind == "file" and info.size > texts.MAX_FILE_BYTES:
            raise texts.too_large(shown(path), info.size)
        data = await self._files.read(path, limit=texts.MAX_FILE_BYTES)
        found = await asyncio.to_thread(decoded, data)
        if found is None:
            raise texts.is_binary(shown(path))
        return Text(*found, info)

    async def _find(self, path: str) -> FileInfo | None:
        """Look for a file; where a link leads to nothing yet, there is none."""
        try:
            info = (await self._files.stat(path)).followed
        except PathNotFoundError:
            return None
        return None if info.kind == "link" else info

    async def _write(
        self, path: str, before: Text, text: str, mode: int | None = None, *, remember: bool = True
    ) -> Written:
        same_text = before.info is not None and before.text == text
        same_mode = mode is None or (before.info is not None and before.info.mode == mode)
        if same_text and same_mode:
            return Written(path, "unchanged", text, "")
        await self._files.write(path, before.encoding.encode(text), mode=mode)
        if remember and before.info is not None and not same_text:
            self._history.push(path, before.text)
        name = shown(path)
        diff = await asyncio.to_thread(unified_diff, name, before.text, text, CONTEXT)
        what = "created" if before.info is None else "changed"
        return Written(path, what, text, diff, _note(before, text, None if same_mode else mode))

    async def _check_folder(self, folder: str, path: str) -> None:
        try:
            await self._files.stat(folder)
        except PathNotFoundError as error:
            raise FileError(
                f"There is no folder for {path!r}. Make it first, or add --mkdir."
            ) from error


def _ended(text: str) -> str:
    return text + dominant_end(text) if text and not text.endswith("\n") else text


def _note(before: Text, text: str, mode: int | None) -> str:
    """Say what could not stay as it was."""
    notes: list[str] = []
    try:
        text.encode(before.encoding.name)
    except UnicodeEncodeError:
        notes.append(f"in UTF-8 from now on, for {before.encoding.name.upper()} lacks a character")
    if mode is not None:
        notes.append(f"mode {mode:03o}")
    return ", ".join(notes)
