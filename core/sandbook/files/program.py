"""A program, not a module: does inside a sandbox what `files.sh` does, for what is asked most.

    python3 -I -S -c "$(program)" WORKSPACE

It speaks the same language and gives the same answers, without starting a program for each step.
Used where the sandbox has a python3, from 3.7 on; needs the standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import grp
import os
import pwd
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from typing import Any

PIECE = 1 << 18
PERMISSIONS = 0o1777
"""Of a mode, what is kept: set-user-ID and set-group-ID bits are refused in a sandbox."""
REPLY = 1


class Refusal(Exception):  # noqa: N818 -- an answer
    """What is not done; the words of `files.sh`."""


class Request:
    """What comes in: words and pieces."""

    def __init__(self) -> None:
        self._rest = b""
        self.nonce = b""

    def word(self) -> bytes:
        """Read up to a NUL. An input that ends, ends us."""
        while b"\0" not in self._rest:
            self._rest += self._more()
        word, _, self._rest = self._rest.partition(b"\0")
        return word

    def pieces(self) -> Iterator[bytes]:
        """Give the pieces of a file; each is answered when it was dealt with."""
        size = int(self.word())
        while size:
            while size:
                self._rest = self._rest or self._more()
                piece, self._rest = self._rest[:size], self._rest[size:]
                size -= len(piece)
                yield piece
            reply(b".")
            size = int(self.word())

    def _more(self) -> bytes:
        data = os.read(0, PIECE)
        if not data:
            sys.exit(1)
        return data


def reply(data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(REPLY, view) :]


def name_of(find: Callable[[int], Any], number: int) -> bytes:
    """Find the name of a user or a group."""
    try:
        return os.fsencode(find(number)[0])
    except KeyError:
        return b"UNKNOWN"


def record(letter: bytes, name: bytes, found: os.stat_result) -> bytes:
    """Tell about a file, as `stat` does there. Names of users may hold spaces, but no colon."""
    return b"%b %x %d %d %d %d.%09d %b:%b:%b\0" % (
        letter,
        found.st_mode,
        found.st_size,
        found.st_uid,
        found.st_gid,
        found.st_mtime_ns // 10**9,
        found.st_mtime_ns % 10**9,
        name_of(pwd.getpwuid, found.st_uid),
        name_of(grp.getgrgid, found.st_gid),
        name,
    )


def do_stat(_: Request, path: bytes) -> None:
    """Tell about a file; of a link also where it leads, and what is there."""
    found = os.lstat(path)
    told = record(b"S", path, found)
    if stat.S_ISLNK(found.st_mode):
        told += b"T %b\0" % os.readlink(path)
        with contextlib.suppress(OSError):
            told += record(b"F", path, os.stat(path))
    reply(told)


def do_list(_: Request, path: bytes) -> None:
    """Tell about everything in a folder that is still there when its turn comes."""
    if not stat.S_ISDIR(os.stat(path).st_mode):
        raise Refusal("@unfolder")
    with os.scandir(path) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                reply(record(b"S", entry.name, entry.stat(follow_symlinks=False)))
                if entry.is_symlink():
                    reply(record(b"F", entry.name, entry.stat()))


def check_regular(found: os.stat_result) -> None:
    """Refuse what is no file."""
    if stat.S_ISDIR(found.st_mode):
        raise Refusal("@folder")
    if not stat.S_ISREG(found.st_mode):
        raise Refusal("@irregular")


def do_read(_: Request, path: bytes, offset: bytes, count: bytes) -> None:
    """Give a part of a file. Opened so that a pipe in its place keeps nobody waiting."""
    check_regular(os.stat(path))
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        check_regular(os.fstat(descriptor))
        os.lseek(descriptor, int(offset), os.SEEK_SET)
        left = int(count)
        while left:
            data = os.read(descriptor, min(left, PIECE))
            if not data:
                break
            left -= len(data)
            reply(data)
    finally:
        os.close(descriptor)


def do_write(request: Request, path: bytes, mode: bytes, how: bytes) -> None:
    """Write a file beside its place, and put it there when all has come."""
    target = path
    found: os.stat_result | None = None
    if os.path.islink(path):
        with contextlib.suppress(FileNotFoundError):
            os.stat(path)
        target = os.path.realpath(path)
    with contextlib.suppress(FileNotFoundError):
        found = os.stat(target)
    if found is not None:
        check_regular(found)
        if how == b"new":
            raise Refusal("@exists")
        if not os.access(target, os.W_OK):
            raise Refusal("Permission denied")
    folder = os.path.dirname(target)
    if found is None or (os.access(folder, os.W_OK) and os.geteuid() in (0, found.st_uid)):
        os.makedirs(folder, exist_ok=True)
        place_beside(request, target, found, mode, how)
    else:
        write_over(request, target, mode)


def place_beside(
    request: Request, target: bytes, found: os.stat_result | None, mode: bytes, how: bytes
) -> None:
    """Replace a file at once, and keep its mode and owner."""
    temporary = os.path.join(os.path.dirname(target), b".sandbook-" + request.nonce)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            if found is not None:
                keep_owner(descriptor, found)
            take(request, descriptor)
            if mode:
                os.fchmod(descriptor, int(mode, 8) & PERMISSIONS)
        finally:
            os.close(descriptor)
        put_in_place(temporary, target, how)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def put_in_place(temporary: bytes, target: bytes, how: bytes) -> None:
    """Give the new file its name."""
    if how == b"new" and os.path.lexists(target):
        raise Refusal("@exists")
    try:
        os.rename(temporary, target)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        with open(temporary, "rb") as spool:  # a mount of its own, such as /etc/hosts
            copy_over(spool, target)
            os.chmod(target, os.fstat(spool.fileno()).st_mode & PERMISSIONS)
        os.unlink(temporary)


def keep_owner(descriptor: int, found: os.stat_result) -> None:
    """Make a new file look like the one it replaces."""
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, found.st_uid, found.st_gid)
    os.fchmod(descriptor, found.st_mode & PERMISSIONS)


def write_over(request: Request, target: bytes, mode: bytes) -> None:
    """Change a file where it is, once all has come: nobody may put another in its place."""
    temporary = os.path.join(os.environb.get(b"TMPDIR", b"/tmp"), b".sandbook-" + request.nonce)
    try:
        with open(temporary, "xb+") as spool:
            take(request, spool.fileno())
            spool.seek(0)
            copy_over(spool, target)
        if mode:
            os.chmod(target, int(mode, 8) & PERMISSIONS)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def copy_over(spool: Any, target: bytes) -> None:
    """Let a file hold what another does."""
    with open(target, "wb") as place:
        for piece in iter(lambda: spool.read(PIECE), b""):
            place.write(piece)


def take(request: Request, descriptor: int) -> None:
    """Write all pieces that come."""
    for piece in request.pieces():
        view = memoryview(piece)
        while view:
            view = view[os.write(descriptor, view) :]


def serve(request: Request) -> None:
    """Do what one request says."""
    words = [request.word() for _ in range(int(request.word()))]
    request.nonce = words[0]
    fault = ""
    try:
        WORK[words[1]](request, *words[2:])
    except Refusal as refusal:
        fault = str(refusal)
    except OSError as error:
        fault = os.strerror(error.errno or 0)
    reply(b"\0%b\0%b\0" % (request.nonce, fault.encode()))
    if fault and words[1] == b"write":
        sys.exit(1)  # pieces may be on their way


WORK: dict[bytes, Callable[..., None]] = {
    b"stat": do_stat,
    b"list": do_list,
    b"read": do_read,
    b"write": do_write,
}


def leave(_number: int, _frame: Any) -> None:
    """End, and clean up on the way."""
    sys.exit(1)


def main() -> None:
    """Serve until the input ends."""
    os.umask(0o022)
    os.chdir("/")
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    request = Request()
    with contextlib.suppress(BrokenPipeError):
        while True:
            serve(request)


if __name__ == "__main__":
    main()
