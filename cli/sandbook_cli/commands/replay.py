"""sandbook replay: do again what was done in a sandbox, in a new one, and say what differed."""

import argparse
from pathlib import Path

from sandbook.sandbox.factory import SandboxFactory
from sandbook.settings import variables_from
from sandbook_cli.arguments import image_name

NAME = "replay"
SUMMARY = "Run a trajectory, or any notebook, in a new sandbox; say what differs from before."
DIFFERS = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("file", type=Path, metavar="FILE", help="a notebook (.ipynb)")
    backends = ["auto", *SandboxFactory.backend_classes]
    parser.add_argument("--backend", choices=backends, help="what makes the sandbox")
    parser.add_argument("--image", type=image_name, help="image of the sandbox (docker)")
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="FOLDER",
        help="keep the files here; it is made if it is missing (default: nowhere)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the notebook with its new outputs"
    )
    parser.add_argument("--timeout", type=float, metavar="S", help="give a cell up after S seconds")


async def run(arguments: argparse.Namespace) -> int:
    """Run it; give back whether all was as before."""
    # Takes as long to import as all other commands together.
    from sandbook_cli.replaying import Replay, replay  # noqa: PLC0415

    variables = variables_from(arguments.backend, {"image": arguments.image})
    wish = Replay(
        arguments.file, variables, arguments.workspace, arguments.output, arguments.timeout
    )
    differing = await replay(wish)
    if not differing:
        print("All is as it was.")
        return 0
    print(f"{differing} {'cell differs' if differing == 1 else 'cells differ'}.")
    return DIFFERS
