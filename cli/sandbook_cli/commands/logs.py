"""sandbook logs: what the first process of a sandbox has said."""

import argparse
import sys
from typing import Any

from sandbook_cli.arguments import count, some_id
from sandbook_cli.errors import CommandError
from sandbook_cli.sandboxes import find_infos, open_docker, open_factory

NAME = "logs"
SUMMARY = "Show what a sandbox's own first process has said (docker only)."


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("id", type=some_id, metavar="ID", help="an id, or how only this one begins")
    parser.add_argument("-n", "--tail", type=count, metavar="N", help="the last N lines only")


async def run(arguments: argparse.Namespace) -> int:
    """Write the log of the container as it is."""
    with open_factory() as factory:
        (info,) = await find_infos(factory, [arguments.id])
    if info.backend != "docker":
        message = f"The {info.backend} backend keeps no logs: its output is in the notebook only."
        raise CommandError(message)
    with open_docker() as backend:
        log = await backend.call(lambda api: _read(api, info.sandbox_id, arguments.tail))
    sys.stdout.buffer.write(log)
    if not log:
        print("The log is empty: the output of cells is in the notebook.", file=sys.stderr)
    return 0


def _read(api: Any, sandbox_id: str, tail: int | None) -> bytes:
    (row,) = api.containers(all=True, filters={"name": f"^/sandbook-{sandbox_id}$"})
    return api.logs(row["Id"], tail="all" if tail is None else tail)
