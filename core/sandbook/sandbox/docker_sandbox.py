"""One container, reached through its engine."""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from sandbook.errors import SandboxPausedError, SandboxStartError
from sandbook.head import Head
from sandbook.sandbox.base import (
    OUTPUT_LIMIT,
    Sandbox,
    SandboxInfo,
    ShellRequest,
    SideResult,
    Stats,
)
from sandbook.sandbox.container import container_name
from sandbook.sandbox.identity import Identity
from sandbook.sandbox.lease import Lease
from sandbook.sandbox.scripts import hold_argv, pump_argv
from sandbook.sandbox.side import Frames, SideStream
from sandbook.sandbox.stream import ShellStream

Result = TypeVar("Result")

ERRORS_STREAM = 2
KILLED = 137
NO_SUCH_PROGRAM = (126, 127)
NO_BASH = "The image {!r} has no bash, which every sandbox needs."
IS_PAUSED = "is paused"
SIDE_END_S = 2.0
COUNT_S = 5.0
PIECE = 1 << 18
NEWS_TRIES, NEWS_EVERY_S = 5, 0.1
OOM_COUNTERS = "/sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control"
NANOSECONDS = 1e9
ATTACHED = {"AttachStdin": True, "AttachStdout": True, "AttachStderr": True}


class Ask(Protocol):
    """How to ask the engine something without blocking the event loop."""

    async def __call__(self, function: Callable[[Any], Result], /) -> Result:
        """Run the function in a thread, with a client."""
        ...


Attached = tuple[str, socket.socket]
"""The number of a program, and the socket to talk to it."""


class DockerSandbox(Sandbox):
    """A container. `ask` uses the small client, `call` the SDK.

    It has two leases. That of this machine is out of its reach. The one inside ends it when this
    whole machine has ended; `held` has the descriptors that hold it.
    """

    def __init__(
        self, info: SandboxInfo, user: Identity, ask: Ask, call: Ask, held: list[int]
    ) -> None:
        super().__init__(info)
        self._lease = Lease(info.sandbox_id)
        self._held = held
        self._name = container_name(info.sandbox_id)
        self._user = user
        self._ask = ask
        self._call = call
        self._begun = int(time.time())
        self.isolating: asyncio.Future[None] | None = None
        """The work on the network of a new container; nobody may use it before that is done."""

    @property
    def superuser_for(self) -> str:
        """The numbers of its user and group, if that user may become root; else nothing."""
        return self._user.numbers if self.info.sudo else ""

    async def open_shell(self, request: ShellRequest) -> ShellStream:
        """Start a program on a new terminal, and beside it the pump for its commands."""
        who = self._who(root=request.root, **dict(request.environment))
        pump = {"Cmd": pump_argv(request.control), "AttachStdin": True, **who}
        shell = {"Cmd": list(request.argv), "Tty": True, **ATTACHED, **who}
        (_, control), (program, terminal), *holders = await self._attach_all(
            pump, shell, *self._holders()
        )
        self._held += [holder.detach() for _, holder in holders]

        def hang_up() -> None:
            _hang_up(terminal)
            _hang_up(control)

        async def resize(rows: int, columns: int) -> None:
            await self._ask(
                lambda engine: engine.post(f"/exec/{program}/resize", h=rows, w=columns)
            )

        return ShellStream(terminal.fileno(), control.fileno(), hang_up, resize)

    async def run(self, *argv: str, data: bytes = b"", root: bool = False) -> SideResult:
        """Run a command beside the shell."""
        body = {"Cmd": list(argv), **self._who(root=root), **ATTACHED}
        program, connection = await self._attach(body)
        output, errors = await _converse(connection, data)
        ended = await self._ask(lambda engine: engine.get(f"/exec/{program}/json"))
        return SideResult(ended["ExitCode"], output, errors)

    async def open_side(self, *argv: str, root: bool = False) -> SideStream:
        """Start a program beside the shell that stays; it sees its input end when we hang up."""
        body = {"Cmd": list(argv), **self._who(root=root), **ATTACHED}
        _, connection = await self._attach(body)

        async def hang_up() -> None:
            """Wait for its end, for it removes what it has not finished."""
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                connection.shutdown(socket.SHUT_WR)
                await asyncio.wait_for(_until_closed(connection), SIDE_END_S)
            _hang_up(connection)

        return SideStream(connection.fileno(), connection.fileno(), hang_up, framed=True)

    async def stats(self) -> Stats:
        """Tell what the container uses, from the engine's own counters."""
        sample = await self._ask(
            lambda engine: engine.get(
                f"/containers/{self._name}/stats", **{"stream": "0", "one-shot": "1"}
            )
        )
        memory = sample["memory_stats"]
        cache = memory.get("stats", {}).get("inactive_file", 0)
        return Stats(
            cpu_s=sample["cpu_stats"]["cpu_usage"]["total_usage"] / NANOSECONDS,
            memory_bytes=max(0, memory.get("usage", 0) - cache),
            pids=sample["pids_stats"].get("current", 0),
        )

    async def pause(self) -> None:
        """Freeze the container."""
        await self._ask(lambda engine: engine.post(f"/containers/{self._name}/pause"))

    async def resume(self) -> None:
        """Thaw the container."""
        await self._ask(lambda engine: engine.post(f"/containers/{self._name}/unpause"))

    async def release(self, grace_s: float) -> None:
        """Let go of the machine without removing it: it ends if nobody holds it again in time."""
        self._lease.release(grace_s)
        while self._held:
            holder = self._held.pop()
            with contextlib.suppress(OSError):  # it has ended
                os.write(holder, b"grace %d\n" % grace_s)
            os.close(holder)

    async def oom_kills(self) -> int:
        """Read the counter of the container's own control group, whichever version it has."""
        counting = asyncio.ensure_future(self.run("bash", "-c", f"cat {OOM_COUNTERS} 2>/dev/null"))
        try:
            await asyncio.wait([counting], timeout=COUNT_S)  # programs inside may stop it
            counted = counting.result().output.decode() if counting.done() else ""
        finally:
            counting.cancel()
        for line in counted.splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
        return 0

    async def why_lost(self) -> str:
        """Ask the engine what has happened to the container.

        Raises:
            SandboxStartError: It never had a chance: the image has no bash.
        """
        for _ in range(NEWS_TRIES):  # the end of a shell is known before that of its container
            code = await self._exit_code()
            if code in NO_SUCH_PROGRAM:
                raise SandboxStartError(NO_BASH.format(self.info.image))
            if code is not None:
                killed = ", killed by somebody or for want of memory" if code == KILLED else ""
                return f"the container ended (exit code {code}{killed}); the workspace is as it was"
            await asyncio.sleep(NEWS_EVERY_S)
        return "it was ended; the rest of the sandbox is as it was"

    async def why_ended(self) -> str:
        """Tell from the engine's events how the container ended."""
        if over := await super().why_ended():
            return over
        wanted = {"container": [self._name], "event": ["die", "kill", "oom"]}
        events = await self._ask(lambda engine: engine.events(self._begun, wanted))
        return cause_of([(event["Action"], event["Actor"]["Attributes"]) for event in events])

    def _who(self, *, root: bool, **variables: str) -> dict[str, Any]:
        """Say who a program runs as, and what it finds in its environment."""
        known = variables if root else {**self._user.variables, **variables}
        return {
            "User": "0:0" if root else self._user.numbers,
            "Env": [f"{name}={value}" for name, value in known.items()],
        }

    def _holders(self) -> list[dict[str, Any]]:
        """Take the lease of this machine, and say what is to be started to take that inside."""
        with contextlib.suppress(SandboxStartError):  # another machine may keep the container
            self._lease.hold()
        if self._held:
            return []
        return [{"Cmd": hold_argv(self.directory), "AttachStdin": True, **self._who(root=True)}]

    async def _exit_code(self) -> int | None:
        return await self._ask(lambda engine: engine.exit_code(self._name, self._begun))

    async def _attach_all(self, *bodies: dict[str, Any]) -> list[Attached]:
        """Start several programs; all of them, or none that anybody would have to look after."""
        attaching = [asyncio.ensure_future(self._attach(body)) for body in bodies]
        try:
            attached = await asyncio.gather(*attaching)
            if self.isolating is not None:
                await self.isolating
        except BaseException:
            for one in attaching:
                one.add_done_callback(_drop)
                one.cancel()
            raise
        return attached

    async def _attach(self, body: dict[str, Any]) -> Attached:
        attaching = asyncio.ensure_future(self._ask(lambda engine: engine.attach(self._name, body)))
        try:
            return await asyncio.shield(attaching)
        except asyncio.CancelledError:  # the thread goes on, and opens what nobody wants
            attaching.add_done_callback(_drop)
            raise
        except SandboxStartError as error:
            if IS_PAUSED in str(error):
                raise SandboxPausedError(self.info.sandbox_id) from error
            if await self._exit_code() not in NO_SUCH_PROGRAM:
                raise
            raise SandboxStartError(NO_BASH.format(self.info.image)) from error


