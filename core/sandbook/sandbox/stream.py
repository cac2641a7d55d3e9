"""The two channels of a shell: its terminal, and the commands that go around the terminal."""

import asyncio
import contextlib
import fcntl
import os
import struct
import termios
from collections.abc import Awaitable, Callable

from sandbook.sandbox.descriptors import READ_SIZE, WRITE_SIZE, write_all


class ShellStream:
    """Two descriptors, whatever is behind them: sockets of an engine, or a pty and a FIFO."""

    def __init__(
        self,
        terminal: int,
        control: int,
        hang_up: Callable[[], None] | None = None,
        resize: Callable[[int, int], Awaitable[None]] | None = None,
    ) -> None:
        self._terminal = terminal
        self._control = control
        self._hang_up = hang_up or self._close_both
        self._resize = resize or self._set_window_size
        for descriptor in (terminal, control):
            os.set_blocking(descriptor, False)
        self._typed = bytearray()

    def fileno(self) -> int:
        """Name the terminal's descriptor, for an event loop to watch."""
        return self._terminal

    def read(self) -> bytes:
        """Take what the terminal has; empty means that it is gone.

        Raises:
            BlockingIOError: There is nothing yet.
        """
        try:
            return os.read(self._terminal, READ_SIZE)
        except BlockingIOError:
            raise
        except OSError:  # how Linux tells the reader of a pty that the other side has hung up
            return b""

    def type(self, data: bytes) -> None:
        """Send bytes as if somebody typed them. What nobody reads yet waits, and we do not."""
        self._typed += data
        self._hand_over()

    def press(self, key: bytes) -> None:
        """Send a key that does not wait for what was typed before, and is not taken yet."""
        self._typed[:] = key
        self._hand_over()

    def forget_typed(self) -> None:
        """Drop what was typed, and is not taken yet; Linux keeps 4 KiB for who reads next."""
        if self._typed:
            self._typed.clear()
            self._hand_over()
        with contextlib.suppress(termios.error):  # no terminal of this machine
            termios.tcflush(self._terminal, termios.TCOFLUSH)

    def _hand_over(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._typed:
                del self._typed[: os.write(self._terminal, self._typed[:WRITE_SIZE])]
        except BlockingIOError:
            loop.add_writer(self._terminal, self._hand_over)
            return
        except OSError:  # the reader of the terminal tells that it is gone
            self._typed.clear()
        loop.remove_writer(self._terminal)

    async def control(self, data: bytes) -> None:
        """Send command lines to the shell itself, past the terminal."""
        await write_all(self._control, data)

    async def resize(self, rows: int, columns: int) -> None:
        """Tell the programs on the terminal how large it is now."""
        await self._resize(rows, columns)

    async def _set_window_size(self, rows: int, columns: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)

    def close(self) -> None:
        """Give both channels back. The shell sees its terminal hang up."""
        if self._typed:
            self.forget_typed()
        self._hang_up()

    def _close_both(self) -> None:
        os.close(self._terminal)
        os.close(self._control)
