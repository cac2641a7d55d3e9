"""A sandbox as Jupyter sees its own files, so that JupyterLab can mount it as a drive."""

import asyncio
import base64
import binascii
import hashlib
from datetime import datetime, timezone
from mimetypes import guess_type
from typing import Any, NoReturn

import nbformat
from jupyter_server.services.contents.manager import AsyncContentsManager, copy_pat
from traitlets import Bool, Instance, List, Unicode

from sandbook.errors import (
    FileError,
    InvalidRequestError,
    IsAFolderError,
    NotAFileError,
    NotAFolderError,
    PathNotFoundError,
    SideLostError,
)
from sandbook.files.entries import FileInfo
from sandbook.files.paths import shown
from sandbook.files.workspace import WorkspaceFiles
from sandbook_server.access import Access, access_from
from sandbook_server.checkpoints import SandboxCheckpoints, absolute
from sandbook_server.partial_files import LAST, PartialFiles

NANOSECONDS = 1e9
SHOWN = {"file", "folder"}
"""Pipes, sockets, devices and links to nothing are no contents."""


class SandboxContents(AsyncContentsManager):
    """Serves all files of a sandbox: the root of the drive is the root of the machine.

    What Jupyter's own class does with names, copies and checkpoints is left to it.
    """

    allow_hidden = Bool(True)  # noqa: FBT003 -- a trait
    hide_globs = List(Unicode(), [])
    checkpoints_class = SandboxCheckpoints
    files = Instance(WorkspaceFiles)
    parts = Instance(PartialFiles)

    _access: Access | None = None

    async def get(
        self,
        path: str,
        content: bool = True,  # noqa: FBT001, FBT002 -- Jupyter's
        type: str | None = None,  # noqa: A002 -- Jupyter's
        format: str | None = None,  # noqa: A002 -- Jupyter's
        require_hash: bool = False,  # noqa: FBT001, FBT002 -- Jupyter's
    ) -> dict[str, Any]:
        """Tell about a file or a folder, with its content if that is wanted."""
        path = path.strip("/")
        info = (await self.files.stat(absolute(path))).followed
        if info.kind not in SHOWN:
            raise _no_content(info, absolute(path))
        await self._learn_access()
        model = self._model(path, info)
        _check_type(model, type)
        if type in {"file", "notebook"}:
            model["type"] = type
        if model["type"] == "directory":
            return await self._with_entries(model) if content else model
        if content:
            await self._fill(model, format, require_hash=require_hash)
        elif require_hash:
            model.update(await self._hash_of_file(path))
        return model

    async def save(self, model: dict[str, Any], path: str = "") -> dict[str, Any]:
        """Write a file, or make a folder."""
        path = path.strip("/")
        kind = model.get("type")
        if kind not in {"file", "notebook", "directory"}:
            raise InvalidRequestError("Say the `type`: file, notebook or directory.")
        if kind == "directory":
            await self.files.mkdir(absolute(path))
            return await self.get(path, content=False)
        chunk = _checked_chunk(model)
        data, message = await asyncio.to_thread(_bytes_from, model)
        if chunk is None:
            await self.files.write(absolute(path), data)
        elif so_far := await self.parts.take(self.files, absolute(path), chunk, data):
            return self._model(path, so_far)
        if kind == "notebook" and not await self.checkpoints.list_checkpoints(path):
            await self.create_checkpoint(path)
        saved = await self.get(path, content=False)
        return {**saved, "message": message} if message else saved

    async def copy(self, from_path: str, to_path: str | None = None) -> dict[str, Any]:
        """Copy a file of any size, byte by byte; Jupyter's own copies go through JSON."""
        source = from_path.strip("/")
        folder, _, name = source.rpartition("/")
        target = folder if to_path is None else to_path.strip("/")
        if await self.dir_exists(target):
            name = copy_pat.sub(".", name)
            target += "/" + await self.increment_filename(name, target, insert="-Copy")
        async with self.files.open(absolute(source)) as reader:
            mode = reader.info.mode
            await self.files.write_stream(absolute(target), reader.pieces, mode=mode)
        return await self.get(target, content=False)

    async def delete_file(self, path: str) -> None:
        """Remove a file, or a folder with all that is in it: there is no trash here."""
        await self.files.remove(absolute(path), recursive=True)

    async def rename_file(self, old_path: str, new_path: str) -> None:
        """Give something another name that is still free."""
        await self.files.move(absolute(old_path), absolute(new_path))

    async def dir_exists(self, path: str) -> bool:
        """Say whether there is such a folder."""
        return await self._kind(path) == "folder"

    async def file_exists(self, path: str) -> bool:
        """Say whether there is such a thing that is no folder."""
        return await self._kind(path) not in {"", "folder"}

    async def is_hidden(self, path: str) -> bool:
        """Hide nothing: the sandbox is shown as it is."""
        del path
        return False

    def emit(self, data: dict[str, Any]) -> None:
        """Keep quiet: who listens to Jupyter's contents takes the paths for files of the server."""

    async def _kind(self, path: str) -> str:
        try:
            return (await self.files.stat(absolute(path))).followed.kind
        except SideLostError:
            raise
        except FileError:
            return ""

    async def _learn_access(self) -> None:
        """Ask once who we are in the sandbox."""
        if self._access is not None:
            return
        try:
            status, mounts = [
                (await self.files.read(f"/proc/self/{name}")).decode("utf-8", "replace")
                for name in ("status", "mountinfo")
            ]
            self._access = access_from(status, mounts)
        except SideLostError:
            raise
        except (FileError, ValueError, KeyError, IndexError):
            self._access = Access()

    def _model(self, path: str, info: FileInfo) -> dict[str, Any]:
        name = path.rpartition("/")[2]
        moment = datetime.fromtimestamp(info.modified_ns / NANOSECONDS, timezone.utc)
        is_folder = info.kind == "folder"
        kind = "notebook" if name.endswith(".ipynb") else "file"
        return {
            "name": name,
            "path": path,
            "type": "directory" if is_folder else kind,
            "created": moment,
            "last_modified": moment,
            "size": None if is_folder else info.size,
            "writable": (self._access or Access()).may_write(absolute(path), info),
            "mimetype": guess_type(name)[0] if not is_folder and kind == "file" else None,
            "content": None,
            "format": None,
            "hash": None,
            "hash_algorithm": None,
        }

    async def _with_entries(self, model: dict[str, Any]) -> dict[str, Any]:
        path = model["path"]
        entries = await self.files.list_folder(absolute(path))
        content = [
            self._model(f"{path}/{entry.name}".lstrip("/"), entry.followed)
            for entry in entries
            if entry.followed.kind in SHOWN
        ]
        return {**model, "content": content, "format": "json"}

    async def _fill(self, model: dict[str, Any], form: str | None, *, require_hash: bool) -> None:
        data = await self.files.read(absolute(model["path"]))
        if require_hash:
            model.update(_hash(await asyncio.to_thread(hashlib.sha256, data)))
        if model["type"] == "notebook":
            content, message = await asyncio.to_thread(_notebook_from, data, model["path"])
            model.update(content=content, format="json")
            if message:
                model["message"] = message
            return
        content, form = await asyncio.to_thread(_content_from, data, form, model["path"])
        types = {"text": "text/plain", "base64": "application/octet-stream"}
        model.update(content=content, format=form, mimetype=model["mimetype"] or types[form])

    async def _hash_of_file(self, path: str) -> dict[str, str]:
        digest = hashlib.sha256()
        async with self.files.open(absolute(path)) as reader:
            async for piece in reader.pieces:
                await asyncio.to_thread(digest.update, piece)
        return _hash(digest)


