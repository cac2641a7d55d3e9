"""Containers by their names: an engine has one of each, which may be on its way out."""

import time
from typing import Any

from sandbook.errors import ImageNotFoundError, SandboxStartError
from sandbook.sandbox.engine import CONFLICT, NOT_FOUND, Engine, EngineError

CREATE_TRIES, CREATE_EVERY_S = 30, 0.1
NOT_LET_IN = (
    "The container {0} runs, but no shell can be started in it. Remove it: docker rm -f {0}"
)


def named(engine: Engine, name: str) -> list[dict[str, Any]]:
    """Give the row of the engine's list that has this name, if there is one."""
    return engine.get("/containers/json", all="1", filters={"name": [f"^/{name}$"]})


def reserve(engine: Engine, name: str, body: dict[str, Any]) -> None:
    """Create the container; one of the same name that is on its way out must go first.

    Raises:
        ImageNotFoundError: The engine has no such image.
        SandboxStartError: One of the same name runs.
    """
    for attempt in range(CREATE_TRIES):
        try:
            engine.post("/containers/create", body, name=name)
        except EngineError as error:
            if error.status == NOT_FOUND:
                raise ImageNotFoundError(body["Image"]) from error
            if error.status != CONFLICT or attempt == CREATE_TRIES - 1:
                raise
            if any(row["State"] == "running" for row in named(engine, name)):
                raise SandboxStartError(NOT_LET_IN.format(name)) from error
            engine.discard(name)
            time.sleep(CREATE_EVERY_S)
        else:
            return
