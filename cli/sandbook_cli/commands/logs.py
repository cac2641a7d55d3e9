"""sandbook logs: what the first process of a sandbox has said."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from sandbook.rendering.safe import terminal_text
from sandbook_cli.arguments import count, some_id
from sandbook_cli.errors import CommandError
from sandbook_cli.sandboxes import find_infos, open_docker, open_factory

NAME = "logs"
SUMMARY = "Show what a sandbox's own first process has said (docker only)."

LONG = 1 << 16


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("id", type=some_id, metavar="ID", help="an id, or how only this one begins")
    parser.add_argument("-n", "--tail", type=count, metavar="N", help="the last N lines only")


async def run(arguments: argparse.Namespace) -> int:
    """Write the log of the container; what is in it may come from anybody in the sandbox."""
    with open_factory() as factory:
        (info,) = await find_infos(factory, [arguments.id])
    if info.backend != "docker":
        message = f"The {info.backend} backend keeps no logs: its output is in the notebook only."
        raise CommandError(message)
    with open_docker() as backend:
        said = await backend.call(lambda api: _copy(api, info.sandbox_id, arguments.tail))
    if not said:
        print("The log is empty: the output of cells is in the notebook.", file=sys.stderr)
    return 0


def _copy(api: Any, sandbox_id: str, tail: int | None) -> bool:
    """Write a log, of any length; say whether there is anything in it."""
    (row,) = api.containers(all=True, filters={"name": f"^/sandbook-{sandbox_id}$"})
    last = "all" if tail is None else tail
    pieces = api.logs(row["Id"], tail=last, stream=True, follow=False)
    said = False
    for line in _lines(pieces):
        said = True
        text = line.decode("utf-8", "backslashreplace")
        sys.stdout.buffer.write(terminal_text(text).encode())
    return said


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Give lines, with their ends; one that is too long comes in parts."""
    held = b""
    for piece in pieces:
        *lines, held = (held + piece).split(b"\n")
        yield from (line + b"\n" for line in lines)
        if len(held) > LONG:
            yield held
            held = b""
    if held:
        yield held
