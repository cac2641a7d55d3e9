"""What a terminal says only because something was typed into it. Pure."""

import re

INTERRUPT = b"\x03"
NEWLINE = ord("\n")
_CUT = re.compile(rb"(?:\x1b(?:\][0-9;]*)?)?\n?$(?<=.)", re.DOTALL)
"""What Ctrl-C may leave at the end: a mark that it has cut off, and the newline of bash."""


class Echoes:
    """Takes the echo of what was typed out of what a terminal says."""

    def __init__(self) -> None:
        self.pressed = 0
        """How often Ctrl-C was pressed, without an echo of it so far."""
        self._expected: list[bytes] = []
        self._echoed = False
        self._held = b""

    def expect(self, echo: bytes) -> None:
        """Note what the terminal will say to something that is being typed."""
        if echo:
            self._expected.append(echo)

    def press(self) -> None:
        """Note a Ctrl-C. Behind its echo bash may say one newline, just before a command ends."""
        self.pressed += 1

    def clear(self) -> None:
        """Forget what the command was told, for the next one begins; Ctrl-C may be on its way."""
        self._expected.clear()
        self._echoed = False
        self._held = b""

    def strip(self, data: bytes) -> bytes:
        """Give back what a program has said."""
        before, data = self._split(self._held + data)
        self._held = b""
        while self._expected and data:
            data = self._take_off(data)
        if self._echoed and (cut := _CUT.search(data)):
            self._held, data = cut[0], data[: cut.start()]
        return before + data

    def strip_idle(self, data: bytes) -> bytes:
        """Give back what was said while no command runs; a late Ctrl-C starts a new line."""
        if not self.pressed:
            return data
        before, after = self._split(data)
        return before + after.removeprefix(b"\n")

    def rest(self, *, interrupted: bool) -> bytes:
        """Give back what was held, now that the command has ended."""
        held, self._held = self._held, b""
        return b"" if interrupted else held

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
        before = b""
        while self.pressed and INTERRUPT in data:
            piece, _, data = data.partition(INTERRUPT)
            if not (self._echoed and piece == b"\n"):  # what bash said to the one before
                before += piece
            self.pressed -= 1
            self._echoed = True
        return before, data


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
