"""Carries requests to the program that works on files inside the sandbox, and answers back."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator

from sandbook.errors import SideLostError
from sandbook.files.paths import to_bytes, to_text
from sandbook.files.pieces import in_size
from sandbook.sandbox.base import Sandbox
from sandbook.sandbox.scripts import read_script
from sandbook.sandbox.side import SideStream

IDLE_PROGRAMS = 2
QUICK = frozenset({"stat", "list", "read", "write"})
"""What `program.py` can do, too."""
CHOOSE = """
if python3 -I -S -c 'import sys; sys.exit(sys.version_info < (3, 7))' 2>/dev/null; then
  exec python3 -I -S -c "$1" "$3"
fi
exec bash -c "$2" sandbook "$3"
"""
PIECES_AHEAD = 3
FAULT_LIMIT = 16 << 20
SLACK = 64
"""The dots that acknowledge pieces may come before an answer."""
PATIENCE_S = 1.0


class Fault(Exception):  # noqa: N818 -- never leaves this package
    """What the program said went wrong."""


class Ending:
    """Finds the end of an answer, whose mark nobody could know before it was asked for."""

    def __init__(self, nonce: bytes) -> None:
        self._mark = b"\0" + nonce + b"\0"
        self._rest = b""
        self._fault: bytes | None = None

    def feed(self, data: bytes) -> bytes:
        """Take what came; give back what belongs to the answer for certain."""
        if self._fault is not None:
            self._fault += data
            if len(self._fault) > FAULT_LIMIT:
                raise SideLostError
            return b""
        data = self._rest + data
        before, mark, after = data.partition(self._mark)
        if mark:
            self._rest, self._fault = b"", after
            return before
        keep = self._beginning_of_mark(data)
        self._rest = data[keep:]
        return data[:keep]

    @property
    def is_complete(self) -> bool:
        """Say whether all has come."""
        return self._fault is not None and self._fault.endswith(b"\0")

    @property
    def fault(self) -> str:
        """What went wrong; empty if nothing did."""
        return to_text((self._fault or b"").rstrip(b"\0"))

    def _beginning_of_mark(self, data: bytes) -> int:
        at = data.find(b"\0", max(0, len(data) - len(self._mark) + 1))
        while at >= 0:
            if self._mark.startswith(data[at:]):
                return at
            at = data.find(b"\0", at + 1)
        return len(data)


class Errand:
    """One request and its answer."""

    def __init__(self, side: SideStream) -> None:
        self._side = side
        self._nonce = secrets.token_hex(16).encode()
        self._ending = Ending(self._nonce)
        self._unanswered = 0

    @property
    def temporary(self) -> str:
        """The name of the file in which the program keeps what comes, beside its place."""
        return f".sandbook-{self._nonce.decode()}"

    @property
    def is_done(self) -> bool:
        """Say whether the program waits for the next request."""
        return self._ending.is_complete and not self._ending.fault

    async def ask(self, *words: str) -> None:
        """Say what is to be done."""
        encoded = [self._nonce, *map(to_bytes, words)]
        await self._write(b"\0".join([b"%d" % len(encoded), *encoded, b""]))

    async def pieces(self) -> AsyncIterator[bytes]:
        """Give the answer as it comes.

        Raises:
            Fault: Something went wrong, maybe after a part of the answer.
            SideLostError: The program is gone.
        """
        while not self._ending.is_complete:
            if piece := await self._next():
                yield piece
        if self._ending.fault:
            raise Fault(self._ending.fault)

    async def answer(self, most: int = 0) -> bytes:
        """Give the whole answer.

        Raises:
            Fault: It is longer than it may be.
        """
        pieces: list[bytes] = []
        async for piece in self.pieces():
            most -= len(piece)
            if most < -SLACK:
                raise Fault("@endless")
            pieces.append(piece)
        return b"".join(pieces)

    async def put(self, data: bytes, *, last: bool = False) -> None:
        """Send one piece, and wait while too many are on their way."""
        frame = b"%d\0%b" % (len(data), data) if data else b""
        await self._write(frame + b"0\0" if last else frame)
        self._unanswered += bool(data)
        while self._unanswered > PIECES_AHEAD:
            await self._hear()

    async def put_all(self, pieces: AsyncIterable[bytes]) -> None:
        """Send pieces of any size, and say that they were all; then wait for the end."""
        async for piece in in_size(pieces):
            await self.put(piece)
        await self.finish()

    async def settle(self) -> None:
        """Wait until the program has dealt with all pieces that were sent."""
        while self._unanswered:
            await self._hear()

    def check(self) -> None:
        """Look whether the program still waits for more, while it is told nothing.

        Raises:
            SideLostError: It does not.
        """
        if not self._side.is_quiet:
            raise SideLostError

    async def finish(self) -> None:
        """Say that this was all, and wait for the end."""
        await self.put(b"", last=True)
        await self.answer()

    async def _next(self) -> bytes:
        data = await self._side.read()
        if not data:
            raise SideLostError
        return self._ending.feed(data)

    async def _hear(self) -> None:
        self._unanswered -= len(await self._next())
        if self._ending.is_complete:  # before we have said the last word
            raise Fault(self._ending.fault)

    async def _write(self, data: bytes) -> None:
        writing = asyncio.ensure_future(self._side.write(data))
        try:
            await asyncio.wait({writing}, timeout=PATIENCE_S)
            while not writing.done():  # maybe nobody reads any more, and only an answer tells
                hearing = asyncio.ensure_future(self._hear())
                try:
                    await asyncio.wait({writing, hearing}, return_when=asyncio.FIRST_COMPLETED)
                    if hearing.done():
                        hearing.result()
                finally:
                    await _cancel(hearing)
            writing.result()
        except OSError as error:
            with contextlib.suppress(SideLostError):
                await self.answer()  # a fault that was said before the end tells more
            raise SideLostError from error
        finally:
            await _cancel(writing)


class Courier:
    """Keeps a few programs in the sandbox, so that a request need not start one."""

    def __init__(self, sandbox: Sandbox, *, root: bool = False, owner: str = "") -> None:
        self._sandbox = sandbox
        self._root = root or bool(owner)
        self._owner = owner
        self._idle: dict[bool, list[SideStream]] = {True: [], False: []}
        self.quick = frozenset[str]() if owner else QUICK
        """What is done by the quicker of our two programs, where the sandbox can run it."""

    @contextlib.asynccontextmanager
    async def errand(self, *words: str) -> AsyncGenerator[Errand, None]:
        """Ask for something. Whoever leaves before the end takes the request back."""
        is_quick = words[0] in self.quick
        idle = self._idle[is_quick]
        side = await self._idle_program(idle) or await self._new_program(is_quick=is_quick)
        errand = Errand(side)
        try:
            await errand.ask(*words)
            yield errand
        finally:
            if errand.is_done and len(idle) < IDLE_PROGRAMS:
                idle.append(side)
            else:
                await side.close()

    async def close(self) -> None:
        """Let the programs end."""
        for idle in self._idle.values():
            while idle:
                await idle.pop().close()

    async def _idle_program(self, idle: list[SideStream]) -> SideStream | None:
        while idle:
            side = idle.pop()
            if side.is_quiet:
                return side
            await side.close()
        return None

    async def _new_program(self, *, is_quick: bool) -> SideStream:
        script, workspace = read_script("sandbook.files", "files.sh"), self._sandbox.workspace
        argv = ("bash", "-c", script, "sandbook", workspace, self._owner)
        if is_quick:
            program = read_script("sandbook.files", "program.py")
            argv = ("bash", "-c", CHOOSE, "sandbook", program, script, workspace)
        return await self._sandbox.open_side(*argv, root=self._root)


async def unless_partly(pieces: AsyncIterable[bytes], left_out: list[str]) -> AsyncIterator[bytes]:
    """Give an answer that may lack something, and note what that is before it ends."""
    try:
        async for piece in pieces:
            yield piece
    except Fault as fault:
        what, _, names = str(fault).partition(" ")
        if what != "@partly":
            raise
        left_out.extend(names.splitlines())


async def _cancel(work: asyncio.Future[None]) -> None:
    work.cancel()
    await asyncio.wait({work})
    if not work.cancelled():
        work.exception()  # seen
