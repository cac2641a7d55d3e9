"""sandbook prune: remove what nobody needs any more."""

import argparse
import contextlib
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from functools import partial
from typing import Any

from sandbook.errors import BackendUnavailableError, SandboxStartError
from sandbook.sandbox.base import SandboxInfo
from sandbook.sandbox.container import is_of_realm
from sandbook.sandbox.runtime_folder import realm
from sandbook_cli.errors import CommandError
from sandbook_cli.sandboxes import open_docker, open_factory

NAME = "prune"
SUMMARY = "Remove sandboxes that have ended, and containers and volumes that were left over."
FRESH_S = 60
"""A younger one may be in the middle of its start."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "-a", "--all", action="store_true", help="also those that still run, or are kept"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before --all")


async def run(arguments: argparse.Namespace) -> int:
    """Remove, and tell what."""
    with open_factory() as factory:
        infos = await factory.list_all()  # forgets the records of processes that are gone
        ended = [info for info in infos if has_ended(info)]
        others = [info for info in infos if info not in ended]
        alive = [info for info in others if info.state != "exited"]
        if arguments.all and others and not arguments.yes:
            _ask(others)
        for info in [*ended, *(others if arguments.all else [])]:
            await factory.of(info.backend).remove(info.sandbox_id)
            print(info.sandbox_id)
    for name in [*await _remove_helpers(), *await _remove_volumes()]:
        print(name)
    if alive and not arguments.all:
        print(f"{len(alive)} still run; to end them too: sandbook prune --all", file=sys.stderr)
    if (kept := len(others) - len(alive)) and not arguments.all:
        told = f"{kept} are kept for their notebooks; to remove them too: sandbook prune --all"
        print(told, file=sys.stderr)
    return 0


def has_ended(info: SandboxInfo) -> bool:
    """Say whether nobody can use the sandbox any more: it ended, or it never came up.

    One that was kept waits for the next kernel of its notebook.
    """
    return (info.state == "exited" and not info.kept) or (
        info.state == "starting" and _is_old(info.started_at.timestamp())
    )


def _is_old(timestamp: float) -> bool:
    return datetime.now(timezone.utc).timestamp() - timestamp > FRESH_S


def _ask(alive: Sequence[SandboxInfo]) -> None:
    if not sys.stdin.isatty():
        raise CommandError(
            f"{len(alive)} sandboxes still run or are kept. To end them: sandbook prune --all --yes"
        )
    for info in alive:
        print(f"{info.sandbox_id}  {info.notebook or '-'}", file=sys.stderr)
    answer = input(f"End these {len(alive)} sandboxes that still run or are kept? [y/N] ")
    if answer.strip().lower() not in {"y", "yes"}:
        raise CommandError("Nothing was removed.")


async def _remove_helpers() -> list[str]:
    """Remove helper containers; those at work are young and need a moment only."""
    removed: list[str] = []
    with open_docker() as backend, contextlib.suppress(BackendUnavailableError):
        await backend.check()
        for row in await backend.call(_helpers):
            if not is_of_realm(row, realm()):
                continue
            if row["State"] in {"exited", "dead"} or _is_old(row["Created"]):
                with contextlib.suppress(SandboxStartError):  # gone meanwhile
                    await backend.call(partial(_remove, container=row["Id"]))
                removed.append(row["Names"][0].lstrip("/"))
    return removed


async def _remove_volumes() -> list[str]:
    """Remove the workspaces of sandboxes whose containers and kernels are gone."""
    with open_docker() as backend, contextlib.suppress(BackendUnavailableError):
        return await backend.remove_unused()
    return []


def _helpers(api: Any) -> list[dict[str, Any]]:
    return api.containers(all=True, filters={"label": "sandbook.helper"})


def _remove(api: Any, container: str) -> None:
    api.remove_container(container, force=True, v=True)
