"""Sandboxes that are processes of this machine: how they are started, and reached into."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from sandbook.errors import SandboxStartError
from sandbook.sandbox.base import Sandbox, ShellRequest
from sandbook.sandbox.records import Record, Records, birth_of
from sandbook.sandbox.scripts import lease_path
from sandbook.sandbox.stream import ShellStream

ENTER = str(Path(__file__).with_name("enter.py"))
START_TIMEOUT_S = 20.0


async def start_detached(
    argv: Sequence[str], errors: IO[bytes] | int = DEVNULL, pass_fds: Sequence[int] = ()
) -> int:
    """Start a program that outlives us, in a session of its own; give back its process number.

    A kernel that ends takes its children along, and a restart must not end the sandbox.
    """
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", '"$@" >/dev/null & echo $!', "sandbook", *argv),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=errors,
        pass_fds=pass_fds,
        start_new_session=True,
    )
    told, _ = await process.communicate()
    return int(told)


def end(record: Record, number: signal.Signals) -> None:
    """End the first process of a sandbox, unless it has ended, and forget the sandbox."""
    with contextlib.suppress(ProcessLookupError):
        if birth_of(record.pid) == record.born:
            os.kill(record.pid, number)
    Records().remove(record.info.sandbox_id)


async def reach_in(spec: Mapping[str, Any]) -> list[int]:
    """Let the program `enter.py` do what `spec` says; give back the descriptors it made.

    Raises:
        SandboxStartError: It could not; the message holds its last words.
    """
    here, there = socket.socketpair()
    with here, there:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", ENTER, str(there.fileno()), json.dumps(spec)),
            stdin=DEVNULL,
            stderr=PIPE,
            pass_fds=[there.fileno()],
        )
        try:
            _, error = await asyncio.wait_for(process.communicate(), START_TIMEOUT_S)
        except asyncio.TimeoutError:
            raise SandboxStartError("The sandbox did not let us in: its keeper is gone.") from None
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode != 0:
            last_words = error.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise SandboxStartError(f"Could not get into the sandbox: {last_words}")
        return socket.recv_fds(here, 1, 2)[1]


class ProcessSandbox(Sandbox):
    """A sandbox whose first process runs on this machine, with namespaces of its own or without."""

    def __init__(self, record: Record, environment: Mapping[str, str], *, namespaces: bool) -> None:
        super().__init__(record.info)
        self.record = record
        self._environment = environment
        self._target = record.pid if namespaces else None
        self._lease: int | None = None

    async def open_shell(self, request: ShellRequest) -> ShellStream:
        """Start a program on a new terminal in the sandbox, and hold the sandbox from now on."""
        await self.hold()
        terminal, control = await reach_in(
            {
                "pid": self._target,
                "argv": request.argv,
                "cwd": request.cwd,
                "control": request.control,
                "environment": {**self._environment, **dict(request.environment)},
            }
        )
        return ShellStream(terminal, control)

    async def hold(self) -> None:
        """Take the lease, once."""
        if self._lease is None:
            spec = {"pid": self._target, "hold": lease_path(self.info.sandbox_id)}
            (self._lease,) = await reach_in(spec)

    async def release(self, grace_s: float) -> None:
        """Let go of the machine without removing it: it ends if nobody holds it again in time."""
        lease, self._lease = self._lease, None
        if lease is not None:
            os.write(lease, b"grace %d\n" % grace_s)
            os.close(lease)
