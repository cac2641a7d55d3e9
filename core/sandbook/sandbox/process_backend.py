"""What the backends share whose sandboxes are processes of this machine."""

import asyncio
import contextlib
import signal
from abc import abstractmethod
from datetime import datetime, timezone
from typing import ClassVar

from sandbook.errors import SandboxNotFoundError, SandboxStartError
from sandbook.sandbox.base import Backend, Sandbox, SandboxInfo, SandboxRequest
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.processes import end
from sandbook.sandbox.protection import Protection
from sandbook.sandbox.records import Record, Records, birth_of, is_alive

GONE_TRIES, GONE_EVERY_S = 250, 0.02


class ProcessBackend(Backend):
    """Finds, lists and ends sandboxes by their records; how they start is for subclasses."""

    end_signal: ClassVar[signal.Signals]
    """What ends the first process of a sandbox, and all others with it."""

    async def find(self, sandbox_id: str) -> Sandbox:
        """Return a sandbox that runs, or is paused."""
        return self.sandbox_from(Records().find(sandbox_id, self.name))

    async def list_all(self) -> list[SandboxInfo]:
        """Tell about all sandboxes of this user that this backend made."""
        return [record.info for record in Records().list_all(self.name)]

    async def remove(self, sandbox_id: str) -> None:
        """End the first process, and with it everything in the sandbox.

        Its last work may take a moment, and must not meet a new sandbox of the same name.
        """
        with contextlib.suppress(SandboxNotFoundError):
            record = Records().find(sandbox_id, self.name)
            end(record, self.end_signal)
            for _ in range(GONE_TRIES):
                if not is_alive(record):
                    break
                await asyncio.sleep(GONE_EVERY_S)

    @abstractmethod
    def sandbox_from(self, record: Record) -> Sandbox:
        """Say how to get into the sandbox of a record."""

    def write_down(
        self,
        pid: int,
        request: SandboxRequest,
        limits: Limits,
        user: str = "",
        protection: Protection | None = None,
    ) -> Sandbox:
        """Record a sandbox that has just started, and return it."""
        info = SandboxInfo(
            sandbox_id=request.sandbox_id,
            backend=self.name,
            isolation=self.isolation,
            state="running",
            started_at=datetime.now(timezone.utc),
            notebook=request.notebook,
            workspace=str(request.workspace),
            limits=limits,
            max_life_s=self.max_life_s,
            user=user,
            protection=protection or Protection(),
        )
        try:
            record = Record(pid, birth_of(pid), info)
        except ProcessLookupError as error:
            raise SandboxStartError("The sandbox ended as soon as it started.") from error
        Records().add(record)
        return self.sandbox_from(record)
