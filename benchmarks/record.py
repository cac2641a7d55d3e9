"""The numbers in a file: what was measured last, part by part."""

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.report import Table

RESULT = Path(".build/bench.json")


def read_record(path: Path = RESULT) -> dict[str, Any]:
    """Read what was measured last; empty if nothing was."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def begin_record(machine: dict[str, Any], earlier: dict[str, Any]) -> dict[str, Any]:
    """Begin with the parts that were measured earlier, if machine and versions are the same."""
    is_same = earlier.get("machine") == machine
    return {"machine": machine, "parts": dict(earlier["parts"]) if is_same else {}}


def add_part(record: dict[str, Any], name: str, table: Table, count: int) -> None:
    """Take in what a part has measured just now."""
    table.rounds = count
    table.date = datetime.now(timezone.utc).isoformat(timespec="seconds")
    record["parts"][name] = table.as_json()


def write_record(record: dict[str, Any], path: Path = RESULT) -> None:
    """Keep the numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
