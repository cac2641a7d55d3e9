"""Writes files for agents, in the words that they know."""

from sandbook.actions import WriteAction
from sandbook.errors import FileError, IsAFolderError, PathNotFoundError
from sandbook.files.diff import lines_of
from sandbook.files.workspace import WorkspaceFiles
from sandbook.observations import Failure, FileWritten

MODE = 0o664


async def write(files: WorkspaceFiles, action: WriteAction) -> FileWritten | Failure:
    """Do what an agent's `write` asks for. What cannot be written is told, not raised."""
    path = action.path
    try:
        path = files.absolute(path)
        before = await _before(files, path, action)
        text = with_lines(before or "", action)
        await files.write(path, text, mode=MODE if before is None else None)
    except IsAFolderError:
        return Failure(f"Path is a directory: {path}. You can only write to files")
    except UnicodeDecodeError:
        return Failure(f"File could not be decoded as utf-8: {path}")
    except FileError as error:
        return Failure(str(error))
    return FileWritten(path, text, is_new=before is None)


def with_lines(text: str, action: WriteAction) -> str:
    """Put lines in the place of others."""
    lines = lines_of(text)
    new = action.content if action.is_exact else f"{action.content}\n"
    after = lines[action.end :] if action.end != -1 else []
    return "".join([*lines[: action.start], new, *after])


async def _before(files: WorkspaceFiles, path: str, action: WriteAction) -> str | None:
    """Read what is there, as far as it will stay; nothing if there is no file."""
    try:
        info = (await files.stat(path)).followed
    except PathNotFoundError:
        return None
    if info.kind == "folder":
        raise IsAFolderError(path)
    is_whole = action.start == 0 and action.end == -1
    return "" if is_whole else (await files.read(path)).decode()
