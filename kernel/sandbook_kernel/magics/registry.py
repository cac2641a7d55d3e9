"""How a magic is declared and found, how it reads its arguments, and what it gets to work with."""

import argparse
import asyncio
import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

from sandbook.actions import PythonAction, RunAction
from sandbook.errors import InvalidActionError
from sandbook.executor import ActionExecutor
from sandbook.sandbox.progress import Progress
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, text
from sandbook_kernel.words import comment_of, words_of

if TYPE_CHECKING:
    from sandbook.files.workspace import WorkspaceFiles

VALUE = "\0"
"""Stands before a word that is a value whatever it looks like."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that the front end is to open in its editor."""

    path: str
    display: Display
    """What is shown below the cell meanwhile."""


Answer = Display | Opened | RunAction | PythonAction | None
"""What a magic gives back: something to show, to open, or to run, or nothing."""
Function = Callable[["Context", MagicStep], Awaitable[Answer]]


def _tell_nobody(_: Progress) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Context:
    """What a magic may use."""

    executor: ActionExecutor
    session: str = ""
    """The shell that the cell runs in, unless it says otherwise."""
    base_url: str = ""
    """Where the server is reached that runs this kernel; empty where there is none."""
    tell: Callable[[Progress], None] = _tell_nobody
    """Shows how far something is."""

    async def files(self, options: argparse.Namespace) -> "WorkspaceFiles":
        """Reach the files of the sandbox from where the shell is that the options name."""
        session = options.session or self.session
        return await self.executor.files(session, root=options.root)

    async def path(self, options: argparse.Namespace, path: str) -> str:
        """Give a path of the sandbox with `~` replaced by the home of the user, or of root."""
        if path.partition("/")[0] != "~":
            return path
        shell = await self.executor.start(root=options.root)
        # A question to a shell must not be left before it is answered.
        home = await asyncio.shield(asyncio.ensure_future(shell.ask("printf %s ~")))
        return home + path[1:]


class HelpAsked(Exception):  # noqa: N818 -- nothing is wrong
    """Somebody wants to know how to use a magic."""


class _Help(argparse.Action):
    """Stops the parser before it misses what was left out."""

    def __call__(self, *_: Any) -> NoReturn:
        raise HelpAsked


class Options(argparse.ArgumentParser):
    """The options of a magic. What it cannot understand is an error with the usage in it."""

    def __init__(self, name: str, description: str, usage: str | None = None) -> None:
        super().__init__(prog=f"%{name}", description=description, usage=usage, add_help=False)
        self._comment = ""
        self.places: dict[str, str] = {}
        """Which arguments are paths, and of whom: `sandbox` or `host`."""
        self.add_argument("-h", "--help", action=_Help, nargs=0, help="show this and do nothing")

    def add_path(self, name: str, where: str = "sandbox", **keywords: Any) -> None:
        """Take a path; completion finds it."""
        self.add_argument(name, **keywords)
        self.places[name] = where

    def add_shell(self) -> None:
        """Let somebody choose whose files, and from where paths go."""
        self.add_argument(
            "--session", metavar="NAME", default="", help="paths go from where this shell is"
        )
        self.add_argument("--root", action="store_true", help="as root of the sandbox")

    def read(self, arguments: str) -> argparse.Namespace:
        """Take a line apart as bash would.

        Raises:
            InvalidActionError: There is an option that the magic does not have, or a quote too few.
            HelpAsked: It is all that was asked for.
        """
        words, self._comment = words_of(arguments), comment_of(arguments)
        if words and words[-1].quote:
            self.error(f"a quote is left open: {words[-1].quote[-1]}")
        # A word in quotes is never an option, so that one can replace '-O2' by '-O3'.
        quoted = (not word.is_plain and word.text.startswith("-") for word in words)
        marked = [VALUE * mark + word.text for word, mark in zip(words, quoted, strict=True)]
        found = self.parse_args(marked)
        return argparse.Namespace(**{name: _unmarked(value) for name, value in vars(found).items()})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and how it would be right."""
        usage = " ".join(self.format_usage().split())
        comment = (
            self._comment and f"\nThis is a comment; quote it to make it a word: {self._comment}"
        )
        raise InvalidActionError(f"{message.replace(VALUE, '')}{comment}\n{usage}")


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_unmarked, cast("list[Any]", value)))
    return value.removeprefix(VALUE) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Magic:
    """A magic's name, what it does, and what it says about itself."""

    name: str
    function: Function
    options: Options
    summary: str
    needs: str = ""
    """A module that takes long to import, which is done in a thread when it is first used."""

    @property
    def help(self) -> str:
        """Tell how to use it."""
        return self.options.format_help().strip()

    @property
    def is_stoppable(self) -> bool:
        """Say whether it may be left at any moment; it then finds a sandbox when it begins."""
        return bool(self.needs)

    async def run(self, context: Context, step: MagicStep) -> Answer:
        """Do it, or explain it where that is asked for."""
        if self.needs:
            await asyncio.to_thread(importlib.import_module, self.needs)
        try:
            return await self.function(context, step)
        except HelpAsked:
            return text(self.help)


MAGICS: dict[str, Magic] = {}


def magic(options: Options, needs: str = "") -> Callable[[Function], Function]:
    """Register the function below as a magic; its docstring's first line is the summary.

    Args:
        needs: For a magic that works on files: the module that does it.
    """

    def register(function: Function) -> Function:
        name = options.prog.lstrip("%")
        summary = (function.__doc__ or "").partition("\n")[0]
        MAGICS[name] = Magic(name, function, options, summary, needs)
        return function

    return register
