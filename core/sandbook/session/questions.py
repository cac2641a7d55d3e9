"""Programs that want input: how they are noticed, and answered or refused."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from sandbook.session.bash import BashSession
from sandbook.session.interrupting import interrupt
from sandbook.session.probe import Foreground, Probe, Process, safely_foreground

FIRST_LOOK_S = 0.3
LAST_LOOK_S = 2.0
QUIET_S = 0.25
"""A program that has just said something is not asking yet."""
POLLING_QUIET_S = 0.5
REFUSED_S = 0.3
REFUSALS = 3
"""Whoever asks more often in spite of them is ended by all means."""
KEY_S = 0.1
"""A program that has what it wanted of some keys goes on within this."""
END_OF_FILE = b"\x04"


@dataclass(frozen=True, slots=True)
class Question:
    """A program waits for a line of input."""

    program: str
    hidden: bool
    """Nobody shows what is typed: a password."""
    keys: bool = False
    """It waits for single keys, and a newline would be one more."""


Ask = Callable[[Question], Awaitable[str | None]]
"""Gets the answer to a question; `None` means that there will be none."""


class Attendant:
    """Attends to one command: passes its questions on, and types the answers."""

    def __init__(self, session: BashSession, probe: Probe, ask: Ask) -> None:
        self.refused = ""
        """The program that was refused an answer."""
        self._refusals = 0
        self._session = session
        self._probe = probe
        self._ask = ask

    async def attend(self, running: "asyncio.Future[Any]") -> None:
        """Look at the command from time to time until it ends."""
        delay = FIRST_LOOK_S
        while not running.done():
            await asyncio.wait([running], timeout=delay)
            if running.done() or self._quiet_s() < QUIET_S:
                continue
            foreground = await safely_foreground(self._probe, self._session)
            if foreground is not None and foreground.stopped:  # as `suspend` does, with no parent
                await self._probe.wake(self._session.pid)
            reader = self._reader(foreground)
            if foreground is None or reader is None or running.done():
                delay = min(delay * 1.5, LAST_LOOK_S)
                continue
            delay = FIRST_LOOK_S
            hidden, keys = foreground.hides(reader), foreground.takes_keys(reader)
            await self._answer(Question(reader.name, hidden, keys), running)

    def _quiet_s(self) -> float:
        return asyncio.get_running_loop().time() - self._session.said_at

    def _reader(self, foreground: Foreground | None) -> Process | None:
        if foreground is None:
            return None
        prompted = self._session.unfinished and self._quiet_s() >= POLLING_QUIET_S
        return foreground.reader(prompted=prompted)

    async def _answer(self, question: Question, running: "asyncio.Future[Any]") -> None:
        asking = asyncio.ensure_future(self._ask(question))
        try:
            await asyncio.wait([asking, running], return_when="FIRST_COMPLETED")
        finally:  # the command ended by itself, or was interrupted
            asking.cancel()
        if not asking.done():
            return
        answer = asking.result()
        if answer is None:
            await self._refuse(question, running)
            return
        await self._type(answer.encode("utf-8", "replace"), question, running)

    async def _type(
        self, answer: bytes, question: Question, running: "asyncio.Future[Any]"
    ) -> None:
        """Type an answer as a person would: with Enter, unless the program has enough before."""
        ends = answer.endswith(END_OF_FILE) or (question.keys and answer)
        line = answer if ends else answer + b"\n"
        await self._session.type(line, echo=b"" if question.hidden else line)
        if line.endswith(b"\n") or not question.keys:
            return
        said = self._session.said
        await asyncio.wait([running], timeout=KEY_S)
        foreground = await safely_foreground(self._probe, self._session)
        if foreground is None or running.done() or self._session.said != said:
            return
        reader = foreground.reader(prompted=False)
        if reader is not None and foreground.takes_keys(reader):
            await self._session.type(b"\n", echo=b"" if question.hidden else b"\n")

    async def _refuse(self, question: Question, running: "asyncio.Future[Any]") -> None:
        """Say that the input has ended; a program that goes on asking is interrupted."""
        self.refused = question.program
        self._refusals += 1
        if self._refusals > REFUSALS:
            await interrupt(self._session, self._probe)
            return
        if not question.keys:  # to which the end would be a key like any other
            await self._session.type(END_OF_FILE)
            await asyncio.wait([running], timeout=REFUSED_S)
            if running.done():
                return
        foreground = await safely_foreground(self._probe, self._session)
        if foreground is not None and foreground.reader(prompted=True):
            await self._session.press_interrupt()
            await asyncio.wait([running], timeout=REFUSED_S)
            await self._session.nudge()