def _no_content(info: FileInfo, path: str) -> FileError:
    error = PathNotFoundError if info.kind == "link" else NotAFileError
    return error(shown(path))


def _checked_chunk(model: dict[str, Any]) -> int | None:
    chunk = model.get("chunk")
    is_number = isinstance(chunk, int) and (chunk > 0 or chunk == LAST)
    if chunk is not None and not is_number:
        raise InvalidRequestError("`chunk` is to be 1, 2, 3 and so on, and -1 for the last.")
    if chunk is not None and model["type"] != "file":
        raise InvalidRequestError("Only a `file` can come in chunks.")
    return chunk


def _check_type(model: dict[str, Any], wanted: str | None) -> None:
    is_folder = model["type"] == "directory"
    if is_folder and wanted not in {None, "directory"}:
        raise IsAFolderError(shown(absolute(model["path"])))
    if wanted == "directory" and not is_folder:
        raise NotAFolderError(shown(absolute(model["path"])))


def _hash(digest: Any) -> dict[str, str]:
    return {"hash": digest.hexdigest(), "hash_algorithm": "sha256"}


def _content_from(data: bytes, form: str | None, path: str) -> tuple[str, str]:
    if form != "base64":
        try:
            return data.decode("utf-8"), "text"
        except UnicodeDecodeError as error:
            if form == "text":
                message = f"{shown(absolute(path))!r} is not UTF-8. Ask for it as base64."
                raise InvalidRequestError(message) from error
    return base64.b64encode(data).decode("ascii"), "base64"


def _notebook_from(data: bytes, path: str) -> tuple[Any, str]:
    """Read a notebook. None of its cells is trusted: whoever wrote it may be anybody."""
    problem: dict[str, Any] = {}
    try:
        text = data.decode("utf-8")
        content = nbformat.reads(text, as_version=4, capture_validation_error=problem)
    except Exception as error:  # noqa: BLE001 -- nbformat raises what it likes for foreign JSON
        _refuse_notebook(shown(absolute(path)), error)
    return content, _said(problem)


def _bytes_from(model: dict[str, Any]) -> tuple[bytes, str]:
    content = model.get("content")
    if content is None:
        raise InvalidRequestError("There is no `content` to save.")
    if model["type"] == "notebook":
        return _notebook_bytes(content)
    if not isinstance(content, str) or model.get("format") not in {"text", "base64"}:
        raise InvalidRequestError("Say the `format` of the content: text or base64.")
    try:
        if model["format"] == "text":
            return content.encode("utf-8"), ""
        return base64.b64decode(content.encode("ascii"), validate=True), ""
    except (UnicodeEncodeError, binascii.Error) as error:
        raise InvalidRequestError(f"The content is no {model['format']}: {error}.") from error


def _notebook_bytes(content: Any) -> tuple[bytes, str]:
    problem: dict[str, Any] = {}
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise InvalidRequestError("The content is no notebook: it has no list of cells.")
    try:
        notebook = nbformat.from_dict(content)
        text = nbformat.writes(notebook, capture_validation_error=problem)
    except Exception as error:  # noqa: BLE001 -- nbformat raises what it likes for foreign JSON
        _refuse_notebook("The content", error)
    return f"{text}\n".encode(), _said(problem)


def _refuse_notebook(what: str, error: Exception) -> NoReturn:
    reason = str(error).strip().partition("\n")[0] or type(error).__name__
    raise InvalidRequestError(f"{what} is no notebook: {reason}") from error


def _said(problem: dict[str, Any]) -> str:
    error = problem.get("ValidationError")
    return f"Notebook validation failed: {error.message}" if error else ""
