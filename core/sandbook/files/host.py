"""Files of this machine, in a folder where a sandbox may write, too.

A notebook's folder is the workspace of its sandbox. So whoever is inside can put a link there that
leads to any file of this machine, or change a folder into a link at any moment. Below that folder
no link is followed; elsewhere the user alone decides what is a link.
"""

import contextlib
import errno
import os
import secrets
import stat
import tarfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, BinaryIO, NoReturn

from sandbook.errors import AlreadyExistsError, FileError
from sandbook.files.paths import shown

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
PIECE = 1 << 20


@contextlib.contextmanager
def host_errors(path: Path) -> Generator[None, None, None]:
    """Tell what went wrong with a file of this machine as one of our errors."""
    name = shown(str(path))
    try:
        yield
    except FileExistsError as error:
        raise AlreadyExistsError(name) from error
    except OSError as error:
        reason = "a link is not followed here" if error.errno == errno.ELOOP else error.strerror
        raise FileError(f"{name!r} on this machine: {reason or error}.") from error


class HostPath:
    """A path of this machine, reached without following a link below the shared folder."""

    def __init__(self, path: str, shared: Path) -> None:
        whole = Path(os.path.abspath(shared / Path(path).expanduser()))  # noqa: PTH100 -- keeps links
        self.path = _below(shared, whole)
        self._shared = shared

    @property
    def name(self) -> str:
        """Its last part."""
        return self.path.name

    def child(self, name: str) -> "HostPath":
        """Name something in this folder."""
        return HostPath(str(self.path / name), self._shared)

    @property
    def is_folder(self) -> bool:
        """Tell whether it is a folder."""
        try:
            return stat.S_ISDIR(self.stat().st_mode)
        except FileError:
            return False

    def stat(self) -> os.stat_result:
        """Look at it; a link is looked at itself below the shared folder.

        Raises:
            FileError: It is not there, or cannot be reached.
        """
        with host_errors(self.path), self._parent() as folder:
            return os.stat(self.name or "/", dir_fd=folder, follow_symlinks=not self._is_shared)

    def open(self) -> IO[bytes]:
        """Open an ordinary file.

        Raises:
            FileError: It is something else.
        """
        with host_errors(self.path), self._parent() as folder:
            flags = READ if self._is_shared else READ & ~os.O_NOFOLLOW
            file = os.fdopen(os.open(self.name, flags, dir_fd=folder), "rb")
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise FileError(f"{shown(str(self.path))!r} on this machine is no ordinary file.")
        return file

    @contextlib.contextmanager
    def new(self, *, replace: bool, is_program: bool = False) -> Generator[IO[bytes], None, None]:
        """Write a file: all of it is there in the end, or nothing has changed.

        Raises:
            FileError: It is there already and was not to be replaced, or cannot be written.
        """
        mode = 0o777 if is_program else 0o666
        temporary = f".sandbook-{secrets.token_hex(8)}"
        with host_errors(self.path), self._parent() as folder:
            if not replace:  # keeps the name for us; what is there is never touched
                os.close(os.open(self.name, WRITE, mode, dir_fd=folder))
            try:
                with os.fdopen(os.open(temporary, WRITE, mode, dir_fd=folder), "wb") as file:
                    yield file
                os.replace(temporary, self.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                for name in (temporary, *([] if replace else [self.name])):
                    with contextlib.suppress(OSError):
                        os.unlink(name, dir_fd=folder)
                raise

    def tar(self, result: BinaryIO) -> None:
        """Write a folder as tar, in a thread; links that are in it stay links."""
        with tarfile.open(fileobj=result, mode="w|", format=tarfile.GNU_FORMAT) as tar:
            for name, found, folder in self.walk():
                with host_errors(self.path / name):
                    _add(tar, name, found, folder)

    def walk(self) -> Iterator[tuple[str, os.stat_result, int]]:
        """Find what is in a folder: folders, files, links; with the folder that each is in."""
        with host_errors(self.path), self._opened() as top:
            for root, folders, names, folder in os.fwalk(".", dir_fd=top, onerror=_refuse):
                for name in (*folders, *names):
                    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    if stat.S_IFMT(found.st_mode) in {stat.S_IFDIR, stat.S_IFREG, stat.S_IFLNK}:
                        yield os.path.normpath(f"{root}/{name}"), found, folder

    @contextlib.contextmanager
    def _opened(self) -> Generator[int, None, None]:
        with self._parent() as folder:
            flags = FOLDER | (os.O_NOFOLLOW if self._is_shared else 0)
            opened = os.open(self.name or "/", flags, dir_fd=folder)
        try:
            yield opened
        finally:
            os.close(opened)

    @property
    def _is_shared(self) -> bool:
        return self.path.is_relative_to(self._shared) and self.path != self._shared

    @contextlib.contextmanager
    def _parent(self) -> Generator[int, None, None]:
        """Go down to the folder that it is in, step by step where somebody else may write."""
        shared = self._shared if self._is_shared else self.path.parent
        folder = os.open(shared, FOLDER)
        try:
            for part in self.path.parent.relative_to(shared).parts:
                inner = os.open(part, FOLDER | os.O_NOFOLLOW, dir_fd=folder)
                os.close(folder)
                folder = inner
            yield folder
        finally:
            os.close(folder)


def _refuse(error: OSError) -> NoReturn:
    """Leave no part of a folder out silently."""
    raise error


def _below(shared: Path, path: Path) -> Path:
    """Name a path by way of the shared folder if it leads through it under another name."""
    for folder in reversed(path.parents):
        with contextlib.suppress(OSError):
            if folder.samefile(shared):
                return shared / path.relative_to(folder)
    return path


def _add(tar: tarfile.TarFile, name: str, found: os.stat_result, folder: int) -> None:
    member = tarfile.TarInfo(name)
    member.mode, member.mtime = stat.S_IMODE(found.st_mode) & 0o777, int(found.st_mtime)
    last = name.rpartition("/")[2]
    if stat.S_ISDIR(found.st_mode):
        member.type = tarfile.DIRTYPE
        tar.addfile(member)
    elif stat.S_ISLNK(found.st_mode):
        member.type, member.linkname = tarfile.SYMTYPE, os.readlink(last, dir_fd=folder)
        tar.addfile(member)
    else:
        with os.fdopen(os.open(last, READ, dir_fd=folder), "rb") as file:
            member.size = os.fstat(file.fileno()).st_size
            tar.addfile(member, file)
