"""One thing that somebody did in a sandbox, as it is kept. Pure."""

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

Kind = Literal["cell", "run", "read", "write", "edit", "python", "note"]
"""Who wrote a cell knows what is in it; a note tells of something that was not done."""
Status = Literal["ok", "failed", "timed out"]
Output = dict[str, Any]
"""As notebooks have it."""
PERSON = "person"


@dataclass(frozen=True, slots=True)
class Entry:
    """What was done, by whom and when, and what came of it."""

    number: int
    at: str
    """When it began, in ISO 8601."""
    author: str
    kind: Kind
    source: str
    """How a person would write it in a cell, so that it can be done again."""
    outputs: list[Output] = field(default_factory=list[Output])
    status: Status = "ok"
    """A command that was timed out may still have run when nobody looked any more."""
    seconds: float = 0.0
    hidden: bool = False
    walled: bool = True
    """Its outputs passed the wall (`sandbook.rendering.wall`); they did not in early versions."""


def line_from(entry: Entry) -> bytes:
    """Write an entry as a line."""
    return json.dumps(asdict(entry)).encode() + b"\n"


def entries_from(lines: list[bytes]) -> list[Entry]:
    """Read entries in the order in which they began; of several with a number, the last counts.

    A line that was only half written, because its kernel was killed, is passed over.
    """
    found: dict[int, Entry] = {}
    names = {known.name for known in fields(Entry)}
    for line in lines:
        try:
            told: dict[str, Any] = {"walled": False, **json.loads(line)}
        except ValueError:
            continue
        entry = Entry(**{name: told[name] for name in names & told.keys()})
        found[entry.number] = entry
    return [found[number] for number in sorted(found)]
