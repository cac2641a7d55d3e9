"""How a magic is declared and found, and what it gets to work with."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sandbook.executor import ActionExecutor
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display

Function = Callable[["Context", MagicStep], Awaitable[Display | None]]


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
