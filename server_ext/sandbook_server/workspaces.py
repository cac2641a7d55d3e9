"""What the server keeps of a sandbox while somebody uses its files, and for a while after."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator

from sandbook.errors import (
    FileError,
    SandboxError,
    SandboxNotFoundError,
    SandboxPausedError,
    SideLostError,
)
from sandbook.files.archive import ArchivePolicy
from sandbook.files.workspace import WorkspaceFiles
from sandbook.sandbox.base import Sandbox
from sandbook.sandbox.factory import SandboxFactory
from sandbook_server.checkpoints import CheckpointStore, SandboxCheckpoints
from sandbook_server.contents import SandboxContents
from sandbook_server.partial_files import PartialFiles
from sandbook_server.pausing import UnlessPaused
from sandbook_server.transfers import Transfers

IDLE_S = 60.0
PAUSED = "paused"
FRESH_S = 3.0
"""For so long after it was seen, a sandbox is taken to be there."""


class Workspace:
    """The files of one sandbox, with what belongs to them."""

    def __init__(self, sandbox: Sandbox, policy: ArchivePolicy) -> None:
        self.sandbox = sandbox
        self.policy = policy
        self.files = WorkspaceFiles(sandbox, policy=policy)
        self.uploads = WorkspaceFiles(sandbox, owner=sandbox.superuser_for, policy=policy)
        """What an agent uploads may replace whatever its user could replace as root."""
        self.transfers = Transfers()
        self.checkpoints = CheckpointStore()
        self.parts = PartialFiles(policy.total_bytes)
        self.contents = SandboxContents(
            files=self.files,
            parts=self.parts,
            checkpoints=SandboxCheckpoints(files=self.files, store=self.checkpoints),
        )
        self.users = 0
        self.used = self.seen = time.monotonic()

    @property
    def is_fresh(self) -> bool:
        """Say whether its sandbox was there a moment ago."""
        return time.monotonic() - self.seen < FRESH_S

    def is_of(self, sandbox: Sandbox) -> bool:
        """Say whether it is the same machine, and not a new one of the same name."""
        return self.sandbox.info.started_at == sandbox.info.started_at

    async def close(self) -> None:
        """End our programs in the sandbox, and drop what was kept here."""
        self.checkpoints.close()
        self.parts.close()
        await self.rest()

    async def rest(self) -> None:
        """End our programs in the sandbox; they start again when they are needed."""
        await self.files.close()
        await self.uploads.close()


class Workspaces:
    """Finds the workspace of a sandbox; always the same one, as long as the machine is."""

    def __init__(
        self, factory: SandboxFactory, policy: ArchivePolicy, idle_s: float = IDLE_S
    ) -> None:
        self._factory = factory
        self.policy = policy
        self._idle_s = idle_s
        self._known: dict[str, Workspace] = {}
        self._resting: dict[str, asyncio.Task[None]] = {}

    @contextlib.asynccontextmanager
    async def use(self, sandbox_id: str) -> AsyncGenerator[Workspace, None]:
        """Lend a workspace.

        Raises:
            SandboxNotFoundError: There is no such sandbox.
            SandboxPausedError: It stands still: whoever asked would wait for ever.
        """
        workspace = await self._find_running(sandbox_id)
        workspace.users += 1
        try:
            async with UnlessPaused(sandbox_id, lambda: self._is_paused(sandbox_id)):
                yield workspace
        except SandboxError as error:
            if isinstance(error, SideLostError) or not isinstance(error, FileError):
                workspace.seen = 0.0
                await self._find_running(sandbox_id)  # that it is gone is the better reason
            raise
        finally:
            workspace.users -= 1
            workspace.used = time.monotonic()
            if self._known.get(sandbox_id) is not workspace and not workspace.users:
                await workspace.close()

    async def close(self) -> None:
        """Let go of all of them."""
        resting = list(self._resting.values())
        for task in resting:
            task.cancel()
        await asyncio.gather(*resting, return_exceptions=True)
        while self._known:
            await self._known.popitem()[1].close()

    async def _find_running(self, sandbox_id: str) -> Workspace:
        workspace = await self._find(sandbox_id)
        if workspace.sandbox.info.state == PAUSED:
            workspace.seen = 0.0  # it may go on at any moment
            raise SandboxPausedError(sandbox_id)
        return workspace

    async def _is_paused(self, sandbox_id: str) -> bool:
        try:
            return (await self._factory.find(sandbox_id)).info.state == PAUSED
        except SandboxError:
            return False  # whoever uses it finds out for himself

    async def _find(self, sandbox_id: str) -> Workspace:
        known = self._known.get(sandbox_id)
        if known and known.is_fresh:
            return known
        try:
            sandbox = await self._factory.find(sandbox_id)
        except SandboxNotFoundError:
            await self._forget(sandbox_id)
            raise
        known = self._known.get(sandbox_id)  # another request may have been quicker
        if known and known.is_of(sandbox):
            known.seen = time.monotonic()
            known.sandbox.info = sandbox.info
            return known
        await self._forget(sandbox_id)
        if sandbox_id not in self._known:
            self._known[sandbox_id] = Workspace(sandbox, self.policy)
            self._resting[sandbox_id] = asyncio.ensure_future(self._rest(sandbox_id))
        return self._known[sandbox_id]

    async def _forget(self, sandbox_id: str) -> None:
        workspace = self._known.pop(sandbox_id, None)
        if resting := self._resting.pop(sandbox_id, None):
            resting.cancel()
        if workspace and not workspace.users:
            await workspace.close()

    async def _rest(self, sandbox_id: str) -> None:
        """End the programs that nobody needs any more; forget a sandbox that is gone."""
        workspace = self._known[sandbox_id]
        while True:
            await asyncio.sleep(self._idle_s)
            if workspace.users or time.monotonic() - workspace.used < self._idle_s:
                continue
            await workspace.rest()
            try:
                await self._factory.find(sandbox_id)
            except SandboxNotFoundError:
                break
            except SandboxError as error:
                self._factory.log.warning("Cannot look for %s: %s", sandbox_id, error)
        self._resting.pop(sandbox_id, None)
        await self._forget(sandbox_id)
