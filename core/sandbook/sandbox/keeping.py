"""Containers: how long they are kept, which are kept for their notebook, and who gets one."""

import contextlib
import fcntl
import os
import re
import sys
from collections.abc import Generator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sandbook.errors import SandboxStartError
from sandbook.safe_path import safe_command
from sandbook.sandbox.base import SandboxInfo, SandboxRequest
from sandbook.sandbox.container import KEPT_LABEL, info_from, is_of_realm
from sandbook.sandbox.descriptors import held_in_memory
from sandbook.sandbox.engine import Engine, EngineError
from sandbook.sandbox.guard import order_for
from sandbook.sandbox.lease import Lease
from sandbook.sandbox.network import unplug
from sandbook.sandbox.protection import opened
from sandbook.sandbox.runtime_folder import open_lock, realm

NOT_AS_KEPT = (
    "The container that was kept for this notebook was not started: {} Or remove it, and all that "
    "was installed in it, to get a new one: sandbook rm {}"
)


async def keep(info: SandboxInfo, lifetime: str) -> None:
    """Have this machine end a container with its last holder, whatever root does inside."""
    lease = Lease(info.sandbox_id)
    if not lease.is_kept:
        program = ["-m", "sandbook.sandbox.retirement", info.sandbox_id, lifetime]
        with held_in_memory(order_for(info.workspace, info.protection)) as (order,):
            await lease.keep(safe_command([sys.executable, *program]), order=order, at="end")


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
    """Give the stopped container that was kept for this notebook the new name, if there is one.

    Raises:
        SandboxStartError: What it mounts has changed: somebody may have put a link in its place.
    """
    labels = [f"{label}={value}" for label, value in KEPT_LABEL.items()]
    labels += [f"sandbook.notebook={request.notebook}", f"sandbook.user={os.getuid()}"]
    filters = {"label": labels, "status": ["exited", "created"]}
    for row in engine.get("/containers/json", all="1", filters=filters):
        if not is_of_realm(row, realm()):
            continue
        _check_mounts(info_from(row))
        unplug(engine, row["Id"])
        engine.post(f"/containers/{row['Id']}/rename", name=name)
        return True
    return False


def _check_mounts(info: SandboxInfo) -> None:
    """Make sure that the paths that the engine is about to mount lead where they did."""
    try:
        with opened(Path(info.workspace), info.protection):
            pass
    except (OSError, SandboxStartError) as error:
        raise SandboxStartError(NOT_AS_KEPT.format(error, info.sandbox_id)) from error


def _still_watched(info: SandboxInfo) -> SandboxInfo:
    """Leave what the person has made while the container was stopped.

    The time of the last change tells: nobody can set it back.
    """
    begun, workspace = info.started_at.timestamp(), Path(info.workspace)

    def is_older(path: str) -> bool:
        try:
            return (workspace / path).lstat().st_ctime < begun
        except OSError:
            return False

    watched = tuple(path for path in info.protection.watched if not is_older(path))
    return replace(info, protection=replace(info.protection, watched=watched))


def info_of(engine: Engine, row: dict[str, Any]) -> SandboxInfo:
    """Read a row of the engine's list of containers; a kept one may have started anew since."""
    info = info_from(row)
    if info.kept and info.state in {"running", "paused"}:
        with contextlib.suppress(EngineError):  # it is gone
            started = engine.get(f"/containers/{row['Id']}/json")["State"]["StartedAt"]
            return _still_watched(replace(info, started_at=_moment(started)))
    return info


def _moment(text: str) -> datetime:
    """Read a time as engines write it: to the nanosecond, in UTC or with an offset."""
    offset = re.search(r"[+-]\d\d:\d\d$", text)
    fraction = re.search(r"\.(\d{1,6})", text)
    micro = fraction[1].ljust(6, "0") if fraction else "000000"
    return datetime.fromisoformat(f"{text[:19]}.{micro}{offset[0] if offset else '+00:00'}")
