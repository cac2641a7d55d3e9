"""The machine of one owner: found, made, or replaced, and what its users are told about that."""

import asyncio
import contextlib
from collections.abc import Sequence

from sandbook.errors import (
    OutOfMemoryError,
    SandboxError,
    SandboxNotFoundError,
    SandboxStartError,
    SessionLostError,
)
from sandbook.news import News
from sandbook.sandbox.base import Backend, OnProgress, Sandbox, SandboxRequest
from sandbook.sandbox.claim import Claim, had_owner
from sandbook.sandbox.factory import SandboxFactory
from sandbook.sandbox.guard import Guard, Moved
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.protection import Protection

REPLACED = "The sandbox {why}, so a new one was started. {loss}"
ENDED = "has ended"
NO_ANSWER = "did not answer"
RESUMED = "The sandbox was paused. It goes on now, for it is used again."
OTHER_LIMITS = (
    "This sandbox was kept for its notebook with other limits ({now}) than are set ({wanted}). "
    "%sandbox restart replaces it by a new one with the limits that are set."
)
PAUSED = "paused"
MOVED = "{0} was renamed, since programs of this machine run what is there by themselves. {1}"
LEFT = (
    "{0} is there, and cannot be renamed: the sandbox has given its folder to somebody else. "
    "Programs of this machine run what is there by themselves, so remove it (%%bash --root), "
    "before you open the folder in an editor, or use git there. {1}"
)
REFUSED = (
    "{0} cannot be changed in the sandbox, since programs of this machine run what it holds or "
    "names by themselves. {1}"
)
PARTIAL = (
    "There is more in this workspace to protect than can be: what git runs in some of its "
    "repositories can be changed by the sandbox. Give the notebook a folder of its own."
)
ALLOW = (
    "To allow it, leave it out of c.{}.protected in sandbook_config.py, then shut this kernel down "
    "and start it again."
)


