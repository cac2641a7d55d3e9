"""What this machine knows of the sandboxes that are its own processes: a small file for each."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sandbook.config import runtime_directory
from sandbook.errors import SandboxNotFoundError, SandboxStartError
from sandbook.sandbox.base import Limits, SandboxInfo


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
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError as error:
        raise ProcessLookupError(pid) from error
    state, *fields = stat.rpartition(") ")[2].split()
    if state == "Z":
        raise ProcessLookupError(pid)
    return int(fields[18])


def is_alive(record: Record) -> bool:
    """Say whether the first process of a sandbox runs, and not another of the same number."""
    try:
        return birth_of(record.pid) == record.born
    except ProcessLookupError:
        return False


class Records:
    """One small file per sandbox, in a folder that only this user can write."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory or runtime_directory()

    def add(self, record: Record) -> None:
        """Write down a sandbox, all or nothing."""
        self._ensure_directory()
        path = self._path(record.info.sandbox_id)
        draft = path.with_suffix(f".{os.getpid()}")
        value = asdict(record)
        value["info"]["limits"] = record.info.limits.to_json()
        draft.write_text(json.dumps(value, default=str), "utf-8")
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
        records = [self._read(path) for path in sorted(self.directory.glob("*.json"))]
        return [record for record in records if record and record.info.backend == backend]

    def remove(self, sandbox_id: str) -> None:
        """Forget a sandbox."""
        self._path(sandbox_id).unlink(missing_ok=True)

    def _path(self, sandbox_id: str) -> Path:
        return self.directory / f"{sandbox_id}.json"

    def _ensure_directory(self) -> None:
        self.directory.mkdir(mode=0o700, exist_ok=True)
        if self.directory.lstat().st_uid != os.getuid():
            message = f"{self.directory} belongs to somebody else: remove it, or set TMPDIR."
            raise SandboxStartError(message)

    def _read(self, path: Path) -> Record | None:
        try:
            record = _record_from_json(path.read_text("utf-8"))
            alive = is_alive(record)
        except (OSError, ValueError, TypeError, KeyError):
            alive, record = False, None
        if not alive:
            path.unlink(missing_ok=True)
            return None
        return record


def _record_from_json(text: str) -> Record:
    value: dict[str, Any] = json.loads(text)
    info: dict[str, Any] = value["info"]
    info["started_at"] = datetime.fromisoformat(info["started_at"])
    info["limits"] = Limits.from_json(info["limits"])
    return Record(value["pid"], value["born"], SandboxInfo(**info))
