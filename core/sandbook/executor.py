"""One road for cells and agents: an action goes in, an observation comes out."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from traitlets.config import Config

from sandbook.actions import RunAction
from sandbook.errors import (
    OutOfMemoryError,
    SandboxError,
    SandboxNotFoundError,
    SandboxStartError,
    SessionLostError,
)
from sandbook.files.archive import ArchivePolicy
from sandbook.files.history import History
from sandbook.jobs import Job, Jobs
from sandbook.observations import CommandResult
from sandbook.sandbox.base import Backend, OnProgress, Sandbox, SandboxInfo, SandboxRequest
from sandbook.sandbox.factory import SandboxFactory
from sandbook.sandbox.progress import Progress
from sandbook.session.bash import OnOutput
from sandbook.session.questions import Ask
from sandbook.session.shell import Shell

if TYPE_CHECKING:
    from sandbook.files.workspace import WorkspaceFiles

RESTART_GRACE_S = 60
KILLED = 128 + 9
INTERRUPTED = 128 + 2
DYING_TRIES, DYING_EVERY_S = 20, 0.25

ShellKey = tuple[str, bool]
"""The name of a shell, and whether it is root's."""
MAIN: ShellKey = ("", False)


class ActionExecutor:
    """Owns one sandbox and its shells: makes them when needed, and again when they are lost."""

    def __init__(self, factory: SandboxFactory, request: SandboxRequest) -> None:
        self._factory = factory
        self._request = request
        self._starting = asyncio.Lock()
        self._early: Future[None] | None = None
        self._backend: Backend | None = None
        self._sandbox: Sandbox | None = None
        self._shells: dict[ShellKey, Shell] = {}
        self._oom_kills = 0
        self._interrupts = 0
        self._files: dict[tuple[str, bool], WorkspaceFiles] = {}
        self.jobs = Jobs()
        """What runs in the background."""
        self.edits = History()
        """What files held before they were edited through here."""
        self.on_progress: OnProgress | None = None
        """Told how far the image of the sandbox is, from a thread."""
        self.on_idle_output: Callable[[bytes], None] | None = None
        """Gets what the main shell says while no command runs in it."""

    @property
    def sandbox_id(self) -> str:
        """The id of the sandbox, which is there before it is."""
        return self._request.sandbox_id

    @property
    def config(self) -> Config:
        """The settings of our classes."""
        return self._factory.config

    @property
    def info(self) -> SandboxInfo | None:
        """What is known of the sandbox; nothing before it has started."""
        return self._sandbox.info if self._sandbox else None

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox.

        Raises:
            SessionLostError: It has not started yet.
        """
        if self._sandbox is None:
            raise SessionLostError
        return self._sandbox

    @property
    def shells(self) -> dict[ShellKey, Shell]:
        """The shells that there are now."""
        return {key: shell for key, shell in self._shells.items() if shell.session.is_alive}

    def start_early(self) -> None:
        """Begin to start sandbox and shell in a thread, while the process is busy with imports."""
        early: Future[None] = Future()

        def work() -> None:
            try:
                asyncio.run(self._open(MAIN))
            except Exception as error:  # noqa: BLE001 -- `start` raises it again
                early.set_exception(error)
            else:
                early.set_result(None)

        self._early = early
        threading.Thread(target=work, name="sandbook-early-start", daemon=True).start()

    async def start(self, session: str = "", *, root: bool = False) -> Shell:
        """Make sure that a shell runs in the sandbox; quick when it does.

        Raises:
            SandboxError: There can be none; the message says what to do.
        """
        key = (session, root)
        if key in self._shells and self._shells[key].session.is_ready:
            return self._shells[key]
        async with self._starting:
            try:
                if self._early is not None:
                    await self._finish_early(self._early)
                shell = self._shells.get(key)
                if shell is None or not shell.session.is_ready:
                    shell = await self._open(key)
                    await shell.session.start()
            except SessionLostError as error:
                raise await self._explained(error) from error
            return shell

    async def run(
        self, action: RunAction, on_output: OnOutput, ask: Ask | None = None
    ) -> CommandResult:
        """Do the action to its end; `on_output` gets each piece of output as it arrives.

        Args:
            ask: Gets the input that a program wants.

        Raises:
            OutOfMemoryError: The command, or the shell with it, was ended for want of memory.
            SessionLostError: The shell or its sandbox is gone; the message says why.
        """
        interrupts = self._interrupts
        shell = await self.start(action.session, root=action.root)
        if self._interrupts != interrupts:  # while there was no shell yet that could have been
            return CommandResult(
                INTERRUPTED, shell.session.cwd, shell.session.pid, interrupted=True
            )
        try:
            result = await shell.run(action.command, on_output, ask, action.timeout_s)
        except SessionLostError as error:
            if error.is_known:
                raise
            raise await self._explained(error) from error
        if result.exit_code == KILLED and not result.interrupted:
            await self._check_memory()
        return result

    async def files(self, session: str = "", *, root: bool = False) -> "WorkspaceFiles":
        """Reach the files of the sandbox, from where a shell is; root may have one of its own."""
        await self.start()
        if self._sandbox is None:
            raise SessionLostError
        known = (self._shells.get((session, who)) for who in (root, False))
        shell = next(filter(None, known), self._shells[MAIN])
        key = (self._sandbox.info.started_at.isoformat(), root)
        if key not in self._files:
            # Imported late: most kernels only run commands, and all should start at once.
            from sandbook.files.workspace import WorkspaceFiles  # noqa: PLC0415

            policy = ArchivePolicy(config=self.config)
            self._files[key] = WorkspaceFiles(self._sandbox, root=root, policy=policy)
        return self._files[key].at(shell.session.cwd)

    async def begin(self, action: RunAction) -> Job:
        """Do the action in the background, in a copy of its shell."""
        original = await self.start(action.session, root=action.root)
        if self._sandbox is None:
            raise SessionLostError
        state = await original.session.copy()
        where = original.session.cwd
        shell = Shell(self._sandbox, where, root=action.root, state=state)
        await shell.session.start()
        return self.jobs.begin(action.command, shell, action.timeout_s)

    def check_agents(self) -> None:
        """Make sure that an agent may act in the sandbox, which has started.

        Raises:
            AgentsRefusedError: It may not; the message says how to allow it.
        """
        if self._backend is not None:
            self._backend.check_agents()

    async def fresh(self, cwd: str = "", *, root: bool = False) -> Shell:
        """Start a shell that is nobody else's; whoever asked for it closes it."""
        await self.start()
        shell = Shell(self.sandbox, cwd, root=root)
        await shell.session.start()
        return shell

    def close_shell(self, session: str) -> None:
        """End the shell of a name, and root's beside it; what runs there is lost."""
        for key in ((session, False), (session, True)):
            if shell := self._shells.pop(key, None):
                shell.close()

    async def interrupt(self) -> None:
        """Stop what runs in the shells now, and keep the shells. Jobs go on."""
        self._interrupts += 1
        await asyncio.gather(*(shell.interrupt() for shell in self._shells.values()))

    async def close(self, *, restart: bool) -> None:
        """End the shells, and the sandbox with them unless its next owner is about to come."""
        if self._backend is not None:
            self._backend.cancel()
        async with self._starting:  # what is half made must be whole before it can be removed
            if self._early is not None:
                await asyncio.gather(asyncio.wrap_future(self._early), return_exceptions=True)
            if self._sandbox is not None and restart:
                await self._sandbox.release(RESTART_GRACE_S)
            self.jobs.close()
            for files in self._files.values():
                await files.close()
            for shell in self._shells.values():
                shell.close()
            if self._backend is not None and not restart:
                await self._backend.retire(self._request.sandbox_id)
            self._factory.close()

    async def _finish_early(self, early: "Future[None]") -> None:
        """Wait for what was begun in a thread, which goes on if nobody waits any more."""
        try:
            await asyncio.shield(asyncio.wrap_future(early))
        finally:
            if early.done():
                self._early = None
        await self._shells[MAIN].session.start()

    async def _open(self, key: ShellKey) -> Shell:
        """Start a shell, where the last one was, in the sandbox that is there or in a new one."""
        if self._backend is None:
            self._backend = await self._factory.choose()
            self._backend.on_progress = self._tell_progress
        for _ in range(DYING_TRIES):
            try:
                self._sandbox = await self._backend.find(self._request.sandbox_id)
            except SandboxNotFoundError:
                break
            with contextlib.suppress(SandboxStartError):
                if self._sandbox.info.state == "paused":
                    await self._sandbox.resume()
                return await self._open_in(self._sandbox, key)
            await asyncio.sleep(DYING_EVERY_S)  # it was found, but is on its way out
        self._oom_kills = 0
        self._sandbox = await self._backend.create(self._request)
        return await self._open_in(self._sandbox, key)

    async def _open_in(self, sandbox: Sandbox, key: ShellKey) -> Shell:
        last = self._shells.get(key) or self._shells.get(MAIN)
        shell = Shell(sandbox, last.session.cwd if last else "", root=key[1])
        await shell.session.open()
        if key in self._shells:
            self._shells[key].close()
        if key == MAIN:
            shell.session.on_idle_output = self._tell_idle_output
        self._shells[key] = shell
        return shell

    def _tell_progress(self, progress: Progress) -> None:
        if self.on_progress is not None:
            self.on_progress(progress)

    def _tell_idle_output(self, data: bytes) -> None:
        if self.on_idle_output is not None:
            self.on_idle_output(data)

    async def _explained(self, error: SessionLostError) -> SandboxError:
        """Say what has become of the shell, as well as the backend knows."""
        if self._sandbox is None:
            return error
        try:
            await self._check_memory()
            return SessionLostError(await self._sandbox.why_lost())
        except SandboxError as known:
            return known

    async def _check_memory(self) -> None:
        if self._sandbox is None:
            return
        before = self._oom_kills
        with contextlib.suppress(SandboxError):
            self._oom_kills = await self._sandbox.oom_kills()
        if self._oom_kills > before:
            setting = f"{type(self._backend).__name__}.memory_mb"
            raise OutOfMemoryError(self._sandbox.info.limits.memory_mb, setting)
