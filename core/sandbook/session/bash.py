"""A persistent bash: commands in, output as it happens, exit codes out."""

import asyncio
import contextlib
import dataclasses
import secrets
from collections.abc import Callable

from sandbook.errors import InvalidActionError, SessionBusyError, SessionLostError
from sandbook.head import Head
from sandbook.observations import CommandResult, Output
from sandbook.sandbox.base import Sandbox
from sandbook.sandbox.stream import ShellStream
from sandbook.session.echoes import INTERRUPT, Echoes
from sandbook.session.filters import Filters
from sandbook.session.framing import (
    Hints,
    Mark,
    MarkScanner,
    Ticket,
    aside,
    hints_from,
    quote,
    random_number,
    report_end,
    source_of,
    wrap,
)
from sandbook.session.handing import through_file
from sandbook.session.marks import end_from, rich_from
from sandbook.session.starting import LAST_WORDS, START_TIMEOUT_S, answered, shell_request
from sandbook.session.syntax import fitted
from sandbook.session.tidying import tidying_after

OnOutput = Callable[[Output], None]

READS_AT_ONCE = 8
MOST_SAID = 1 << 20  # of an answer to us: the shell may have been made to say anything
LONGEST_WORD = 1 << 16  # longer ones go through a file: bash reads a FIFO byte by byte
SETTLE_TRIES, SETTLE_EVERY_S = 50, 0.005


