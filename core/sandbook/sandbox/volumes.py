"""Volumes that are the workspaces of sandboxes, and which of them nobody needs any more."""

import os
import platform
from collections.abc import Iterable, Mapping
from typing import Any

from sandbook.sandbox.base import WORKSPACE
from sandbook.sandbox.claim import has_owner
from sandbook.sandbox.container import REALM_LABEL, VOLUME_LABEL
from sandbook.sandbox.engine import NOT_FOUND, Engine, EngineError
from sandbook.sandbox.runtime_folder import realm


def volume_labels() -> dict[str, str]:
    """Say whose volumes these are: processes of another machine or realm leave them alone."""
    return {
        "sandbook.user": str(os.getuid()),
        "sandbook.host": platform.node(),
        REALM_LABEL: realm(),
    }


def workspace_volume(engine: Engine, container: str) -> str:
    """Name the volume that is the workspace of a container; nothing if there is none."""
    try:
        mounts: Iterable[Mapping[str, Any]] = engine.get(f"/containers/{container}/json")["Mounts"]
    except EngineError as error:
        if error.status != NOT_FOUND:
            raise
        return ""
    here = (mount for mount in mounts if mount["Destination"] == WORKSPACE)
    return next((mount["Name"] for mount in here if mount["Type"] == "volume"), "")


def remove_unused(engine: Engine) -> list[str]:
    """Remove the volumes of sandboxes whose container and owner are gone; tell which.

    A container that is kept needs its volume, and so does an owner whose container has ended: his
    next cell gets a new one with the same workspace.
    """
    labels = [f"{name}={value}" for name, value in volume_labels().items() if value]
    filters = {"dangling": ["true"], "label": [VOLUME_LABEL, *labels]}
    removed: list[str] = []
    for volume in engine.get("/volumes", filters=filters)["Volumes"] or ():
        known: dict[str, str] = volume["Labels"]
        if known.get(REALM_LABEL, "") == realm() and not has_owner(known[VOLUME_LABEL]):
            engine.remove_volume(volume["Name"])
            removed.append(volume["Name"])
    return removed