async def _until_closed(connection: socket.socket) -> None:
    connection.settimeout(0)
    while await asyncio.get_running_loop().sock_recv(connection, 1 << 16):
        pass


def cause_of(events: list[tuple[str, dict[str, str]]]) -> str:
    """Say why a container ended whose events are these, oldest first."""
    kinds = [kind for kind, _ in events]
    if "die" not in kinds:
        return ""
    if "kill" in kinds:
        return "somebody stopped or removed its container"
    code = next(told.get("exitCode", "?") for kind, told in reversed(events) if kind == "die")
    if "oom" in kinds and code == str(KILLED):
        return "it had used up its memory"
    return f"its container ended with exit code {code}"


def _hang_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def _drop(attaching: "asyncio.Future[Attached]") -> None:
    if not attaching.cancelled() and not attaching.exception():
        _hang_up(attaching.result()[1])


async def _converse(connection: socket.socket, data: bytes) -> tuple[bytes, bytes]:
    """Send the input, and take output and errors apart. It may last as long as a program likes."""
    loop = asyncio.get_running_loop()
    frames = Frames(), Frames(ERRORS_STREAM)
    heads = Head(OUTPUT_LIMIT), Head(OUTPUT_LIMIT)

    async def send() -> None:
        with contextlib.suppress(ConnectionError):  # it does not want to read
            await loop.sock_sendall(connection, data)
            connection.shutdown(socket.SHUT_WR)

    async def receive() -> None:
        while piece := await loop.sock_recv(connection, PIECE):
            for head, parts in zip(heads, frames, strict=True):
                head.add(parts.feed(piece))

    connection.settimeout(0)
    with connection:
        await asyncio.gather(send(), receive())
    return bytes(heads[0]), bytes(heads[1])
