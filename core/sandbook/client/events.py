"""The events of an action that is told as it happens, read from server-sent events. Pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sandbook.client.errors import ClientError
from sandbook.client.results import Json, RunResult, ran


@dataclass(frozen=True, slots=True)
class Started:
    """The server has taken the action."""

    action: Json


@dataclass(frozen=True, slots=True)
class Output:
    """A piece of what the command says, just as it said it."""

    text: str


@dataclass(frozen=True, slots=True)
class Completed:
    """The turn is over: the command has ended, or goes on without us."""

    result: RunResult


Event = Started | Output | Completed


class EventReader:
    """Takes bytes as they come, and gives events as soon as they are whole."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_complete = False

    def feed(self, piece: bytes) -> Iterator[Event]:
        """Take a piece.

        Raises:
            ClientError: The action could not be done.
        """
        *blocks, self._rest = (self._rest + piece).split(b"\n\n")
        for block in blocks:
            event = _event(block.decode())
            self._is_complete |= isinstance(event, Completed)
            if event is not None:
                yield event

    def end(self) -> None:
        """See that nothing is missing.

        Raises:
            ClientError: The end never came.
        """
        if not self._is_complete:
            raise ClientError(
                "The stream ended before the command did. Wait for it with run('').",
                code="broken-off",
            )


def _event(block: str) -> Event | None:
    fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
    if not fields:
        return None  # only to keep the line open
    data: Any = json.loads(fields["data"])
    match fields["event"]:
        case "start":
            return Started(data["action"])
        case "output":
            return Output(data["text"])
        case "complete":
            return Completed(_result(data))
        case _:
            return None  # of a newer server


def _result(data: Json) -> RunResult:
    if "observation" not in data:
        raise ClientError(data["detail"], code=data.get("code", "action-failed"), status=200)
    return ran(data)
