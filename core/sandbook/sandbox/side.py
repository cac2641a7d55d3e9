"""The two ends of a program beside the shell that stays: what it reads, and what it says."""

import asyncio
import os
import struct
from collections.abc import Awaitable, Callable

from sandbook.sandbox.descriptors import read_some, write_all

OUTPUT_STREAM = 1
STREAM, FRAME = 1 << 20, 1 << 15
GATHER_S = 0.0005
"""An engine sends small frames: in the middle of a large answer, a few are taken together."""
HEAD = struct.Struct(">BxxxL")


class SideStream:
    """Two descriptors, whatever is behind them: a socket of an engine, or two pipes.

    The program's errors go nowhere: whoever wants them lets the program say them.
    """

    def __init__(
        self, output: int, input_: int, hang_up: Callable[[], Awaitable[None]], *, framed: bool
    ) -> None:
        self._output = output
        self._input = input_
        self._hang_up = hang_up
        self._frames = Frames() if framed else None
        self._closed = False
        self._streak = 0
        self._is_dribbling = False
        for descriptor in (output, input_):
            os.set_blocking(descriptor, False)

    @property
    def is_quiet(self) -> bool:
        """Say that the program lives, as far as one can see, and has nothing more to say."""
        if self._closed:
            return False
        try:
            os.read(self._output, 1)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    async def read(self) -> bytes:
        """Take what the program has said, as soon as there is something; empty is its end."""
        while True:
            if self._is_dribbling and self._streak > STREAM:
                await asyncio.sleep(GATHER_S)
            data = await read_some(self._output)
            self._streak += len(data)
            self._is_dribbling = self._frames is not None and len(data) < FRAME
            if self._frames is None or not data:
                return data
            if said := self._frames.feed(data):
                return said

    async def write(self, data: bytes) -> None:
        """Give the program something to read.

        Behind an engine, a program that is gone is not seen here: only what it says ends.

        Raises:
            ConnectionError: It reads no more.
        """
        self._streak = 0
        await write_all(self._input, data)

    async def close(self) -> None:
        """Hang up: the input of the program ends. It is told by that, and has to go."""
        if not self._closed:
            self._closed = True
            await self._hang_up()


class Frames:
    """Takes one stream of a program out of the frames in which an engine sends all it says."""

    def __init__(self, number: int = OUTPUT_STREAM) -> None:
        self._number = number
        self._rest = bytearray()

    def feed(self, data: bytes) -> bytes:
        """Take what came; give back what is of the stream, as far as its frames are complete."""
        self._rest += data
        said: list[bytes] = []
        start = 0
        while len(self._rest) - start >= HEAD.size:
            number, length = HEAD.unpack_from(self._rest, start)
            end = start + HEAD.size + length
            if end > len(self._rest):
                break
            if number == self._number:
                said.append(bytes(self._rest[start + HEAD.size : end]))
            start = end
        del self._rest[:start]
        return b"".join(said)
