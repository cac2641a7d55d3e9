"""sandbook ps: which sandboxes are there."""

import argparse
import json
import sys
from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any

from sandbook.sandbox.base import SandboxInfo
from sandbook_cli.sandboxes import open_factory
from sandbook_cli.table import format_age, format_table

NAME = "ps"
SUMMARY = "List your sandboxes, whatever made them."
HEAD = ("ID", "BACKEND", "IMAGE", "STATE", "NOTEBOOK", "UPTIME", "LIMITS")
SHORT_ID = 12


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(run=run)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="write all there is to know as JSON")
    form.add_argument("-q", "--quiet", action="store_true", help="write nothing but the ids")


async def run(arguments: argparse.Namespace) -> int:
    """List the sandboxes, oldest first."""
    with open_factory() as factory:
        infos = await factory.list_all()
    if arguments.json:
        print(json.dumps([describe(info) for info in infos], indent=2, default=str))
    elif arguments.quiet:
        for info in infos:
            print(info.sandbox_id)
    else:
        print(format_table(HEAD, [_row(info) for info in infos]))
        if not infos:
            print("There is none: each kernel of Sandbook makes one.", file=sys.stderr)
    return 0


def describe(info: SandboxInfo) -> dict[str, Any]:
    """Tell a sandbox in values that JSON knows."""
    uptime = datetime.now(timezone.utc) - info.started_at
    return {
        **asdict(info),
        "started_at": info.started_at.isoformat(),
        "uptime_s": round(uptime.total_seconds(), 1),
    }


def _row(info: SandboxInfo) -> tuple[str, ...]:
    return (
        info.sandbox_id[:SHORT_ID],
        info.backend,
        info.image or "-",
        info.state,
        info.notebook or "-",
        format_age(info.started_at) if info.state != "exited" else "-",
        str(info.limits),
    )
