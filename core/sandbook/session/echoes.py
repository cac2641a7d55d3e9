"""What a terminal says only because something was typed into it. Pure."""

INTERRUPT = b"\x03"
NEWLINE = ord("\n")


class Echoes:
    """Takes the echo of what was typed out of what a terminal says."""

    def __init__(self) -> None:
        self.pressed = 0
        """How often Ctrl-C was pressed, without an echo of it so far."""
        self._expected: list[bytes] = []
        self._presses = 0
        self._begins_line = True
        self._line_comes = False
        self._held = b""

    def expect(self, echo: bytes) -> None:
        """Note what the terminal will say to something that is being typed."""
        if echo:
            self._expected.append(echo)

    def press(self) -> None:
        """Note a Ctrl-C. Bash may say an empty line to it, just before a command ends.

        That comes before or behind the echo, for the echo is not from bash but from the terminal.
        """
        self.pressed += 1
        self._presses += 1

    def clear(self) -> None:
        """Forget what the command was told, for the next one begins; Ctrl-C may be on its way."""
        self._expected.clear()
        self._presses = 0
        self._begins_line = True
        self._line_comes = False
        self._held = b""

    def strip(self, data: bytes) -> bytes:
        """Give back what a program has said."""
        before, data = self._split(data)
        while self._expected and data:
            data = self._take_off(data)
        before = self._held + before
        data = before + data
        end = self._end(data, len(before))
        self._held = data[end:]
        self._begins_line = bool(self._held) or data.endswith(b"\n")
        return data[:end]

    def strip_idle(self, data: bytes) -> bytes:
        """Give back what was said while no command runs; a late Ctrl-C starts a new line."""
        if self.pressed or self._line_comes:
            before, data = self._split(data)
            self._line_comes = not data
            data = (b"" if before == b"\n" else before) + data.removeprefix(b"\n")
        return data

    def rest(self, *, interrupted: bool) -> bytes:
        """Give back what was held, now that the command has ended."""
        held, self._held = self._held, b""
        return b"" if interrupted else held

    def _end(self, data: bytes, echo: int) -> int:
        """Find the end of what the command has said: one empty line for each Ctrl-C may be bash's.

        Args:
            echo: Where the last echo was. The line that begins behind it is empty, too.
        """
        at = len(data)
        for _ in range(self._presses):
            begin = at - 1
            if begin < 0 or data[begin] != NEWLINE:
                break
            is_first = begin == 0 and self._begins_line
            if not (is_first or begin == echo or data[begin - 1 : begin] == b"\n"):
                break
            at = begin
        return at

    def _take_off(self, data: bytes) -> bytes:
        """Take the echo off that is expected first; it may come in pieces.

        One that does not come in its turn will not come: what looks like it later is output.
        """
        echo = self._expected.pop(0)
        begun = _length_of(echo, data)
        if begun is not None:
            taken, left = begun
            if left:
                self._expected.insert(0, left)
            return data[taken:]
        before, found, after = data.partition(echo)
        return before + after if found else data

    def _split(self, data: bytes) -> tuple[bytes, bytes]:
        """Take out the echoes of Ctrl-C; give back what was said before and behind the last."""
        *before, behind = data.split(INTERRUPT, self.pressed)
        self.pressed -= len(before)
        return b"".join(before), behind


def _length_of(echo: bytes, data: bytes) -> tuple[int, bytes] | None:
    """Say how much of the data is the echo, and what of it is still to come; None if it is not.

    Programs that edit lines may say a carriage return more than was typed.
    """
    at = 0
    for index, byte in enumerate(echo):
        if byte == NEWLINE and data[at : at + 1] == b"\r":
            at += 1
        if at == len(data):
            return at, echo[index:]
        if data[at] != byte:
            return None
        at += 1
    return at, b""
