"""What could stand at the cursor on the line of a magic: options, shells, paths."""

import argparse
import os
import posixpath
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sandbook.errors import SandboxError
from sandbook.executor import ActionExecutor
from sandbook_kernel.cell import MagicStep, parse
from sandbook_kernel.magics import MAGICS, Context, Options
from sandbook_kernel.words import Word, comment_of, quoted, words_of

MOST = 500
_NAME = re.compile(r"%{1,2}[a-z]+[ \t]+")

Found = tuple[list[str], int]
"""What could replace the text at the end of the line, and how much of that text."""


async def complete_magic(executor: ActionExecutor, code: str) -> Found | None:
    """Find what could stand at the end of a magic's line; nothing if it is none, or bash's."""
    line = code.rpartition("\n")[2]
    head = _NAME.match(line)
    steps = parse(code, MAGICS)
    if head is None or not steps or not isinstance(steps[-1], MagicStep) or steps[-1].body:
        return None
    options = MAGICS[steps[-1].name].options
    if comment_of(line[head.end() :]):
        return [], 0
    words = words_of(line[head.end() :])
    if not words or (line[-1].isspace() and not words[-1].quote and line[-2] != "\\"):
        words.append(Word(len(line) - head.end(), ""))
    last, length = words[-1], len(line) - head.end() - words[-1].start
    action, before = _action(options, words[:-1])
    if last.text.startswith("-") and action is None:
        return sorted(name for name in _names(options) if name.startswith(last.text)), length
    if action is not None:
        found = [name for name, _ in executor.shells if name] if action == "session" else []
        return [name for name in sorted(found) if name.startswith(last.text)], length
    if not options.places:
        return None if options.prog == "%bash" else (_choices(options, before, last), length)
    return await _paths(executor, options, before, last), length


def _names(options: Options) -> list[str]:
    return [name for action in options._actions for name in action.option_strings if len(name) > 2]  # noqa: SLF001, PLR2004


def _choices(options: Options, given: argparse.Namespace, last: Word) -> list[str]:
    """Find the words that may stand at the place of the last one."""
    places: list[Any] = [action for action in options._actions if not action.option_strings]  # noqa: SLF001
    if given.count >= len(places):
        return []
    action: Any = places[given.count]
    choices: list[str] = list(action.choices or ())
    return sorted(word for word in choices if word.startswith(last.text))


def _action(options: Options, before: Sequence[Word]) -> tuple[str | None, argparse.Namespace]:
    """Tell which option waits for a value, and read the arguments before the last word."""
    known = {name: action for action in options._actions for name in action.option_strings}  # noqa: SLF001
    given = argparse.Namespace(session="", root=False, count=0)
    waiting: list[str] = []
    for word in before:
        if waiting:
            name = waiting.pop()
            setattr(given, name, word.text)
        elif action := known.get(word.text):
            values = 0 if action.nargs == 0 else action.nargs or 1
            waiting = [action.dest] * (values if isinstance(values, int) else 1)
            given.root = given.root or action.dest == "root"
        elif not word.text.startswith("-"):
            given.count += 1
    return (waiting[-1] if waiting else None), given


async def _paths(
    executor: ActionExecutor, options: Options, given: argparse.Namespace, last: Word
) -> list[str]:
    """Find files of the sandbox, or of this machine, that begin so."""
    places = list(options.places.values())
    if given.count >= len(places):
        return []
    folder, slash, start = last.text.rpartition("/")
    try:
        if places[given.count] == "host":
            names = _of_host(folder + slash)
        else:
            names = await _of_sandbox(Context(executor), given, folder + slash)
    except (OSError, SandboxError):
        return []
    fit = sorted(name for name in names if name.startswith(start))
    shown = [name for name in fit if start or not name.startswith(".")] or fit
    return [_written(folder + slash, name, last) for name in shown[:MOST]]


async def _of_sandbox(context: Context, given: argparse.Namespace, folder: str) -> list[str]:
    files = await context.files(given)
    found = await files.list_folder(await context.path(given, folder) or ".")
    return [f"{info.name}/" if info.is_folder else info.name for info in found]


def _of_host(folder: str) -> list[str]:
    with os.scandir(Path(folder or ".").expanduser()) as found:
        return [f"{entry.name}/" if entry.is_dir() else entry.name for entry in found]


def _written(folder: str, name: str, last: Word) -> str:
    """Write a path as the user has begun it; a folder is left open, for it goes on."""
    written = quoted(posixpath.join(folder, name), last.quote)
    is_open = last.quote and written.startswith(last.quote) and name.endswith("/")
    return written[:-1] if is_open else written
