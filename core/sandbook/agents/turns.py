"""An agent and a shell take turns: a command may outlast the agent's patience, and goes on."""

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from sandbook.actions import TurnAction
from sandbook.agents import texts
from sandbook.agents.commands import separate_commands
from sandbook.agents.transcript import Transcript, shortened
from sandbook.agents.whereabouts import find_whereabouts
from sandbook.observations import CommandResult, Failure, Output, TurnResult, Whereabouts
from sandbook.session.bash import OnOutput
from sandbook.session.shell import Shell

OnText = Callable[[bytes], None]
Run = Callable[[str, OnOutput], Awaitable[CommandResult]]
CONTROL = 0x1F
INTERRUPTED = 130
END_OF_FILE, SUSPEND = "D", "Z"


@dataclass
class Running:
    """A command that an agent has begun, until its end was told."""

    ending: "asyncio.Future[CommandResult]"
    transcript: Transcript
    news: asyncio.Event
    on_text: OnText | None = None
    was_told: bool = False
    """Something was told of it already."""
    key: str = ""
    """The last key that was pressed."""


class Turns:
    """The turns of agents at one shell."""

    def __init__(self, run: Run, patience_s: float) -> None:
        self._run = run
        self._patience_s = patience_s
        self._running: Running | None = None
        self._lock = asyncio.Lock()

    async def take(
        self, shell: Shell, action: TurnAction, on_text: OnText | None = None
    ) -> TurnResult | Failure:
        """Do what the agent says, and answer when the command ends or patience does.

        Raises:
            SandboxError: The shell or the sandbox is lost; the message says why.
        """
        action = replace(action, command=action.command.strip())
        typed_to = await self._type_now(shell, action) if action.is_input else None
        async with self._lock:
            if action.is_input or not action.command:
                return await self._go_on(shell, action, on_text, typed_to or self._running)
            if self._running is not None and not self._running.ending.done():
                return await _told(self._running, action, texts.refused(action.command))
            if len(commands := separate_commands(action.command)) > 1:
                return Failure(texts.too_many(commands))
            if key := texts.key_of(action.command):
                return await _press_at_prompt(shell, action, key)
            try:
                await asyncio.wait_for(shell.until_free(), self._longest_wait(action))
            except asyncio.TimeoutError:  # a person's cell comes first
                return TurnResult(action.command, "", suffix=texts.refused(action.command))
            running = self._begin(action.command, self._running)
            return await self._wait(shell, running, action, on_text)

    async def _type_now(self, shell: Shell, action: TurnAction) -> Running | None:
        """Type without waiting for the turn that is on: it may be what ends it."""
        running = self._running
        if running is not None and not running.ending.done():
            await _type(shell, running, action.command)
        return running

    async def _go_on(
        self, shell: Shell, action: TurnAction, on_text: OnText | None, running: Running | None
    ) -> TurnResult:
        if running is None:
            why = texts.NOTHING_TO_TYPE_TO if action.is_input else texts.NOTHING_TO_WAIT_FOR
            return TurnResult("", why)
        return await self._wait(shell, running, action, on_text)

    def _begin(self, command: str, last: Running | None) -> Running:
        transcript = last.transcript if last else Transcript()  # its last words come first
        news = asyncio.Event()

        def listen(part: Output) -> None:
            if isinstance(part, bytes):
                transcript.add(part)
                news.set()
                if running.on_text is not None:
                    running.on_text(part)

        ending = asyncio.ensure_future(self._run(command, listen))
        ending.add_done_callback(lambda _: news.set())
        running = self._running = Running(ending, transcript, news)
        return running

    async def _wait(
        self, shell: Shell, running: Running, action: TurnAction, on_text: OnText | None
    ) -> TurnResult:
        running.on_text = on_text
        try:
            patience_s = None if action.blocking else self._patience_s
            why = await _until(running, patience_s, action.timeout_s)
        finally:
            running.on_text = None
        if why:
            return await _told(running, action, why)
        if self._running is running:
            self._running = None
        result = running.ending.result()
        where = await find_whereabouts(shell, result)
        return await _told(running, action, texts.ended(result.exit_code, running.key), where)

    def _longest_wait(self, action: TurnAction) -> float | None:
        limits = [action.timeout_s, None if action.blocking else self._patience_s]
        return min((limit for limit in limits if limit), default=None)


async def take_alone(
    shell: Shell, action: TurnAction, patience_s: float, on_text: OnText | None = None
) -> TurnResult | Failure:
    """Run one command in a shell that is there for it alone, and end both."""

    async def run(command: str, on_output: OnOutput) -> CommandResult:
        return await shell.run(command, on_output, job_notices=True)

    try:
        return await Turns(run, patience_s).take(shell, action, on_text)
    finally:
        shell.close()


async def _until(running: Running, patience_s: float | None, timeout_s: float | None) -> str:
    """Wait for the end of the command; say why, if it is still to come."""
    loop = asyncio.get_running_loop()
    begun = said = loop.time()
    while not running.ending.done():
        now = loop.time()
        silent_at = said + patience_s if patience_s else math.inf
        late_at = begun + timeout_s if timeout_s else math.inf
        if now >= silent_at:
            return texts.silent(patience_s or 0)
        if now >= late_at:
            return texts.late(timeout_s or 0)
        limit = min(silent_at, late_at)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(running.news.wait(), None if limit == math.inf else limit - now)
            running.news.clear()
            said = loop.time()
    return ""


async def _told(
    running: Running, action: TurnAction, suffix: str, where: Whereabouts | None = None
) -> TurnResult:
    """Give what nobody was told yet; `where` is known when the command has ended."""
    prefix = texts.GOES_ON if running.was_told and where is None else ""
    running.was_told = True
    said = await running.transcript.take()
    if said.kept_lines:
        prefix = texts.cut(said.kept_lines)
    content = said.text if action.hidden else shortened(said.text)
    known = where or Whereabouts()
    return TurnResult(action.command, content, known, prefix, suffix, action.hidden)


async def _type(shell: Shell, running: Running, command: str) -> None:
    if key := texts.key_of(command):
        running.key = key
        if key != END_OF_FILE:  # which no terminal shows
            running.transcript.add(f"^{key}".encode() + b"\n" * (key != SUSPEND))
        if key == "C":
            await shell.press_interrupt()
        else:
            await shell.session.type(bytes([ord(key) & CONTROL]))
        return
    line = command.encode("utf-8", "replace") + b"\n"
    await shell.session.type(line, echo=line)


async def _press_at_prompt(shell: Shell, action: TurnAction, key: str) -> TurnResult:
    """Answer as a shell does that has nothing to do: only Ctrl-C means anything to it."""
    exit_code = INTERRUPTED if key == "C" else 0
    result = CommandResult(exit_code, shell.session.cwd, shell.session.pid)
    where = await find_whereabouts(shell, result)
    return TurnResult(action.command, f"^{key}", where, suffix=texts.ended(exit_code, key))
