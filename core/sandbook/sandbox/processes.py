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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sandbook.errors import RootRefusedError, SandboxStartError
from sandbook.head import Head
from sandbook.sandbox.base import OUTPUT_LIMIT, Sandbox, ShellRequest, SideResult, Stats
from sandbook.sandbox.cgroups import Group
from sandbook.sandbox.lease import Lease
from sandbook.sandbox.members import go_on, members, stop, usage_of
from sandbook.sandbox.records import Record, Records, is_alive
from sandbook.sandbox.scripts import MARKER
from sandbook.sandbox.side import SideStream
from sandbook.sandbox.stream import ShellStream

ENTER = str(Path(__file__).with_name("enter.py"))
START_TIMEOUT_S = 20.0
SIDE_END_S = 2.0
PIECE = 1 << 18


def end(record: Record, number: signal.Signals) -> None:
    """End the first process of a sandbox, unless it has ended, and forget the sandbox."""
    with contextlib.suppress(ProcessLookupError):
        if is_alive(record):
            os.kill(record.pid, number)
    Records().remove(record.info.sandbox_id)


async def reach_in(spec: Mapping[str, Any]) -> list[int]:
    """Let the program `enter.py` do what `spec` says; give back the descriptors it made.

    Raises:
        SandboxStartError: It could not; the message holds its last words.
    """
    here, there = socket.socketpair()
    with here, there:
        process = await _enter(spec, there, stdin=DEVNULL, stderr=PIPE)
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


async def _enter(
    spec: Mapping[str, Any], door: socket.socket, **options: Any
) -> asyncio.subprocess.Process:
    """Start `enter.py`. Its command line shows no secrets: every user of this machine sees it."""
    with os.fdopen(os.memfd_create("sandbook"), "r+b") as written:
        written.write(json.dumps(spec).encode())
        written.seek(0)
        descriptors = door.fileno(), written.fileno()
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", ENTER, *map(str, descriptors)),
            pass_fds=descriptors,
            **options,
        )


async def _head_of(stream: asyncio.StreamReader | None) -> bytes:
    """Read to the end, and keep the beginning."""
    head = Head(OUTPUT_LIMIT)
    while stream is not None and (data := await stream.read(PIECE)):
        head.add(data)
    return bytes(head)


async def _feed(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    if stream is not None:
        with contextlib.suppress(ConnectionError):  # it does not want to read
            stream.write(data)
            await stream.drain()
        stream.close()


@dataclass(frozen=True, slots=True)
class Inside:
    """How to get into a sandbox, and what its programs find there."""

    environment: Mapping[str, str]
    namespaces: bool
    rlimits: Mapping[str, int] = field(default_factory=dict[str, int])
    """What each process may use, by the names that the kernel has for it."""
    groups: Group = field(default_factory=Group)
    syscall_filter: bytes = b""


class ProcessSandbox(Sandbox):
    """A sandbox whose first process runs on this machine, with namespaces of its own or without."""

    def __init__(self, record: Record, inside: Inside) -> None:
        super().__init__(record.info)
        self.record = record
        self._inside = inside
        self._lease = Lease(record.info.sandbox_id)

    async def open_shell(self, request: ShellRequest) -> ShellStream:
        """Start a program on a new terminal in the sandbox, and hold the sandbox from now on."""
        self._check(root=request.root)
        self._lease.hold()
        spec = self._spec(request.argv, dict(request.environment))
        terminal, control = await reach_in({**spec, "control": request.control})
        return ShellStream(terminal, control)

    async def run(self, *argv: str, data: bytes = b"", root: bool = False) -> SideResult:
        """Run a command beside the shell."""
        self._check(root=root)
        here, there = socket.socketpair()
        with here, there:
            spec = self._spec(argv, {})
            process = await _enter(spec, there, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        output, errors, _ = await asyncio.gather(
            _head_of(process.stdout), _head_of(process.stderr), _feed(process.stdin, data)
        )
        return SideResult(await process.wait(), output, errors)

    async def open_side(self, *argv: str, root: bool = False) -> SideStream:
        """Start a program beside the shell that stays."""
        self._check(root=root)
        their_input, our_input = os.pipe()
        our_output, their_output = os.pipe()
        here, there = socket.socketpair()
        with here, there:
            try:
                spec = self._spec(argv, {})
                process = await _enter(
                    spec, there, stdin=their_input, stdout=their_output, stderr=DEVNULL
                )
            except BaseException:
                os.close(our_input)
                os.close(our_output)
                raise
            finally:
                os.close(their_input)
                os.close(their_output)

        async def hang_up() -> None:
            os.close(our_input)
            os.close(our_output)
            try:
                await asyncio.wait_for(process.wait(), SIDE_END_S)
            except asyncio.TimeoutError:  # what it still does, it may end; nobody waits for it
                process.kill()
                await process.wait()

        return SideStream(our_output, our_input, hang_up, framed=False)

    async def stats(self) -> Stats:
        """Add up what the processes of the sandbox use."""
        return await asyncio.to_thread(usage_of, members(self.record, self._inside.namespaces))

    async def pause(self) -> None:
        """Stop every process of the sandbox but its first.

        Some may begin others faster than these can be listed. From inside, one call stops them all.
        """
        self._write_down("paused")
        await asyncio.to_thread(stop, members(self.record, self._inside.namespaces))
        if self._inside.namespaces:
            await self.run("bash", "-c", "kill -STOP -1")

    async def resume(self) -> None:
        """Let every process of the sandbox go on."""
        await asyncio.to_thread(go_on, members(self.record, self._inside.namespaces))
        self._write_down("running")

    async def release(self, grace_s: float) -> None:
        """Let go of the machine without removing it: it ends if nobody holds it again in time."""
        self._lease.release(grace_s)

    async def oom_kills(self) -> int:
        """Read the counter of the sandbox's control group, where it has one."""
        return self._inside.groups.oom_kills()

    def _check(self, *, root: bool) -> None:
        """Refuse to be root, unless the sandbox is this machine and we are root of it.

        Raises:
            RootRefusedError: Nobody is root in a namespace that maps only one user.
        """
        if root and (self._inside.namespaces or os.geteuid() != 0):
            raise RootRefusedError(self.info.backend)

    @property
    def _target(self) -> int | None:
        return self.record.pid if self._inside.namespaces else None

    def _spec(self, argv: Sequence[str], further: Mapping[str, str]) -> dict[str, Any]:
        return {
            "pid": self._target,
            "argv": list(argv),
            "environment": {
                **self._inside.environment,
                **further,
                MARKER: self.info.sandbox_id,
            },
            "rlimits": dict(self._inside.rlimits),
            "filter": self._inside.syscall_filter.hex(),
            "groups": [str(folder) for folder in self._inside.groups.folders],
        }

    def _write_down(self, state: str) -> None:
        """Let others know: nothing about the processes tells it for certain."""
        self.info = replace(self.info, state=state)
        Records().add(replace(self.record, info=self.info))
