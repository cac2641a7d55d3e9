"""sandbook image: build the default image, pull others, list them."""

import argparse
import asyncio
import json
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from sandbook.sandbox.images import DEFAULT_IMAGE, OnProgress, build_image, pull_image
from sandbook_cli.arguments import image_name
from sandbook_cli.progress import ProgressLine
from sandbook_cli.sandboxes import open_docker
from sandbook_cli.table import format_age, format_size, format_table

NAME = "image"
SUMMARY = "Build, pull and list the images of sandboxes."
HEAD = ("IMAGE", "ID", "SIZE", "AGE", "RECIPE")
LABEL = "sandbook.recipe"
NAMELESS = "<none>:<none>"
SHORT_ID = 12

Work = Callable[[Any, OnProgress, threading.Event], None]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the commands below this one."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    summary = "Build the default image; quick when it is up to date."
    build = commands.add_parser("build", help=summary, description=summary)
    build.add_argument(
        "--tag", type=image_name, default=DEFAULT_IMAGE, help="its name (default: %(default)s)"
    )
    build.set_defaults(run=run_build)
    summary = "Pull an image from a registry."
    pull = commands.add_parser("pull", help=summary, description=summary)
    pull.add_argument(
        "image", type=image_name, metavar="IMAGE", help="such as python:3.12; it needs bash"
    )
    pull.set_defaults(run=run_pull)
    summary = "List the images that were made here for sandboxes."
    listing = commands.add_parser("ls", help=summary, description=summary)
    listing.add_argument("-a", "--all", action="store_true", help="every image of the engine")
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.set_defaults(run=run_ls)


async def run_build(arguments: argparse.Namespace) -> int:
    """Build the default image under a name."""
    await _work(lambda api, show, stop: build_image(api, arguments.tag, show, stop))
    return 0


async def run_pull(arguments: argparse.Namespace) -> int:
    """Pull one image."""
    await _work(lambda api, show, stop: pull_image(api, arguments.image, show, stop))
    return 0


async def run_ls(arguments: argparse.Namespace) -> int:
    """List images, newest first."""
    filters = {} if arguments.all else {"label": LABEL}
    with open_docker() as backend:
        await backend.check()
        found = await backend.call(lambda api: api.images(filters=filters))
    rows = [
        _describe(name, row) for row in found for name in row["RepoTags"] or () if name != NAMELESS
    ]
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        print(format_table(HEAD, [_cells(row) for row in rows]))
    return 0


async def _work(work: Work) -> None:
    """Do it with progress on stderr. Ctrl-C stops it, and waits until it has cleaned up."""
    stop, line = threading.Event(), ProgressLine(sys.stderr)
    with open_docker() as backend:
        await backend.check()
        task = asyncio.ensure_future(backend.call(lambda api: work(api, line.show, stop)))
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.gather(task, return_exceptions=True)
            raise
        finally:
            line.close()


def _describe(name: str, row: dict[str, Any]) -> dict[str, Any]:
    labels: dict[str, str] = row["Labels"] or {}
    return {
        "image": name,
        "id": row["Id"],
        "size": row["Size"],
        "created": row["Created"],
        "recipe": labels.get(LABEL),
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["image"],
        row["id"].removeprefix("sha256:")[:SHORT_ID],
        format_size(row["size"]),
        format_age(datetime.fromtimestamp(row["created"], timezone.utc)),
        row["recipe"] or "-",
    )
