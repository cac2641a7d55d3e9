"""Containers that were kept for their notebook, and who gets one."""

import contextlib
import fcntl
import os
from collections.abc import Generator

from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.container import KEPT_LABEL, is_of_realm
from sandbook.sandbox.engine import Engine
from sandbook.sandbox.network import unplug
from sandbook.sandbox.runtime_folder import open_lock, realm


@contextlib.contextmanager
def alone() -> Generator[None, None, None]:
    """Wait until no other kernel of this user takes a kept container over, and keep others from it.

    A container can be renamed again and again, so two kernels of one notebook that start at the
    same time would both believe to have it.
    """
    descriptor = open_lock("kept.lock")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def take_over(engine: Engine, request: SandboxRequest, name: str) -> bool:
    """Give the stopped container that was kept for this notebook the new name, if there is one."""
    labels = [f"{label}={value}" for label, value in KEPT_LABEL.items()]
    labels += [f"sandbook.notebook={request.notebook}", f"sandbook.user={os.getuid()}"]
    filters = {"label": labels, "status": ["exited", "created"]}
    for row in engine.get("/containers/json", all="1", filters=filters):
        if not is_of_realm(row, realm()):
            continue
        unplug(engine, row["Id"])
        engine.post(f"/containers/{row['Id']}/rename", name=name)
        return True
    return False
