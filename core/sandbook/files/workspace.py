"""The files of one sandbox. Everything happens inside it, so no link leads to this machine."""

import contextlib
import copy
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator

from sandbook.errors import FileError, SideLostError, TooLargeError
from sandbook.files.archive import ArchivePolicy
from sandbook.files.conversion import convert
from sandbook.files.courier import Courier, Errand, Fault, unless_partly
from sandbook.files.entries import HEAD_LENGTH, FileInfo, Glance, parse, sorted_as_shown
from sandbook.files.faults import error_from
from sandbook.files.paths import absolute, shown, to_text
from sandbook.files.pieces import Counted, exactly, once
from sandbook.files.reading import FileReader, check_regular
from sandbook.files.shortcut import Shortcut
from sandbook.files.unzipping import Unzipping, spooled
from sandbook.files.zipping import from_tar, zip_from_tar
from sandbook.sandbox.base import Sandbox

SMALL = 1 << 20
READ_LIMIT = 64 << 20
GLOB_LIMIT = 10_000
ANSWER_LIMIT = 64 << 20
"""How long an answer may be that is kept in memory: whatever gives it is not trusted."""
HARMLESS = {"stat", "list", "glob", "read"}
"""What may be asked twice."""


class WorkspaceFiles:
    """Reads and writes files of a sandbox, as its user or as root; root may work for an owner.

    Paths are absolute, or relative to `cwd`, which is the workspace unless somebody says otherwise
    and may be changed at any time. Names are text in which bytes that are not UTF-8 are
    surrogates. Every method raises `FileError`s.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        cwd: str = "",
        *,
        root: bool = False,
        owner: str = "",
        policy: ArchivePolicy | None = None,
    ) -> None:
        self.cwd = cwd or sandbox.workspace
        self._policy = policy or ArchivePolicy()
        self._courier = Courier(sandbox, root=root, owner=owner)
        self._shortcut = Shortcut(sandbox)

    def at(self, cwd: str) -> "WorkspaceFiles":
        """Give the same files, with relative paths taken from another folder."""
        other = copy.copy(self)
        other.cwd = cwd
        return other

    def absolute(self, path: str) -> str:
        """Give the whole path of a file, as the sandbox knows it."""
        return absolute(path, self.cwd)

    async def stat(self, path: str) -> FileInfo:
        """Tell about a file, a folder, or a link and what it leads to."""
        found = parse(await self._ask(self.absolute(path), "stat"))
        if not found:
            raise SideLostError
        return found[0]

    async def list_folder(self, path: str = ".") -> list[FileInfo]:
        """Tell what is in a folder: folders first, each group in the order of the alphabet."""
        return sorted_as_shown(parse(await self._ask(self.absolute(path), "list")))

    async def glob(self, pattern: str, folder: str = ".", most: int = GLOB_LIMIT) -> list[str]:
        """Find names below a folder by a pattern with `*`, `?`, `[…]` and `**`, as bash does.

        A name that begins with a dot has to be asked for with a dot.
        """
        answer = await self._ask(self.absolute(folder), "glob", pattern, str(most))
        return [to_text(name) for name in answer.split(b"\0") if name]

    async def read(
        self, path: str, offset: int = 0, length: int | None = None, limit: int = READ_LIMIT
    ) -> bytes:
        """Read a file, or a part of it.

        Raises:
            TooLargeError: There is more to read than the limit.
        """
        path = self.absolute(path)
        wanted = limit + 1 if length is None else length
        if wanted > limit and length is not None:
            raise TooLargeError(shown(path), limit)
        count = min(wanted, SMALL + 1)
        data = await self._ask(path, "read", str(offset), str(count))
        if len(data) == count < wanted:
            if length is None and (await self.stat(path)).followed.size - offset > limit:
                raise TooLargeError(shown(path), limit)
            data = await self._ask(path, "read", str(offset), str(wanted), most=wanted)
        if len(data) > limit:
            raise TooLargeError(shown(path), limit)
        return data

    async def look(self, path: str) -> Glance:
        """Tell what a file is and how it begins; of one without a size, also all of it.

        Files of the Linux kernel, in /proc and /sys, have none, or one that says nothing.
        """
        path = self.absolute(path)
        info = (await self.stat(path)).followed
        head = await self.read(path, length=HEAD_LENGTH if info.size else None)
        is_whole = len(head) < HEAD_LENGTH or not info.size
        return Glance(info, head, len(head) if is_whole else info.size)

    async def read_text(self, path: str, encoding: str = "utf-8", limit: int = READ_LIMIT) -> str:
        """Read a file as text, with its own line ends.

        Raises:
            FileError: It is something else.
        """
        data = await self.read(path, limit=limit)
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            name = shown(self.absolute(path))
            raise FileError(f"{name!r} is not text in {encoding}.") from error

    @contextlib.asynccontextmanager
    async def open(
        self, path: str, offset: int = 0, length: int | None = None, limit: int | None = None
    ) -> AsyncGenerator[FileReader, None]:
        """Read a file of any size in pieces; whoever leaves early ends the transfer.

        What a file has gained since it was opened is not read. A small one is read at once, and so
        is one without a size (those of the Linux kernel in /proc).

        Raises:
            TooLargeError: There is more to read than the limit; nothing was read.
        """
        path = self.absolute(path)
        info = (await self.stat(path)).followed
        check_regular(info, path)
        count = max(0, info.size - offset)
        if length is not None:
            count = min(count, length)
        if limit is not None and count > limit:
            raise TooLargeError(shown(path), limit)
        if count <= SMALL:
            data = await self.read(path, offset, count if info.size else length)
            yield FileReader(info, len(data), once(data))
            return
        async with self._pieces(path, info, offset, count) as pieces:
            yield FileReader(info, count, exactly(pieces, count, path))

    @contextlib.asynccontextmanager
    async def _pieces(
        self, path: str, info: FileInfo, offset: int, count: int
    ) -> AsyncGenerator[AsyncIterator[bytes], None]:
        await self.read(path, offset, 1)  # the sandbox says whether its user may read it
        with _in_our_words(path):
            async with self._shortcut.reading(path, info, offset, count) as pieces:
                if pieces:
                    yield pieces
                    return
        async with self._errand(path, "read", str(offset), str(count)) as errand:
            yield errand.pieces()

    async def write(
        self, path: str, data: bytes | str, *, mode: int | None = None, replace: bool = True
    ) -> None:
        """Write a file at once: nobody ever sees a half of it.

        Folders on the way are made. A file that is there keeps its mode and owner, and a link to
        it stays a link. Text is written as UTF-8.

        Raises:
            AlreadyExistsError: It is there, and was not to be replaced.
        """
        await self.write_stream(path, once(data), mode=mode, replace=replace)

    async def write_stream(
        self,
        path: str,
        pieces: AsyncIterable[bytes],
        *,
        mode: int | None = None,
        replace: bool = True,
        limit: int | None = None,
    ) -> int:
        """Write a file of any size as `write` does; tell how many bytes it has.

        Raises:
            TooLargeError: More came than the limit; nothing was changed.
        """
        path = self.absolute(path)
        counted = Counted(pieces, path, limit)
        how = "replace" if replace else "new"
        async with self._errand(path, "write", "" if mode is None else f"{mode:o}", how) as errand:
            await self._shortcut.put_all(errand, path, counted)
        return counted.count

    async def append(self, path: str, data: bytes | str) -> None:
        """Write at the end of a file, which is made if it is not there."""
        path = self.absolute(path)
        async with self._errand(path, "append", "") as errand:
            await errand.put_all(once(data))

    async def mkdir(self, path: str, *, exist_ok: bool = True) -> None:
        """Make a folder, and those on the way."""
        await self._ask(self.absolute(path), "mkdir", "any" if exist_ok else "new")

    async def move(self, source: str, target: str, *, replace: bool = False) -> None:
        """Give something another name; a folder is never replaced, nor is anything put into it."""
        how = "replace" if replace else "new"
        await self._ask(self.absolute(source), "move", self.absolute(target), how)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, a link, an empty folder; or, if asked to, a folder with all in it."""
        await self._ask(self.absolute(path), "remove", "recursive" if recursive else "")

    async def zip_out(self, path: str = ".") -> AsyncGenerator[bytes, None]:
        """Give a file, or all that is below a folder, as a zip archive, in pieces.

        Names are relative to the folder. Modes are kept, and links that stay inside it. Pipes,
        sockets, devices and links that lead elsewhere are left out, and so is what cannot be read:
        that is listed in a file at the end.

        Raises:
            TooLargeError: It has more bytes or files than the policy allows.
        """
        path = self.absolute(path)
        policy = self._policy
        async with self._errand(path, "pack", str(policy.total_bytes)) as errand:
            left_out: list[str] = []
            work = zip_from_tar(policy, shown(path), left_out)
            tar = unless_partly(errand.pieces(), left_out)
            async with contextlib.aclosing(convert(work, tar)) as pieces:
                with from_tar():
                    async for piece in pieces:
                        yield piece

    async def zip_in(
        self, pieces: AsyncIterable[bytes], folder: str = ".", *, replace: bool = True
    ) -> int:
        """Unpack a zip archive into a folder, all or nothing; tell how many members it has.

        It is looked at before anything is unpacked, and unpacked beside its place, inside the
        sandbox. Files that are there are replaced, folders come together.

        Raises:
            ArchiveError: It is broken, or does what no honest archive does, or is too large.
            AlreadyExistsError: A file would have to replace a folder, or the other way round.
        """
        folder = self.absolute(folder)
        async with spooled(pieces, self._policy) as spool:
            unzipping = await Unzipping.open(spool, self._policy)
            async with contextlib.aclosing(convert(unzipping.to_tar)) as tar:
                await self.tar_in(tar, folder, replace=replace)
        return unzipping.count

    async def tar_in(
        self, pieces: AsyncIterable[bytes], folder: str = ".", *, replace: bool = True
    ) -> None:
        """Unpack a tar stream of our own making as `zip_in` does; nobody looks at it before."""
        how = "replace" if replace else "new"
        async with self._errand(self.absolute(folder), "unpack", how) as errand:
            await errand.put_all(pieces)

    async def close(self) -> None:
        """End the programs that were kept in the sandbox."""
        await self._courier.close()

    async def _ask(self, path: str, what: str, *words: str, most: int = ANSWER_LIMIT) -> bytes:
        try:
            return await self._ask_once(path, what, *words, most=most)
        except SideLostError:
            if what not in HARMLESS:
                raise
            return await self._ask_once(path, what, *words, most=most)  # an idle one was ended

    async def _ask_once(self, path: str, what: str, *words: str, most: int) -> bytes:
        async with self._errand(path, what, *words) as errand:
            return await errand.answer(most)

    @contextlib.asynccontextmanager
    async def _errand(self, path: str, what: str, *words: str) -> AsyncGenerator[Errand, None]:
        with _in_our_words(path):
            async with self._courier.errand(what, path, *words) as errand:
                yield errand


@contextlib.contextmanager
def _in_our_words(path: str) -> Generator[None, None, None]:
    try:
        yield
    except Fault as fault:
        raise error_from(str(fault), path) from None
