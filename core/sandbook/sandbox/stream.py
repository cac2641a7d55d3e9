"""The two channels of a shell: its terminal, and the commands that go around the terminal."""

import fcntl
import os
import struct
import termios
from collections.abc import Awaitable, Callable

from sandbook.sandbox.descriptors import READ_SIZE, write_all


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

    async def type(self, data: bytes) -> None:
        """Send bytes as if somebody typed them."""
        await write_all(self._terminal, data)

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
        self._hang_up()

    def _close_both(self) -> None:
        os.close(self._terminal)
        os.close(self._control)
