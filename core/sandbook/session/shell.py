"""A shell with all that belongs to it: the session, and the probe that looks after it."""

import asyncio
import dataclasses
from typing import Any

from sandbook.errors import IncompleteCommandError, SessionBusyError
from sandbook.observations import CommandResult
from sandbook.sandbox.base import Sandbox
from sandbook.session.bash import BashSession, OnOutput
from sandbook.session.interrupting import interrupt, press
from sandbook.session.probe import Probe
from sandbook.session.questions import Ask, Attendant
from sandbook.session.syntax import continues, looks_incomplete, unclosed

ASK_S = 3.0


class Shell:
    """Runs commands that may ask, take too long, or have to be stopped."""

    def __init__(
        self, sandbox: Sandbox, cwd: str = "", *, root: bool = False, state: str = ""
    ) -> None:
        self.session = BashSession(sandbox, cwd, root=root, state=state)
        self.probe = Probe(sandbox, root=root)
        self._busy = False
        self._free = asyncio.Event()
        self._sent = asyncio.Event()
        self._interrupting: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._interrupted = False
        self._asking: asyncio.Future[bytes] | None = None

    @property
    def is_busy(self) -> bool:
        """Say whether a command runs, or is about to."""
        return self._busy or self.session.running is not None

    async def run(
        self,
        command: str,
        on_output: OnOutput,
        ask: Ask | None = None,
        timeout_s: float | None = None,
        job_notices: bool = False,  # noqa: FBT001, FBT002
    ) -> CommandResult:
        """Run one command to its end.

        Args:
            ask: Gets the input that a program wants; without it, nobody looks.
            timeout_s: How long the command may take before it is interrupted.
            job_notices: Show what bash tells of jobs without being asked.

        Raises:
            IncompleteCommandError: Something is left open in it, so it was not run.
            SessionError: The shell is busy, or lost.
        """
        if self._busy:
            raise SessionBusyError
        self._busy, self._interrupted = True, False
        self._free.clear()
        self._sent.clear()
        try:
            if self._asking is not None and not self._asking.done():
                await asyncio.wait([self._asking])
            await self._check(command)
            self.session.filters.job_notices = job_notices
            return await self._attended(command, on_output, ask, timeout_s)
        finally:
            self._busy = False
            self._free.set()
            self._sent.set()
            if self._interrupting is not None:
                await asyncio.wait([self._interrupting], timeout=1)

    async def ask(self, command: str) -> str:
        """Have a word about the shell with itself or, while it is busy, with one beside it.

        Raises:
            SessionBusyError: It does not answer in time; the next command waits until it does.
        """
        if self.is_busy:
            return await self.probe.ask(command, cwd=self.session.cwd)
        self._asking = asking = asyncio.ensure_future(self.session.ask(command))
        asking.add_done_callback(_retrieve)
        try:
            await asyncio.wait([asking], timeout=ASK_S)
        except asyncio.CancelledError:
            asking.cancel()
            raise
        if not asking.done():  # the shell may be paused, or run what a cell has put in our way
            raise SessionBusyError
        return asking.result().decode("utf-8", "surrogateescape")

    async def _attended(
        self, command: str, on_output: OnOutput, ask: Ask | None, timeout_s: float | None
    ) -> CommandResult:
        running = asyncio.ensure_future(self.session.run(command, on_output))
        asyncio.get_running_loop().call_soon(self._sent.set)  # after the first step of that
        attendant = Attendant(self.session, self.probe, ask) if ask else None
        attending = asyncio.ensure_future(attendant.attend(running)) if attendant else None
        if attending is not None:
            attending.add_done_callback(self._stop_unattended)
        try:
            _, late = await asyncio.wait([running], timeout=timeout_s)
            if late:
                await self.interrupt()
            result = await running
        finally:
            running.add_done_callback(_retrieve)
            if attending is not None and not attending.cancel():
                attending.result()  # or why nobody could be asked
        return dataclasses.replace(
            result,
            interrupted=self._interrupted,
            timed_out=bool(late),
            refused=attendant.refused if attendant else "",
        )

    def _stop_unattended(self, attending: "asyncio.Future[None]") -> None:
        """Interrupt a command that would wait for ever, since asking for its input has failed."""
        if not attending.cancelled() and attending.exception() is not None:
            self._stopping = asyncio.ensure_future(self.interrupt())

    async def until_free(self) -> None:
        """Wait until no command runs."""
        while self.is_busy:
            if self._busy:
                await self._free.wait()
            elif (asking := self.session.running) is not None:
                await asyncio.wait([asking])

    async def interrupt(self) -> None:
        """Stop what runs now, and keep the shell. A second call joins the first."""
        if not self.is_busy:
            return
        self._interrupted = True
        if self._interrupting is None or self._interrupting.done():
            self._interrupting = asyncio.ensure_future(self._stop())
        await self._interrupting

    async def press_interrupt(self) -> None:
        """Press Ctrl-C once, as somebody at the terminal does; nothing is made to end."""
        await press(self.session, self.probe)

    async def _stop(self) -> None:
        if self._asking is None or self._asking.done():
            await self._sent.wait()  # until then it is only being looked at
        await interrupt(self.session, self.probe)

    def close(self, reason: str = "") -> None:
        """End the session and the probe. `reason` is told to whoever waits for a command."""
        self.probe.close()
        self.session.close(reason)

    async def _check(self, command: str) -> None:
        """Refuse what bash would run up to the point where something was left open."""
        last = command.rstrip("\n").count("\n") + 1
        if continues(command):
            raise IncompleteCommandError(last, "the backslash at its end has no next line")
        if looks_incomplete(command) and (found := unclosed(await self.probe.check(command))):
            raise IncompleteCommandError(min(found[0], last), found[1])


def _retrieve(ended: "asyncio.Future[Any]") -> None:
    """Take note of an error that nobody waits for any more."""
    if not ended.cancelled():
        ended.exception()
