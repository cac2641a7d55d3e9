"""sandbook kernelspec: kernels of one's own in the launcher, such as one per image."""

import argparse
import json
import sys
from pathlib import Path

from sandbook.sandbox.factory import SandboxFactory
from sandbook.settings import variables_from
from sandbook_cli.arguments import image_name, kernel_name
from sandbook_cli.kernelspecs import (
    MAIN_SPEC,
    Installation,
    install,
    list_specs,
    remove,
)
from sandbook_cli.table import format_table

NAME = "kernelspec"
SUMMARY = "Install, list and remove kernels with settings of their own."
HEAD = ("NAME", "DISPLAY NAME", "BACKEND", "IMAGE", "SETTINGS", "FOLDER")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the commands below this one."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    summary = "Add a kernel to the launcher: an image, a backend or limits under a name."
    _configure_install(commands.add_parser("install", help=summary, description=summary))
    summary = "List the kernels that run cells in sandboxes."
    listing = commands.add_parser("list", help=summary, description=summary)
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.set_defaults(run=run_list)
    summary = "Remove kernels from the launcher; sandboxes and images stay."
    removal = commands.add_parser("remove", help=summary, description=summary)
    removal.add_argument("names", nargs="+", metavar="NAME")
    removal.set_defaults(run=run_remove)


def _configure_install(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=run_install)
    about = f"of the kernel; {MAIN_SPEC} is taken"
    parser.add_argument("--name", type=kernel_name, required=True, help=about)
    parser.add_argument("--display-name", metavar="TEXT", help="what the launcher shows")
    parser.add_argument("--image", type=image_name, help="image of its sandboxes (docker)")
    backends = ["auto", *SandboxFactory.backend_classes]
    parser.add_argument("--backend", choices=backends, help="what makes its sandboxes")
    parser.add_argument("--memory", type=int, metavar="MB", help="memory, in MiB")
    parser.add_argument("--cpus", type=float, metavar="N", help="how many CPUs")
    parser.add_argument("--network", metavar="KIND", help="network, such as none")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--user", action="store_true", help="for this user (the default)")
    place.add_argument("--prefix", metavar="FOLDER", help="below this folder")
    place.add_argument("--sys-prefix", action="store_true", help="in this Python's environment")


async def run_install(arguments: argparse.Namespace) -> int:
    """Install one kernel, or put a new one in the place of an old one."""
    variables = variables_from(
        arguments.backend,
        {
            "image": arguments.image,
            "memory_mb": arguments.memory,
            "cpus": arguments.cpus,
            "network": arguments.network,
        },
    )
    name = arguments.name.lower()
    shown = arguments.display_name or f"Sandbook ({arguments.image or arguments.name})"
    prefix = sys.prefix if arguments.sys_prefix else arguments.prefix
    folder = install(Installation(name, shown, variables, Path(prefix) if prefix else None))
    print(f"Installed {name} in {folder}")
    return 0


async def run_list(arguments: argparse.Namespace) -> int:
    """List our kernels."""
    specs = list_specs()
    if arguments.json:
        print(json.dumps(specs, indent=2))
    else:
        rows = [[str(value or "-") for value in spec.values()] for spec in specs]
        print(format_table(HEAD, rows))
    return 0


async def run_remove(arguments: argparse.Namespace) -> int:
    """Remove all that are named, or none if one of the names is wrong."""
    for folder in remove(arguments.names):
        print(f"Removed {folder}")
    return 0
