"""Reads files for agents, in the words that they know."""

import asyncio
import base64
import posixpath

from sandbook.actions import ReadAction
from sandbook.agents.editing import Editor
from sandbook.errors import FileError, IsAFolderError, PathNotFoundError
from sandbook.files.diff import lines_of
from sandbook.files.mime import is_binary
from sandbook.files.workspace import WorkspaceFiles
from sandbook.observations import Failure, FileRead

BINARY = "ERROR_BINARY_FILE"
MEDIA = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".pdf": "application/pdf",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".ogg": "audio/ogg",
}
"""What is sent as a data URL, and as what: the same wherever the server runs."""
MEDIA_LIMIT = 32 << 20
HEAD = 8192


async def read(files: WorkspaceFiles, editor: Editor, action: ReadAction) -> FileRead | Failure:
    """Do what an agent's `read` asks for. What cannot be read is told, not raised."""
    path = action.path
    try:
        path = files.absolute(path)
        if action.numbered:
            return await _numbered(files, editor, action)
        return FileRead(path, await _content(files, path, action.start, action.end))
    except PathNotFoundError:
        why = f"File not found: {path}. Your current working directory is {files.cwd}."
    except IsAFolderError:
        why = f"Path is a directory: {path}. You can only read files"
    except UnicodeDecodeError:
        why = f"File could not be decoded as utf-8: {path}."
    except FileError as error:
        why = str(error)
    return Failure(why)


def lines_between(text: str, start: int, end: int) -> str:
    """Choose lines as agents do: from 0, without the last; a range is moved to where lines are."""
    lines = lines_of(text)
    if end == -1:
        return "".join(lines[start:])
    begin = max(0, min(start, len(lines) - 2))
    return "".join(lines[begin : max(end, begin + 1)])


async def _numbered(
    files: WorkspaceFiles, editor: Editor, action: ReadAction
) -> FileRead | Failure:
    if await _is_no_text(files, files.absolute(action.path)):
        return Failure(BINARY)
    content = await editor.shown(files, action.path, action.view_range)
    return FileRead(action.path, content, numbered=True)


async def _content(files: WorkspaceFiles, path: str, start: int, end: int) -> str:
    suffix = posixpath.splitext(path)[1].lower()
    if suffix in MEDIA:
        return await _data_url(files, path, suffix)
    data = await files.read(path)
    if is_binary(data[:HEAD]):  # looks at so little that a thread would take longer
        raise FileError(BINARY)
    return lines_between(data.decode(), start, end)


async def _data_url(files: WorkspaceFiles, path: str, suffix: str) -> str:
    data = await files.read(path, limit=MEDIA_LIMIT)
    encoded = await asyncio.to_thread(base64.b64encode, data)
    return f"data:{MEDIA[suffix]};base64,{encoded.decode()}"


async def _is_no_text(files: WorkspaceFiles, path: str) -> bool:
    """Look into a file; what is no file is for others to say."""
    try:
        head = await files.read(path, length=HEAD)
    except FileError:
        return False
    return is_binary(head)
