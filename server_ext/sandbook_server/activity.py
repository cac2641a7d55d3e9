"""What agents do, as events for everybody who subscribes: JupyterLab's panel is one of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_events import EventLogger

Json = dict[str, Any]
SCHEMA = Path(__file__).parent / "events" / "action.yml"
SCHEMA_ID = "urn:sandbook:events:action"
TEXT_MAX = 2000
RUNNING = -1
_SUBJECTS = ("command", "code", "path", "url")


def register(events: EventLogger) -> None:
    """Let the server know what our events look like."""
    if SCHEMA_ID not in events.schemas:
        events.register_event_schema(SCHEMA)


@dataclass(frozen=True, slots=True)
class Activity:
    """One action of an agent, as it is told to others."""

    events: EventLogger
    sandbox_id: str
    author: str
    action_id: str
    action: Json

    def begin(self) -> None:
        """Tell that it has begun."""
        self._tell({"state": "begun"})

    def end(self, observation: Json) -> None:
        """Tell what has come of it."""
        self._tell(outcome_of(observation))

    def fail(self, why: str) -> None:
        """Tell that it could not be done."""
        self._tell({"state": "failed", "output": _end_of(why)})

    def _tell(self, outcome: Json) -> None:
        about = {
            "sandbox_id": self.sandbox_id,
            "author": self.author,
            "action_id": self.action_id,
            "action": self.action["action"],
            "subject": subject_of(self.action),
        }
        self.events.emit(schema_id=SCHEMA_ID, data={**about, **outcome})


def subject_of(action: Json) -> str:
    """Say what an action is about: the command, the code or the path."""
    arguments = action.get("args") or {}
    found = (arguments[key] for key in _SUBJECTS if isinstance(arguments.get(key), str))
    return next(found, "")[:TEXT_MAX]


def outcome_of(observation: Json) -> Json:
    """Say how an action went, in a word, and the end of what it said."""
    output = _end_of(str(observation.get("content", "")))
    metadata = observation.get("extras", {}).get("metadata")
    if metadata is None:
        is_error = observation.get("observation") == "error" or output.startswith("ERROR:")
        return {"state": "failed" if is_error else "done", "output": output}
    code = metadata["exit_code"]
    state = "running" if code == RUNNING else "failed" if code else "done"
    return {"state": state, "output": output, "exit_code": code}


def _end_of(text: str) -> str:
    return text[-TEXT_MAX:]
