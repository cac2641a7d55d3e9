"""Jupyter's own files API over folders that sandboxes write to: it follows no link out of the root.

A sandbox can put any link into its workspace. JupyterLab would show the file behind it, save into
it, and copy it into a checkpoint beside the link, where the sandbox reads it.
"""

import base64
import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Generator
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Any

from anyio.to_thread import run_sync
from jupyter_core.paths import is_hidden
from jupyter_server.base.handlers import AuthenticatedFileHandler
from jupyter_server.services.contents.filecheckpoints import AsyncFileCheckpoints
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError
from traitlets import default

from sandbook_server.linked_checkpoints import LinkSafeCheckpoints
from sandbook_server.real_paths import (
    NEW_FILE,
    NEW_FOLDER,
    PERMISSIONS,
    copy_folder,
    is_inside,
    opened_folder,
    real_path,
)

FOLLOWED = (
    "{!r} is a link that leads out of this server's folder, so it is not followed: a sandbox may "
    "have made it. Open what it leads to where it is, or allow it: SandbookApp.follow_links = True."
)


class LinkSafeFiles:
    """What a contents manager does with files, without following links out of its root."""

    root_dir: str
    allow_hidden: bool
    perm_to_403: Callable[..., contextlib.AbstractContextManager[None]]

    def _get_os_path(self, path: str) -> str:
        """Give the path of a file, unless a link leads out."""
        os_path: str = super()._get_os_path(path)  # type: ignore[misc]
        if not is_inside(os_path, self.root_dir):
            raise HTTPError(403, FOLLOWED.format(path))
        return os_path

    async def get(
        self,
        path: str,
        content: bool = True,  # noqa: FBT001, FBT002
        type: str | None = None,  # noqa: A002
        format: str | None = None,  # noqa: A002
        require_hash: bool = False,  # noqa: FBT001, FBT002
    ) -> dict[str, Any]:
        """Give a file or a folder; a link that leads out is shown, but not opened."""
        if not content:
            link = await run_sync(self._link_out, path)
            if link is not None:
                return link
        return await super().get(path, content, type, format, require_hash)  # type: ignore[misc]

    async def is_hidden(self, path: str) -> bool:
        """Say whether a name is hidden; asked before anything is done with it."""
        link = await run_sync(self._link_out, path)
        if link is not None:
            return link["name"].startswith(".")
        return await super().is_hidden(path)  # type: ignore[misc]

    def _link_out(self, path: str) -> dict[str, Any] | None:
        """Describe a link that leads out, so that a person sees it in its folder."""
        parent, _, name = path.strip("/").rpartition("/")
        link = Path(self._get_os_path(parent), name)
        if not link.is_symlink() or is_inside(link, self.root_dir):
            return None
        made = datetime.fromtimestamp(link.lstat().st_mtime, timezone.utc)
        nothing = dict.fromkeys(("content", "format", "mimetype", "size", "hash", "hash_algorithm"))
        about = {"name": name, "path": path.strip("/"), "type": "file", "writable": False}
        return {**about, "created": made, "last_modified": made, **nothing}

    @contextlib.contextmanager
    def open(self, os_path: str, *args: Any, **kwargs: Any) -> Generator[IO[Any], None, None]:
        """Open a file; what was a file a moment ago may be a link by now."""
        kwargs["opener"] = self._open_inside
        with self.perm_to_403(os_path), open(os_path, *args, **kwargs) as file:  # noqa: PTH123
            yield file

    @contextlib.contextmanager
    def atomic_writing(
        self, os_path: str, *, text: bool = True, encoding: str = "utf-8", **kwargs: Any
    ) -> Generator[IO[Any], None, None]:
        """Write a file as a whole, beside its place and then into it.

        Jupyter's own way keeps the old content in a file whose name can be guessed, and follows a
        link that waits there.
        """
        mode = "w" if text else "wb"
        options: dict[str, Any] = {"encoding": encoding, "newline": "\n"} if text else {}
        options |= kwargs
        options.pop("log", None)
        with self.perm_to_403(os_path):
            target = real_path(os_path)
        with self.perm_to_403(os_path), self._folder_of(target) as folder:
            if target.exists() and not os.access(target.parent, os.W_OK):
                with open(target, mode, opener=self._open_inside, **options) as file:
                    yield file
                return
            draft = f".~{secrets.token_hex(8)}"

            def create(_: str, flags: int) -> int:
                flags |= os.O_EXCL | os.O_NOFOLLOW
                return os.open(draft, flags, NEW_FILE, dir_fd=folder)

            try:
                with open(draft, mode, opener=create, **options) as file:
                    yield file
                    file.flush()
                    _look_like(file.fileno(), target.name, folder)
                    os.fsync(file.fileno())
                os.rename(draft, target.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(draft, dir_fd=folder)
                raise

    async def delete_file(self, path: str) -> None:
        """Delete a file or a folder; of a link, only the link, wherever it leads."""
        parent, _, name = path.strip("/").rpartition("/")
        link = Path(self._get_os_path(parent), name)
        if await run_sync(link.is_symlink):
            with self.perm_to_403(str(link)):
                await run_sync(link.unlink)
            return
        await super().delete_file(path)  # type: ignore[misc]

    async def rename_file(self, old_path: str, new_path: str) -> None:
        """Move a file or a folder; of a link, only the link."""
        try:
            await run_sync(self._rename, old_path.strip("/"), new_path.strip("/"))
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            await super().rename_file(old_path, new_path)  # type: ignore[misc]

    def _rename(self, old_path: str, new_path: str) -> None:
        old, new = Path(self._get_os_path(old_path)), Path(self._get_os_path(new_path))
        if not self.allow_hidden and (self._hides(old) or self._hides(new)):
            raise HTTPError(400, f"Cannot rename the hidden file {old_path!r}.")
        with self.perm_to_403(), self._folder_of(old) as source, self._folder_of(new) as target:
            try:
                found = os.stat(old.name, dir_fd=source, follow_symlinks=False)
            except FileNotFoundError as error:
                raise HTTPError(404, f"There is no {old_path!r}.") from error
            with contextlib.suppress(FileNotFoundError):
                there = os.stat(new.name, dir_fd=target, follow_symlinks=False)
                if not os.path.samestat(found, there):
                    raise HTTPError(409, f"There is a {new_path!r} already.")
            os.rename(old.name, new.name, src_dir_fd=source, dst_dir_fd=target)

    def _hides(self, path: Path) -> bool:
        return is_hidden(str(path), self.root_dir)

    async def _save_directory(self, os_path: str, model: dict[str, Any], path: str = "") -> None:
        """Make a folder, if there is none."""
        is_hidden_name = not self.allow_hidden and self._hides(Path(os_path))
        if is_hidden_name or not await run_sync(self._make_folder, Path(os_path)):
            await super()._save_directory(os_path, model, path)  # type: ignore[misc]

    def _make_folder(self, folder: Path) -> bool:
        """Make a folder; say whether it was not there before."""
        with self.perm_to_403(str(folder)), self._folder_of(folder) as parent:
            try:
                os.mkdir(folder.name, NEW_FOLDER, dir_fd=parent)
            except FileExistsError:
                return False
        return True

    async def _save_large_file(self, os_path: str, content: str, format: str) -> None:  # noqa: A002
        """Add a part to a file that is uploaded in parts."""
        if format not in {"text", "base64"}:
            raise HTTPError(400, "The format of a part of a file is 'text' or 'base64'.")
        try:
            data = (
                content.encode() if format == "text" else base64.b64decode(content, validate=True)
            )
        except ValueError as error:
            raise HTTPError(400, f"This part of {Path(os_path).name!r} cannot be read.") from error
        with self.open(os_path, "ab") as file:
            await run_sync(file.write, data)

    async def _copy_dir(
        self, from_path: str, to_path_original: str, to_name: str, to_path: str
    ) -> dict[str, Any]:
        """Copy a folder with its links as they are: not what they lead to."""
        await run_sync(self._copy_folder, from_path.strip("/"), to_path_original, to_name)
        return await self.get(to_path, content=False)

    def _copy_folder(self, from_path: str, to_path: str, to_name: str) -> None:
        old = Path(self._get_os_path(from_path))
        new = Path(self._get_os_path(to_path.strip("/"))) / to_name
        with self.perm_to_403(), self._folder_of(old) as source, self._folder_of(new) as target:
            try:
                copy_folder(old.name, source, to_name, target)
            except OSError as error:
                raise HTTPError(400, f"Cannot copy {from_path!r}: {error.strerror}.") from error

    def _open_inside(self, path: str, flags: int) -> int:
        """Open a file in a folder that is inside for certain, and not through a last link."""
        target = real_path(path)
        with self._folder_of(target) as folder:
            flags |= os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe would hold everybody up
            descriptor = os.open(target.name, flags, NEW_FILE, dir_fd=folder)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise HTTPError(400, f"{target.name!r} is not a regular file.")
        return descriptor

    @contextlib.contextmanager
    def _folder_of(self, target: Path) -> Generator[int, None, None]:
        """Open the folder that something is in, and see where that really is."""
        with contextlib.ExitStack() as stack:
            try:
                folder = stack.enter_context(opened_folder(target.parent, self.root_dir))
            except PermissionError as error:
                raise HTTPError(403, FOLLOWED.format(target.name)) from error
            yield folder


def _look_like(descriptor: int, name: str, folder: int) -> None:
    """Give a new file the mode and, where we may, the owner of the one that it replaces."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, found.st_uid, found.st_gid)
    os.fchmod(descriptor, found.st_mode & PERMISSIONS)


class LinkSafeFileHandler(AuthenticatedFileHandler):
    """Serves a file as it is, below `files/`."""

    def validate_absolute_path(self, root: str, absolute_path: str) -> str:
        """Refuse a path that leads out; give it without links."""
        if not is_inside(absolute_path, root):
            raise HTTPError(403, FOLLOWED.format(self.path))
        return super().validate_absolute_path(root, str(real_path(absolute_path)))

    @classmethod
    def get_content(
        cls, abspath: str, start: int | None = None, end: int | None = None
    ) -> Generator[bytes, None, None]:
        """Read the file, if its path still leads to where it led a moment ago."""
        descriptor = os.open(abspath, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            opened = Path(f"/proc/self/fd/{descriptor}")
            if opened.readlink() != Path(abspath):
                raise HTTPError(403, FOLLOWED.format(Path(abspath).name))
            yield from super().get_content(str(opened), start, end)
        finally:
            os.close(descriptor)


class LinkSafeContentsManager(LinkSafeFiles, AsyncLargeFileManager):
    """Jupyter's own contents manager, for a folder that sandboxes write to."""

    @default("files_handler_class")
    def _default_files_handler_class(self) -> type[LinkSafeFileHandler]:
        return LinkSafeFileHandler

    @default("checkpoints_class")
    def _default_checkpoints_class(self) -> type[AsyncFileCheckpoints]:
        return LinkSafeCheckpoints