class BashSession:
    """One bash on one terminal of a sandbox. It keeps its state from command to command."""

    def __init__(
        self, sandbox: Sandbox, cwd: str = "", *, root: bool = False, state: str = ""
    ) -> None:
        self.cwd = cwd or sandbox.workspace
        self.pid = 0
        self.root = root
        self.said_at = 0.0
        """When the terminal last said something, by the event loop's clock."""
        self.said = 0  # bytes of programs, beside what the terminal only repeats
        self.unfinished = False  # the last words have no newline behind them, as a question
        self.on_idle_output: Callable[[bytes], None] | None = None
        """Gets what comes while no command runs: from programs in the background."""
        self._sandbox = sandbox
        self._state = state
        self._nonce = random_number()
        self._scanner = MarkScanner(self._nonce)
        self._echoes = Echoes()
        self.filters = Filters()
        self._ticket = Ticket(0, random_number())
        self._status = 0
        self._flags: str = ""
        self._running: asyncio.Future[CommandResult] | None = None
        self._begun = asyncio.Event()
        self._typed = False
        self._on_output: OnOutput | None = None
        self._stream: ShellStream | None = None
        self._answer: asyncio.Future[CommandResult] | None = None  # the first, if waited for
        self._nudging: asyncio.Future[None] | None = None
        self._greeting = bytearray()

    @property
    def is_alive(self) -> bool:
        """Say whether there is a bash, maybe one that has not answered yet."""
        return self._stream is not None

    @property
    def is_ready(self) -> bool:
        """Say whether commands can be run: bash has answered."""
        return self.is_alive and self.pid > 0

    @property
    def running(self) -> "asyncio.Future[CommandResult] | None":
        """The command that runs now, if any does."""
        return self._running

    @property
    def directory(self) -> str:
        """The folder of this session's plumbing, inside the sandbox."""
        return f"{self._sandbox.plumbing(root=self.root)}/{self._nonce}"

    async def open(self) -> ShellStream:
        """Start bash without waiting for it, in any event loop; `start` may use another."""
        request = shell_request(
            self.directory, self._nonce, self.cwd, root=self.root, state=self._state
        )
        self._stream = await self._sandbox.open_shell(request)
        return self._stream

    async def start(self, timeout_s: float = START_TIMEOUT_S) -> None:
        """Start bash, unless that is done, and wait until it answers.

        Raises:
            SessionLostError: It did not; the message holds what it said.
        """
        stream = self._stream or await self.open()
        self._answer = asyncio.Future()
        asyncio.get_running_loop().add_reader(stream.fileno(), self._readable)
        try:
            await stream.control(report_end(self._ticket))
            await answered(self._answer, self._greeting, timeout_s)
        except BaseException:  # whoever gave up waiting would get the answer of another command
            self._drop()
            raise
        self._answer = None

    async def run(self, command: str, on_output: OnOutput) -> CommandResult:
        """Run one command to its end. The shell keeps directory, variables, functions and jobs.

        Args:
            on_output: Called with each piece of output as it arrives.

        Raises:
            InvalidActionError: Bash cannot hold such a command.
            SessionBusyError: An earlier command still runs.
            SessionLostError: The shell or its sandbox is gone.
        """
        if "\0" in command:
            raise InvalidActionError("Bash code cannot hold a NUL character; write it as \\0.")
        source = source_of(fitted(command), self._flags, self._status)
        result = await self._run(source, on_output, self._status, hints_from(source))
        if lines := tidying_after(result, typed=self._typed):
            await self._control(lines)
        return result

    async def ask(self, command: str) -> bytes:
        """Run something of our own, in a copy of the shell, and give back what it says.

        The shell does not notice: neither `$?` nor anything else changes.
        """
        said = Head(MOST_SAID)
        kept = self._status, self._flags, self.cwd
        await self._run(aside(command), said.add, 0, Hints(ours=True))
        self._status, self._flags, self.cwd = kept
        return bytes(said)

    async def copy(self) -> str:
        """Write down the state of the shell, for another one; give back where."""
        path = f"{self.directory}/copy-{secrets.token_hex(4)}"
        await self.ask(f'__sandbook_dump "" "$@" >{path}')
        return path

    async def _run(
        self, source: bytes, on_output: OnOutput, status: int, hints: Hints
    ) -> CommandResult:
        if self._running is not None:
            raise SessionBusyError
        if (stream := self._stream) is None:
            raise SessionLostError
        self._ticket = Ticket(self._ticket.number + 1, random_number())
        self._running = asyncio.get_running_loop().create_future()
        self._begun.clear()
        self._typed, self._on_output = False, on_output
        self.filters.begin(source, self._flags)
        self.said_at, self.unfinished = asyncio.get_running_loop().time(), False
        try:
            word = quote(source)
            if len(word) > LONGEST_WORD:
                code = self._sandbox, self.directory, source
                load, word = await through_file(*code, root=self.root)
                await self._control(load)
            await self._control(wrap(word, self._ticket, status, hints, f"{self.directory}/rc"))
            return await self._running
        finally:
            self._running = self._on_output = None
            self._echoes.clear()
            if self._typed and self._stream is stream:
                stream.forget_typed()

    async def _control(self, lines: bytes) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):  # a lost shell is told by its terminal
                await self._stream.control(lines)

    async def begun(self) -> None:
        """Wait until the command has really begun: only then may it be typed to."""
        await self._begun.wait()

    async def type(self, data: bytes, echo: bytes = b"") -> None:
        """Send bytes as if somebody typed them; `echo` is what the terminal will say to that."""
        if self._stream is not None:
            self._typed = self._typed or data != INTERRUPT
            self._echoes.expect(echo)
            (self._stream.press if data == INTERRUPT else self._stream.type)(data)

    async def press_interrupt(self) -> None:
        """Press Ctrl-C. Bash answers with an empty line, which is not the command's."""
        self._echoes.press()
        await self.type(INTERRUPT)

    async def settle(self) -> None:
        """Wait until each Ctrl-C has arrived, lest it hits the next command."""
        for _ in range(SETTLE_TRIES):
            if not self._echoes.pressed:
                break
            await asyncio.sleep(SETTLE_EVERY_S)
        self._echoes.pressed = 0

    async def nudge(self) -> None:
        """Let the shell report once more: Ctrl-C may have hit the report itself."""
        if self._running is not None:
            await self._control(report_end(self._ticket))

    async def resize(self, rows: int, columns: int) -> None:
        """Tell the programs on the terminal how large it is."""
        if self._stream is not None:
            await self._stream.resize(rows, columns)

    def close(self, reason: str = "") -> None:
        """Hang up. A command that still runs ends with `SessionLostError`."""
        self._drop()
        for waiting in (self._answer, self._running):
            if waiting is not None and not waiting.done():
                waiting.set_exception(SessionLostError(reason) if reason else SessionLostError())
        self._begun.set()

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
            self.said_at = asyncio.get_running_loop().time()
            for part in self._scanner.feed(data):
                if isinstance(part, Mark):
                    self._take(part)
                else:
                    self._say(part)

    def _say(self, data: bytes) -> None:
        if self._answer is not None:
            self._greeting += data
            del self._greeting[:-LAST_WORDS]
        elif self._on_output is None or not self._begun.is_set():
            data = self.filters.strip_idle(self._echoes.strip_idle(data))
            if data and self.on_idle_output is not None:
                self.on_idle_output(data)
        elif data := self.filters.strip(self._echoes.strip(data)):
            self.said += len(data)
            self.unfinished = not data.endswith(b"\n")
            self._on_output(data)

    def _take(self, mark: Mark) -> None:
        if mark.kind == "B":
            if mark.fields == (b"%d" % self._ticket.number,):
                self._begun.set()
        elif mark.kind == "D":
            self._end(mark)
        elif mark.kind == "A":
            if self._nudging is None or self._nudging.done():  # any program can print this mark
                self._nudging = asyncio.ensure_future(self.nudge())
        elif self._on_output is not None and (rich := rich_from(mark)):
            self._on_output(rich)

    def _end(self, mark: Mark) -> None:
        """Answer the command, if the mark proves its end."""
        running = self._answer or self._running
        proof = b"%d" % self._ticket.number, self._ticket.secret.encode()
        if running is None or running.done() or mark.fields[:2] != proof:
            return
        held = self._echoes.rest(interrupted=mark.fields[2] == b"130")
        if (rest := self.filters.rest(held)) and self._on_output:
            self._on_output(rest)
        self._begun.clear()
        running.set_result(self._note(mark))

    def _note(self, mark: Mark) -> CommandResult:
        """Remember where the shell stands."""
        result, self._flags = end_from(mark)
        if not result.cwd.startswith("/"):  # the command has lost PWD
            result = dataclasses.replace(result, cwd=self.cwd)
        self._status, self.pid, self.cwd = result.exit_code, result.pid, result.cwd
        return result

    def _drop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(RuntimeError):  # no event loop runs any more
                asyncio.get_running_loop().remove_reader(stream.fileno())
            stream.close()
