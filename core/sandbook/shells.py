"""The shells of a machine: opened when they are needed, and again when they are lost."""

import asyncio
import contextlib
import time
from collections.abc import Callable

from sandbook.errors import SandboxStartError, SessionLostError
from sandbook.machine import NO_ANSWER, Machine
from sandbook.sandbox.base import Sandbox
from sandbook.session.shell import Shell
from sandbook.session.starting import START_TIMEOUT_S, in_time

DYING_EVERY_S = 0.25
ANSWER_S = 8.0
"""How long a sandbox may take to let a new shell in; it usually takes a tenth of a second."""
NOT_LET_IN = (
    "The sandbox runs, but lets no new shell in: too many processes run in it, or it has no memory "
    "left. Replace it by a new one: %sandbox restart"
)
ShellKey = tuple[str, bool]
"""The name of a shell, and whether it is root's."""
MAIN: ShellKey = ("", False)


class Shells:
    """Opens shells; a machine that an earlier kernel made and that lets none in is replaced."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._shells: dict[ShellKey, Shell] = {}
        self._trying: set[ShellKey] = set()
        self.on_idle_output: Callable[[bytes], None] | None = None
        """Gets what the main shell says while no command runs in it."""

    def get(self, key: ShellKey) -> Shell | None:
        """Return a shell that there is or was."""
        return self._shells.get(key)

    def ready(self, key: ShellKey) -> Shell | None:
        """Return a shell that commands can be run in now; one that is tried out is busy."""
        shell = self._shells.get(key)
        is_ready = shell is not None and shell.session.is_ready and key not in self._trying
        return shell if is_ready else None

    def alive(self) -> dict[ShellKey, Shell]:
        """Return those that have not ended."""
        return {key: shell for key, shell in self._shells.items() if shell.session.is_alive}

    async def open(self, key: ShellKey) -> None:
        """Start a shell, where the last one was, in the sandbox that is there or in a new one.

        It does not wait for the shell: `answer` does, maybe in another event loop.

        Raises:
            SandboxError: There can be none; the message says what to do.
        """
        machine = self._machine
        patient_until = time.monotonic() + ANSWER_S
        while (sandbox := await machine.find()) is not None:
            with contextlib.suppress(SandboxStartError, asyncio.TimeoutError):
                await in_time(self._open_in(sandbox, key), ANSWER_S)
                return
            if time.monotonic() > patient_until:
                await self._give_up()
            await asyncio.sleep(DYING_EVERY_S)  # it was found, but may be on its way out
        await self._open_in(await machine.make(), key)

    async def answer(self, key: ShellKey) -> Shell:
        """Wait until a shell that was opened answers.

        Raises:
            SessionLostError: It does not.
        """
        machine, begun = self._machine, time.monotonic()
        self._trying.add(key)
        try:
            await self._shells[key].session.start(START_TIMEOUT_S if machine.is_new else ANSWER_S)
            if not (machine.is_new or machine.has_answered):
                await _try_out(self._shells[key])
        except SessionLostError:
            is_silent = time.monotonic() - begun >= ANSWER_S
            if machine.is_new or (machine.has_answered and not is_silent):
                raise
            if await machine.find() is not None:
                await self._give_up()
            await self.open(key)
            await self._shells[key].session.start()
        finally:
            self._trying.discard(key)
        machine.note_answer()
        return self._shells[key]

    def close(self, *keys: ShellKey, reason: str = "") -> None:
        """End these shells; what runs there is lost."""
        for key in keys:
            if shell := self._shells.pop(key, None):
                shell.close(reason)

    def close_all(self, reason: str = "") -> None:
        """End all shells."""
        self.close(*self._shells, reason=reason)

    async def interrupt(self) -> None:
        """Stop what runs in the shells now, and keep the shells."""
        await asyncio.gather(*(shell.interrupt() for shell in self._shells.values()))

    async def _open_in(self, sandbox: Sandbox, key: ShellKey) -> None:
        last = self._shells.get(key) or self._shells.get(MAIN)
        shell = Shell(sandbox, last.session.cwd if last else "", root=key[1])
        await shell.session.open()
        if key in self._shells:
            self._shells[key].close()
        if key == MAIN:
            shell.session.on_idle_output = self._tell_idle_output
        self._shells[key] = shell

    async def _give_up(self) -> None:
        """Remove a sandbox of an earlier kernel that does not answer.

        Raises:
            SandboxStartError: It has answered this kernel before, and may still be of use.
        """
        if self._machine.has_answered:
            raise SandboxStartError(NOT_LET_IN)
        await self._machine.discard(NO_ANSWER)

    def _tell_idle_output(self, data: bytes) -> None:
        if self.on_idle_output is not None:
            self.on_idle_output(data)


async def _try_out(shell: Shell) -> None:
    """Make sure that a shell in a sandbox that was found can start a process.

    Raises:
        SessionLostError: It cannot.
    """
    said = b""
    with contextlib.suppress(asyncio.TimeoutError):
        said = await in_time(shell.session.ask("builtin printf ok"), ANSWER_S)
    if said != b"ok":
        raise SessionLostError(NO_ANSWER)
