"""One road for cells and agents: an action goes in, an observation comes out."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from traitlets.config import Config

from sandbook.actions import RunAction
from sandbook.errors import SandboxError, SessionLostError
from sandbook.files.archive import ArchivePolicy
from sandbook.files.history import History
from sandbook.jobs import Job, Jobs
from sandbook.machine import Machine
from sandbook.news import News
from sandbook.observations import CommandResult, Output
from sandbook.refusals import Refusals
from sandbook.sandbox.base import OnProgress, Sandbox, SandboxInfo, SandboxRequest
from sandbook.sandbox.factory import SandboxFactory
from sandbook.sandbox.progress import Progress
from sandbook.session.bash import OnOutput
from sandbook.session.questions import Ask
from sandbook.session.shell import Shell
from sandbook.shells import MAIN, ShellKey, Shells

if TYPE_CHECKING:
    from sandbook.files.workspace import WorkspaceFiles

RESTART_GRACE_S = 60
KILLED = 128 + 9
INTERRUPTED = 128 + 2
RELEASE_S = 5.0


class ActionExecutor:
    """Owns one sandbox and its shells: makes them when needed, and again when they are lost."""

    def __init__(self, factory: SandboxFactory, request: SandboxRequest) -> None:
        self._factory = factory
        self._machine = Machine(factory, request)
        self._starting = asyncio.Lock()
        self._early: Future[None] | None = None
        self._shells = Shells(self._machine)
        self._interrupts = 0
        self._files: dict[tuple[str, bool], WorkspaceFiles] = {}
        self.jobs = Jobs()
        """What runs in the background."""
        self.edits = History()
        """What files held before they were edited through here."""
        self.on_progress: OnProgress | None = None
        """Told how far the image of the sandbox is, from a thread."""

    @property
    def sandbox_id(self) -> str:
        """The id of the sandbox, which is there before it is."""
        return self._machine.request.sandbox_id

    @property
    def config(self) -> Config:
        """The settings of our classes."""
        return self._factory.config

    @property
    def info(self) -> SandboxInfo | None:
        """What is known of the sandbox; nothing before it has started."""
        return self._machine.sandbox.info if self._machine.sandbox else None

    @property
    def news(self) -> News:
        """What the users of the sandbox are to be told: that it is a new one, for example."""
        return self._machine.news

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox.

        Raises:
            SessionLostError: It has not started yet.
        """
        if self._machine.sandbox is None:
            raise SessionLostError
        return self._machine.sandbox

    @property
    def shells(self) -> dict[ShellKey, Shell]:
        """The shells that there are now."""
        return self._shells.alive()

    def on_idle_output(self, hear: Callable[[bytes], None]) -> None:
        """Let somebody hear what the main shell says while no command runs in it."""
        self._shells.on_idle_output = hear

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
        if shell := self._shells.ready(key):
            return shell
        async with self._starting:
            try:
                if self._early is not None:
                    await self._finish_early(self._early)
                if shell := self._shells.ready(key):
                    return shell
                await self._open(key)
                return await self._shells.answer(key)
            except SessionLostError as error:
                raise await self._machine.explained(error) from error

    async def run(
        self,
        action: RunAction,
        on_output: OnOutput,
        ask: Ask | None = None,
        on_ready: Callable[[], None] | None = None,
    ) -> CommandResult:
        """Do the action to its end; `on_output` gets each piece of output as it arrives.

        Args:
            ask: Gets the input that a program wants.
            on_ready: Called before the action begins, when there is a shell for it.

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
        if on_ready is not None:
            on_ready()
        refusals = Refusals(self._machine.protection)

        def hear(part: Output) -> None:
            refusals.hear(part)
            on_output(part)

        try:
            wishes = ask, action.timeout_s, action.job_notices
            result = await shell.run(action.command, hear, *wishes)
        except SessionLostError as error:
            if error.is_known:
                raise
            raise await self._machine.explained(error) from error
        finally:
            await self._machine.guard()
        self._machine.tell_refused(refusals.names())
        if result.exit_code == KILLED and not result.interrupted:
            await self._machine.check_memory()
        return result

    async def files(self, session: str = "", *, root: bool = False) -> "WorkspaceFiles":
        """Reach the files of the sandbox, from where a shell is; root may have one of its own."""
        await self.start()
        sandbox = self.sandbox
        known = (self._shells.get((session, who)) for who in (root, False))
        shell = next(filter(None, known), None) or await self.start()
        key = (sandbox.info.started_at.isoformat(), root)
        if key not in self._files:
            # Imported late: most kernels only run commands, and all should start at once.
            from sandbook.files.workspace import WorkspaceFiles  # noqa: PLC0415

            policy = ArchivePolicy(config=self.config)
            self._files[key] = WorkspaceFiles(sandbox, root=root, policy=policy)
        return self._files[key].at(shell.session.cwd)

    async def begin(self, action: RunAction) -> Job:
        """Do the action in the background, in a copy of its shell."""
        original = await self.start(action.session, root=action.root)
        state = await original.session.copy()
        where = original.session.cwd
        shell = Shell(self.sandbox, where, root=action.root, state=state)
        await shell.session.start()
        return self.jobs.begin(action.command, shell, action.timeout_s)

    def check_agents(self) -> None:
        """Make sure that an agent may act in the sandbox, which has started.

        Raises:
            AgentsRefusedError: It may not; the message says how to allow it.
        """
        if self._machine.backend is not None:
            self._machine.backend.check_agents()

    async def is_paused(self) -> bool:
        """Ask whether the sandbox is paused; it is not before it has started."""
        return self._machine.sandbox is not None and await self._machine.is_paused()

    async def renew(self, why: str) -> None:
        """Replace the sandbox by a new one; only the workspace stays.

        Args:
            why: What is told about the sandbox that is removed; it follows 'The sandbox'.
        """
        async with self._starting:
            if self._early is not None:
                await asyncio.gather(asyncio.wrap_future(self._early), return_exceptions=True)
                self._early = None
            await self._let_go(f"the sandbox {why}")
            if self._machine.backend is not None:
                await self._machine.discard(why)
        await self.start()

    async def fresh(self, cwd: str = "", *, root: bool = False) -> Shell:
        """Start a shell that is nobody else's; whoever asked for it closes it."""
        await self.start()
        shell = Shell(self.sandbox, cwd, root=root)
        await shell.session.start()
        return shell

    def close_shell(self, session: str) -> None:
        """End the shell of a name, and root's beside it; what runs there is lost."""
        self._shells.close((session, False), (session, True))

    async def interrupt(self) -> None:
        """Stop what runs in the shells now, and keep the shells. Jobs go on.

        A paused sandbox is resumed: nothing in it could end.
        """
        self._interrupts += 1
        await asyncio.gather(self._resume_if_paused(), self._shells.interrupt())

    async def _resume_if_paused(self) -> None:
        with contextlib.suppress(SandboxError):  # then there is nothing to resume
            if await self.is_paused():
                await self._machine.resume()

    async def close(self, *, restart: bool) -> None:
        """End the shells, and the sandbox with them unless its next owner is about to come."""
        machine = self._machine
        if machine.backend is not None:
            machine.backend.cancel()
        async with self._starting:  # what is half made must be whole before it can be removed
            if self._early is not None:
                await asyncio.gather(asyncio.wrap_future(self._early), return_exceptions=True)
            if machine.sandbox is not None and restart:
                with contextlib.suppress(SandboxError, asyncio.TimeoutError):  # it may be gone
                    await asyncio.wait_for(machine.sandbox.release(RESTART_GRACE_S), RELEASE_S)
            await self._let_go()
            await machine.close(restart=restart)
            self._factory.close()

    async def _finish_early(self, early: "Future[None]") -> None:
        """Wait for what was begun in a thread, which goes on if nobody waits any more."""
        try:
            await asyncio.shield(asyncio.wrap_future(early))
        finally:
            if early.done():
                self._early = None
        await self._shells.answer(MAIN)

    async def _let_go(self, reason: str = "") -> None:
        """End all that was begun in the sandbox."""
        self.jobs.close()
        for files in self._files.values():
            await files.close()
        self._shells.close_all(reason)
        self.jobs = Jobs()
        self._files.clear()

    async def _open(self, key: ShellKey) -> None:
        await self._machine.choose(self._tell_progress)
        await self._shells.open(key)

    def _tell_progress(self, progress: Progress) -> None:
        if self.on_progress is not None:
            self.on_progress(progress)