class Machine:
    """Owns the sandbox of one request, and replaces it when it is lost."""

    def __init__(self, factory: SandboxFactory, request: SandboxRequest) -> None:
        self.request = request
        self.backend: Backend | None = None
        self.sandbox: Sandbox | None = None
        self.news = News()
        """Told when the sandbox is replaced or resumed."""
        self.has_answered = False
        """A shell has started in the sandbox that there is now."""
        self.is_new = False
        """It was made just now, and no shell has started in it."""
        self._factory = factory
        self._claim: Claim | None = None
        self._why_gone = ""
        self._oom_kills = 0
        self._told: set[tuple[str, str]] = set()
        self._guard: Guard | None = None

    async def choose(self, on_progress: OnProgress) -> None:
        """Choose the backend, once.

        Raises:
            BackendUnavailableError: None works; the message says what to install.
        """
        if self.backend is None:
            self.backend = await self._factory.choose()
            self.backend.on_progress = on_progress
            if had_owner(self.request.sandbox_id):  # an earlier kernel, and it did not end it
                self._why_gone = ENDED

    async def find(self) -> Sandbox | None:
        """Return the sandbox, if it runs. A paused one is resumed.

        One that an earlier kernel made with other limits is removed.
        """
        backend = self._backend
        try:
            found = await backend.find(self.request.sandbox_id)
        except SandboxNotFoundError:
            return None
        if self.sandbox is None:
            wanted = backend.limits_for(found.info)
            if wanted != found.info.limits and not found.info.kept:
                await self.discard(f"had other limits than are set now ({wanted})")
                return None
            self._why_gone = ""
            await self._begin(found, wanted)
        elif not (self.has_answered and found.info.started_at == self.sandbox.info.started_at):
            self.sandbox = found
        if found.info.state == PAUSED:
            await self.resume()
        return self.sandbox

    async def resume(self) -> None:
        """Let a paused sandbox go on, and tell its users."""
        if self.sandbox is not None:
            self.news.tell(RESUMED)  # first, for what it says then comes at once
            await self.sandbox.resume()

    async def make(self) -> Sandbox:
        """Make a new sandbox; tell that it is one, if there was another before."""
        if self.sandbox is not None and not (self.is_new or self._why_gone):
            why = await self._why_ended(self.sandbox)
            self._why_gone = f"{ENDED} ({why})" if why else ENDED
        self._oom_kills = 0
        await self.guard()  # what is there when a sandbox starts is taken for the person's
        made = await self._backend.create(self.request)
        if self._why_gone:
            self.news.tell(REPLACED.format(why=self._why_gone, loss=made.loss))
            self._why_gone = ""
        await self._begin(made, self._backend.limits_for(made.info))
        self.is_new, self.has_answered = True, False
        return made

    def note_answer(self) -> None:
        """Remember that a shell has started in the sandbox."""
        self.is_new, self.has_answered = False, True

    async def discard(self, why: str) -> None:
        """Remove the sandbox, but not its workspace; `why` is told when there is a new one."""
        await self._backend.discard(self.request.sandbox_id)
        await self.guard()
        self._why_gone, self.has_answered = why, False

    async def is_paused(self) -> bool:
        """Ask whether the sandbox is paused."""
        try:
            found = await self._backend.find(self.request.sandbox_id)
        except SandboxError:
            return False
        if self.sandbox is not None:
            self.sandbox.info = found.info
        return found.info.state == PAUSED

    @property
    def protection(self) -> Protection:
        """What the sandbox may not change."""
        return self.sandbox.info.protection if self.sandbox is not None else Protection()

    async def guard(self) -> None:
        """Move aside what has come to be at protected names, and tell."""
        if self._guard is not None:
            await asyncio.to_thread(self._guard.look)

    def _tell_moved(self, moved: Moved) -> None:
        for name in moved.renamed:
            self.news.tell(MOVED.format(_shown(name), self._how_to_allow))
        self._tell_once(LEFT, moved.left)

    def tell_refused(self, names: Sequence[str]) -> None:
        """Tell why something could not be changed, once."""
        self._tell_once(REFUSED, names)

    def _tell_once(self, text: str, names: Sequence[str]) -> None:
        for name in names:
            if (text, name) not in self._told:
                self._told.add((text, name))
                self.news.tell(text.format(_shown(name), self._how_to_allow))

    @property
    def _how_to_allow(self) -> str:
        return ALLOW.format(type(self.backend).__name__)

    async def explained(self, error: SessionLostError) -> SandboxError:
        """Say what has become of the shell, as well as the backend knows."""
        if self.sandbox is None:
            return error
        try:
            await self.check_memory()
            return SessionLostError(await self.sandbox.why_lost())
        except SandboxError as known:
            return known

    async def check_memory(self) -> None:
        """Look whether a process was ended for want of memory since this was last asked.

        Raises:
            OutOfMemoryError: One was.
        """
        if self.sandbox is None:
            return
        before = self._oom_kills
        with contextlib.suppress(SandboxError):
            self._oom_kills = await self.sandbox.oom_kills()
        if self._oom_kills > before:
            setting = f"{type(self.backend).__name__}.memory_mb"
            raise OutOfMemoryError(self.sandbox.info.limits.memory_mb, setting)

    async def close(self, *, restart: bool) -> None:
        """Let the sandbox go, and end it unless its next owner is about to come."""
        if self.backend is not None and not restart:
            await self.backend.retire(self.request.sandbox_id)
        await self.guard()  # what a program has left behind at the last moment
        if self._guard is not None:
            self._guard.stop()
        if self._claim is not None:
            self._claim.release(forget=not restart)

    @property
    def _backend(self) -> Backend:
        if self.backend is None:
            raise SandboxStartError("No backend was chosen yet. Run any cell first.")
        return self.backend

    async def _begin(self, sandbox: Sandbox, wanted: Limits) -> None:
        self.sandbox = sandbox
        if self._guard is not None:
            self._guard.stop()
        self._guard = Guard(self.request.workspace, self.protection, self._tell_moved)
        self._claim = self._claim or Claim(self.request.sandbox_id)
        if sandbox.info.limits != wanted:
            self.news.tell(OTHER_LIMITS.format(now=sandbox.info.limits, wanted=wanted))
        if sandbox.info.protection.is_partial:
            self.news.tell(PARTIAL)
        with contextlib.suppress(SandboxError):  # it is the start that tells what is wrong
            for warning in await sandbox.warnings():
                self.news.tell(warning)

    async def _why_ended(self, sandbox: Sandbox) -> str:
        try:
            return await sandbox.why_ended()
        except SandboxError:
            return ""


def _shown(name: str) -> str:
    return name if name.isprintable() else ascii(name)
