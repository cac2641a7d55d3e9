"""The function `file_editor` that Python code of agents calls: our own editor, inside the sandbox.

It travels there (`luggage.py`) with the modules that it imports, so those need nothing but the
standard library. Files are those of the machine that it runs on, with the rights of its user.
"""

import asyncio
import contextlib
import json
import os
import secrets
import stat
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from sandbook.actions import EditAction
from sandbook.agents.editing import FAILED, Editor
from sandbook.errors import FileError, NotAFileError, PathNotFoundError
from sandbook.files.editor_texts import MAX_FILE_BYTES
from sandbook.files.encoding import decoded
from sandbook.files.entries import KINDS, FileInfo
from sandbook.files.history import History
from sandbook.observations import FileEdited

_editor = Editor(History())


def file_editor(  # noqa: PLR0913, PLR0917 -- as agents call it
    command: str,
    path: str,
    file_text: str | None = None,
    view_range: list[int] | None = None,
    old_str: str | None = None,
    new_str: str | None = None,
    insert_line: int | None = None,
    enable_linting: bool = False,  # noqa: ARG001, FBT001, FBT002 -- callers may name it
) -> str:
    """View, create or edit a file, or take the last edit back.

    Gives what came of it as a line of JSON between two lines with a number that nobody can guess,
    so that a program can find it in whatever else was printed.
    """
    action = EditAction(path, command, file_text, old_str, new_str, insert_line, view_range)
    before = _text_of(Path(path))
    edited = _wait_for(action)
    failed = edited.content.startswith(FAILED)
    is_edit = not failed and command != "view"
    told = {
        "output": "" if failed else edited.content,
        "error": edited.content.removeprefix(FAILED) if failed else None,
        "path": path,
        "prev_exist": command != "create",
        "old_content": before if is_edit else None,
        "new_content": _text_of(Path(path)) if is_edit else None,
        "formatted_output_and_error": edited.content,
    }
    mark = f"oh_aci_output_{secrets.token_hex(16)}"
    return f"<{mark}>\n{json.dumps(told)}\n</{mark}>"


def _wait_for(action: EditAction) -> FileEdited:
    """Do one step in a thread: an event loop may run in this one already."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, _editor.edit(FilesHere(), action)).result()


class FilesHere:
    """Files of this machine, as the editor wants them. Whoever asks has nothing else to do."""

    def absolute(self, path: str) -> str:
        """Give the whole path of a file."""
        return str(Path.cwd() / path)

    async def stat(self, path: str) -> FileInfo:
        """Tell about a file, a folder, or a link and what it leads to."""
        return _info(Path(path))

    async def list_folder(self, path: str = ".") -> list[FileInfo]:
        """Tell what is in a folder."""
        return _list(Path(path))

    async def read(self, path: str) -> bytes:
        """Read a file."""
        return _read(Path(path))

    async def write(self, path: str, data: bytes | str) -> None:
        """Write a file; one that is there keeps its mode and owner."""
        _write(Path(path), data.encode() if isinstance(data, str) else data)


def _text_of(path: Path) -> str | None:
    """Give what a file holds, if it is text of a size that can be edited."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None
        read = decoded(_read(path))
    except (FileError, OSError):
        return None
    return read[0] if read else None


def _read(path: Path) -> bytes:
    """Read an ordinary file; from anything else, what is to be read might never come."""
    with _errors(path):
        if not stat.S_ISREG(path.stat().st_mode):
            raise NotAFileError(str(path))
        return path.read_bytes()


def _write(path: Path, data: bytes) -> None:
    with _errors(path):
        path.write_bytes(data)


def _list(path: Path) -> list[FileInfo]:
    with _errors(path):
        return [replace(_info(each), name=each.name) for each in path.iterdir()]


def _info(path: Path) -> FileInfo:
    with _errors(path):
        info = _info_from(path, path.lstat())
    with contextlib.suppress(OSError):
        if info.kind == "link":
            return replace(info, leads_to=_info_from(path, path.stat()))
    return info


def _info_from(path: Path, found: os.stat_result) -> FileInfo:
    return FileInfo(
        name=str(path),
        kind=KINDS.get(stat.S_IFMT(found.st_mode), "device"),
        size=found.st_size,
        mode=stat.S_IMODE(found.st_mode),
        uid=found.st_uid,
        gid=found.st_gid,
        modified_ns=found.st_mtime_ns,
    )


@contextlib.contextmanager
def _errors(path: Path) -> Generator[None, None, None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise PathNotFoundError(str(path)) from error
    except OSError as error:
        raise FileError(str(error)) from error
