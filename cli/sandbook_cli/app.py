"""Puts the commands together: reads the arguments, runs one, and tells errors in a sentence."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from sandbook import __version__
from sandbook.errors import SandboxError
from sandbook_cli.commands import image, kernelspec, logs, prune, ps, replay, rm, serve, shell

FAILED = 1
INTERRUPTED = 130


class Command(Protocol):
    """What a module in `commands` has."""

    @property
    def NAME(self) -> str:  # noqa: N802 -- a constant of a module
        """Name the word that calls it."""
        ...

    @property
    def SUMMARY(self) -> str:  # noqa: N802
        """Tell what it does."""
        ...

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments, and set `run` to what takes them."""
        ...


COMMANDS: tuple[Command, ...] = (
    ps,
    rm,
    prune,
    logs,
    shell,
    image,
    kernelspec,
    serve,
    replay,
)


def build_parser() -> argparse.ArgumentParser:
    """Make the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="sandbook",
        description="Every notebook gets its own sandbox. This shows and manages them.",
    )
    parser.add_argument("--version", action="version", version=f"sandbook {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.configure(
            commands.add_parser(command.NAME, help=command.SUMMARY, description=command.SUMMARY)
        )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; give back the exit code of this process."""
    arguments = build_parser().parse_args(argv)
    try:
        code: int = asyncio.run(arguments.run(arguments))
        sys.stdout.flush()
    except SandboxError as error:
        print(f"sandbook: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code
