"""sandbook rm: end sandboxes."""

import argparse

from sandbook_cli.arguments import some_id
from sandbook_cli.sandboxes import find_infos, open_factory

NAME = "rm"
SUMMARY = "End sandboxes and remove them; their workspaces stay."


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "ids", nargs="+", type=some_id, metavar="ID", help="an id, or how only this one begins"
    )


async def run(arguments: argparse.Namespace) -> int:
    """Remove all that are named, or none if one of the names is wrong."""
    with open_factory() as factory:
        for info in await find_infos(factory, arguments.ids):
            await factory.of(info.backend).remove(info.sandbox_id)
            print(info.sandbox_id)
    return 0
