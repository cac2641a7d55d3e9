"""How a magic is declared and found, how it reads its arguments, and what it gets to work with."""

import argparse
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn

from sandbook.actions import RunAction
from sandbook.errors import InvalidActionError
from sandbook.executor import ActionExecutor
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display

Answer = Display | RunAction | None
"""What a magic gives back: something to show, something for the shell to run, or nothing."""
Function = Callable[["Context", MagicStep], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Context:
    """What a magic may use."""

    executor: ActionExecutor


@dataclass(frozen=True, slots=True)
class Magic:
    """A magic's name, what it does, and one line about it."""

    name: str
    run: Function
    summary: str


MAGICS: dict[str, Magic] = {}


def magic(name: str) -> Callable[[Function], Function]:
    """Register the function below as a magic; its docstring's first line is the summary."""

    def register(function: Function) -> Function:
        summary = (function.__doc__ or "").partition("\n")[0]
        MAGICS[name] = Magic(name, function, summary)
        return function

    return register


class Options(argparse.ArgumentParser):
    """The options of a magic. What it cannot understand is an error with the usage in it."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(prog=f"%{name}", description=description, add_help=False)

    def read(self, arguments: str) -> argparse.Namespace:
        """Take a line apart as bash would.

        Raises:
            InvalidActionError: There is an option that the magic does not have, or a quote too few.
        """
        try:
            return self.parse_args(shlex.split(arguments))
        except ValueError as error:
            self.error(str(error))

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and how it would be right."""
        raise InvalidActionError(f"{message}\n{self.format_usage().strip()}")
