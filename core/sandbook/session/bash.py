"""A persistent bash: commands in, output as it happens, exit codes out."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable

import pexpect
from pexpect.fdpexpect import fdspawn

from sandbook.errors import SessionBusyError, SessionLostError
from sandbook.observations import CommandResult
from sandbook.sandbox.base import Sandbox, ShellRequest
from sandbook.sandbox.scripts import read_script
from sandbook.sandbox.stream import ShellStream
from sandbook.session.framing import Mark, MarkScanner, report_end, wrap

START_TIMEOUT_S = 30
INTERRUPT = b"\x03"
NUDGE_DELAYS_S = (0.05, 0.25, 0.7, 1.0)
READS_AT_ONCE = 8
ENVIRONMENT = (
    ("TERM", "xterm-256color"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("LANG", "C.UTF-8"),
)


class BashSession:
    """One bash on one terminal of a sandbox. It keeps its state from command to command."""

    def __init__(self, sandbox: Sandbox, cwd: str = "", *, root: bool = False) -> None:
        self.cwd = cwd or sandbox.workspace
        self.pid = 0
        self._sandbox = sandbox
        self._root = root
        self._nonce = secrets.token_hex(8)
        self._scanner = MarkScanner(self._nonce)
        self._number = 0
        self._status = 0
        self._flags = ""
        self._running: asyncio.Future[CommandResult] | None = None
        self._on_output: Callable[[bytes], None] | None = None
        self._stream: ShellStream | None = None

    @property
    def is_alive(self) -> bool:
        """Say whether commands can be run."""
        return self._stream is not None

    def _request(self) -> ShellRequest:
        directory = f"{self._sandbox.directory}/{self._nonce}"
        rc = read_script("sandbook.session.rc", "session.sh")
        rc = rc.replace("@NONCE@", self._nonce).replace("@DIR@", directory)
        init = read_script("sandbook.session.rc", "init.sh")
        return ShellRequest(
            argv=("bash", "-c", init, "sandbook", directory, self.cwd, rc),
            control=f"{directory}/control",
            environment=ENVIRONMENT,
            root=self._root,
        )

    async def open(self) -> None:
        """Start bash without waiting for it, in any event loop; `start` may use another."""
        self._stream = await self._sandbox.open_shell(self._request())

    async def start(self) -> None:
        """Start bash, unless that is done, and wait until it answers.

        Raises:
            SessionLostError: It did not; the message holds what it said.
        """
        if self._stream is None:
            await self.open()
        if self._stream is None:
            raise SessionLostError
        await self._stream.control(report_end(0))
        await asyncio.to_thread(self._shake_hands, self._stream)
        asyncio.get_running_loop().add_reader(self._stream.fileno(), self._readable)

    def _shake_hands(self, stream: ShellStream) -> None:
        """Wait for the first mark. Blocks: runs in a thread, before the event loop reads."""
        terminal: fdspawn[bytes] = fdspawn(stream.fileno(), timeout=START_TIMEOUT_S)
        try:
            terminal.expect(rb"\x1b\]7717;%s;D;0;[^\x07]*\x07" % self._nonce.encode())
        except (pexpect.EOF, pexpect.TIMEOUT) as error:
            self._drop()
            said = (terminal.before or b"").decode("utf-8", "replace").strip()[-500:]
            raise SessionLostError(f"bash did not start ({said or 'it said nothing'})") from error

    async def run(self, command: str, on_output: Callable[[bytes], None]) -> CommandResult:
        """Run one command to its end. The shell keeps directory, variables, functions and jobs.

        Args:
            on_output: Called with each piece of output as it arrives.

        Raises:
            SessionBusyError: An earlier command still runs.
            SessionLostError: The shell or its sandbox is gone.
        """
        if self._running is not None:
            raise SessionBusyError
        if self._stream is None:
            raise SessionLostError
        self._number += 1
        self._running = asyncio.get_running_loop().create_future()
        self._on_output = on_output
        try:
            lines = wrap(command, self._number, self._status, self._flags)
            with contextlib.suppress(OSError):  # a lost shell is told by its terminal
                await self._stream.control(lines)
            return await self._running
        finally:
            self._running = None
            self._on_output = None

    async def interrupt(self) -> None:
        """Press Ctrl-C, and see to it that the shell reports back."""
        running, stream = self._running, self._stream
        if running is None or stream is None:
            return
        # The second one is for a program that had not quite started when the first one came.
        for delays in (NUDGE_DELAYS_S, NUDGE_DELAYS_S):
            await stream.type(INTERRUPT)
            for delay in delays:
                await asyncio.wait([running], timeout=delay)
                if running.done():
                    return
                await stream.control(report_end(self._number))

    def close(self) -> None:
        """Hang up. A command that still runs ends with `SessionLostError`."""
        self._drop()
        self._fail()

    def _readable(self) -> None:
        """Take what has arrived; a flood must not keep the event loop from everything else."""
        for _ in range(READS_AT_ONCE):
            if self._stream is None:
                return
            try:
                data = self._stream.read()
            except BlockingIOError:
                return
            if not data:
                self.close()
                return
            for part in self._scanner.feed(data):
                self._take(part)

    def _take(self, part: bytes | Mark) -> None:
        if isinstance(part, Mark):
            self._end(part)
        elif self._on_output is not None:
            self._on_output(part)

    def _end(self, mark: Mark) -> None:
        """Note where the shell stands, and answer the command that the mark belongs to."""
        number, status, flags, pid, *cwd = mark.fields
        if self._running is None or self._running.done():
            return
        if mark.kind == "D" and int(number) != self._number:
            return
        self._status, self._flags, self.pid = int(status), flags.decode(), int(pid)
        self.cwd = b";".join(cwd).decode("utf-8", "replace")
        self._running.set_result(
            CommandResult(self._status, self.cwd, self.pid, shell_exited=mark.kind == "X")
        )

    def _drop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(RuntimeError):  # in the thread of the handshake
                asyncio.get_running_loop().remove_reader(stream.fileno())
            stream.close()

    def _fail(self) -> None:
        if self._running is not None and not self._running.done():
            self._running.set_exception(SessionLostError())
