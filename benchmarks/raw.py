"""The floors below a session: a program on a bare terminal, and nothing of ours in between."""

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ptyprocess import PtyProcess

from benchmarks.runner import Failure, NotFinished
from sandbook.sandbox.address import address_from_environment
from sandbook.sandbox.container import container_name
from sandbook.sandbox.engine import Engine, EngineError

QUIET = "stty -echo -onlcr; echo ready; exec "
CAT = ("bash", "-c", QUIET + "cat")
BASH = ("bash", "-c", QUIET + "env PS1= bash --norc --noediting")
READ_SIZE = 1 << 18
TAIL = 64
TIMEOUT_S = 60


class RawTerminal:
    """Lines in, bytes out, over one descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        os.set_blocking(descriptor, True)
        self.read_to(b"ready\n")

    def ask(self, line: bytes, end: bytes) -> int:
        """Send a line; count the bytes that come until they end as told."""
        os.write(self._descriptor, line)
        return self.read_to(end)

    def read_to(self, end: bytes) -> int:
        """Count the bytes up to an end."""
        size, tail, deadline = 0, b"", time.monotonic() + TIMEOUT_S
        while not tail.endswith(end):
            piece = self._read(deadline)
            size += len(piece)
            tail = (tail + piece[-TAIL:])[-TAIL:]
        return size

    def _read(self, deadline: float) -> bytes:
        left = max(0.0, deadline - time.monotonic())
        if not select.select([self._descriptor], [], [], left)[0]:
            raise NotFinished(TIMEOUT_S)
        piece = os.read(self._descriptor, READ_SIZE)
        if not piece:
            raise Failure("the raw terminal hung up")
        return piece


@contextmanager
def raw_exec(sandbox_id: str, argv: tuple[str, ...]) -> Iterator[RawTerminal]:
    """Start a program on a terminal in a container, over a bare exec socket of the engine."""
    body: dict[str, Any] = {"Tty": True, "Cmd": list(argv)}
    body |= {"AttachStdin": True, "AttachStdout": True, "AttachStderr": True}
    try:
        engine = Engine(address_from_environment())
        _, connection = engine.attach(container_name(sandbox_id), body)
    except (EngineError, OSError) as error:
        raise Failure(str(error)) from error
    with connection:
        yield RawTerminal(connection.fileno())


@contextmanager
def raw_pty(argv: tuple[str, ...]) -> Iterator[RawTerminal]:
    """Start a program of this machine on a bare pty."""
    process = PtyProcess.spawn(list(argv))
    try:
        yield RawTerminal(process.fd)
    finally:
        process.close(force=True)
