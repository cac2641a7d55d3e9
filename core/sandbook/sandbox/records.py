"""What this machine knows of the sandboxes that are its own processes: a small file for each."""

import json
import os
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from sandbook.errors import SandboxNotFoundError
from sandbook.sandbox.base import SandboxInfo
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.protection import Protection
from sandbook.sandbox.runtime_folder import (
    ensure_private,
    is_private,
    read_private,
    runtime_folder,
)


@dataclass(frozen=True, slots=True)
class Record:
    """What this machine must know to reach a sandbox: its first process, and what it is."""

    pid: int
    born: int
    """When the process started, in clock ticks: a process number may be given out again."""
    info: SandboxInfo


def birth_of(pid: int) -> int:
    """Tell when a process started, in clock ticks since the machine did.

    Raises:
        ProcessLookupError: There is no such process.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError as error:
        raise ProcessLookupError(pid) from error
    state, *fields = stat.rpartition(") ")[2].split()
    if state == "Z":
        raise ProcessLookupError(pid)
    return int(fields[18])


def is_alive(record: Record) -> bool:
    """Say whether the first process of a sandbox runs, is ours, and not another of its number."""
    try:
        return birth_of(record.pid) == record.born and _owner_of(record.pid) == os.geteuid()
    except ProcessLookupError:
        return False


def _owner_of(pid: int) -> int:
    """Tell whose process this is: joining that of another user would hand ours to him."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    except OSError as error:
        raise ProcessLookupError(pid) from error
    return int(status.partition("\nUid:")[2].split()[0])


class Records:
    """One small file per sandbox, in a folder that only this user can write."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory or runtime_folder()

    def add(self, record: Record) -> None:
        """Write down a sandbox, all or nothing."""
        ensure_private(self.directory)
        path = self._path(record.info.sandbox_id)
        draft = path.with_suffix(f".{os.getpid()}")
        value = asdict(record)
        value["info"]["limits"] = record.info.limits.to_json()
        del value["info"]["kept"]  # of no process, and older versions would not know it
        draft.unlink(missing_ok=True)
        with open(draft, "x", encoding="utf-8", opener=_private) as file:
            file.write(json.dumps(value, default=str))
        draft.rename(path)

    def find(self, sandbox_id: str, backend: str) -> Record:
        """Read about a sandbox that runs.

        Raises:
            SandboxNotFoundError: It never was, or it is gone.
        """
        for record in self.list_all(backend):
            if record.info.sandbox_id == sandbox_id:
                return record
        raise SandboxNotFoundError(sandbox_id)

    def list_all(self, backend: str) -> list[Record]:
        """Read about all sandboxes of a backend; forget those whose first process is gone."""
        if not is_private(self.directory):
            return []
        records = [self._read(path) for path in sorted(self.directory.glob("*.json"))]
        return [record for record in records if record and record.info.backend == backend]

    def remove(self, sandbox_id: str) -> None:
        """Forget a sandbox."""
        self._path(sandbox_id).unlink(missing_ok=True)

    def _path(self, sandbox_id: str) -> Path:
        return self.directory / f"{sandbox_id}.json"

    def _read(self, path: Path) -> Record | None:
        try:
            record = _record_from_json(read_private(path))
            alive = is_alive(record)
        except (OSError, ValueError, TypeError, KeyError):
            alive, record = False, None
        if not alive:
            path.unlink(missing_ok=True)
            return None
        return record


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _record_from_json(text: str) -> Record:
    """Read a record, also that of a newer or an older version: what is optional has a default."""
    value: dict[str, Any] = json.loads(text)
    names = {each.name for each in fields(SandboxInfo)}
    info = {name: found for name, found in value["info"].items() if name in names}
    info["started_at"] = datetime.fromisoformat(info["started_at"])
    info["limits"] = Limits.from_json(info.get("limits") or {})
    info["protection"] = Protection.from_json(info.get("protection") or {})
    return Record(value["pid"], value["born"], SandboxInfo(**info))
