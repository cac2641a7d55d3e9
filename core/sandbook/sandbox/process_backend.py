"""What the backends share whose sandboxes are processes of this machine."""

import contextlib
import signal
from abc import abstractmethod
from datetime import datetime, timezone
from typing import ClassVar

from sandbook.errors import SandboxNotFoundError
from sandbook.sandbox.base import Backend, Limits, Sandbox, SandboxInfo, SandboxRequest
from sandbook.sandbox.processes import end
from sandbook.sandbox.records import Record, Records, birth_of


class ProcessBackend(Backend):
    """Finds, lists and ends sandboxes by their records; how they start is for subclasses."""

    end_signal: ClassVar[signal.Signals]
    """What ends the first process of a sandbox, and all others with it."""

    async def find(self, sandbox_id: str) -> Sandbox:
        """Return a sandbox that runs."""
        return self.sandbox_from(Records().find(sandbox_id, self.name))

    async def list_all(self) -> list[SandboxInfo]:
        """Tell about all sandboxes of this user that this backend made."""
        return [record.info for record in Records().list_all(self.name)]

    async def remove(self, sandbox_id: str) -> None:
        """End the first process, and with it everything in the sandbox."""
        with contextlib.suppress(SandboxNotFoundError):
            end(Records().find(sandbox_id, self.name), self.end_signal)

    @abstractmethod
    def sandbox_from(self, record: Record) -> Sandbox:
        """Say how to get into the sandbox of a record."""

    def write_down(self, pid: int, request: SandboxRequest, limits: Limits) -> Sandbox:
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
        )
        record = Record(pid, birth_of(pid), info)
        Records().add(record)
        return self.sandbox_from(record)
