"""What could stand at the cursor: commands, files, variables, and what bash-completion knows."""

import re
import shlex
from dataclasses import dataclass

from sandbook.executor import ActionExecutor
from sandbook.session.shell import Shell
from sandbook_kernel.magic_completion import complete_magic
from sandbook_kernel.magics import MAGICS
from sandbook_kernel.words import open_quote

_LAST_COMMAND = re.compile(
    r"(?:.*(?:[;|&(`]|\$\(|(?:^|\s)[!{]\s"
    r"|\b(?:then|do|else|if|elif|while|until|sudo|time|exec|command|nohup|xargs)\s))?(.*)",
    re.S,
)
_LAST_WORD = re.compile(r"(?:[^\s;|&<>()`\"'=\\]|\\.)*\Z", re.S)
_ASSIGNMENTS = re.compile(r"(?:\w+=\S*\s+)*")
_VARIABLE = re.compile(r"(?<!\\)(\$(?:\{[#!]?)?)(\w*)\Z")
_TAKES_NAMES = re.compile(r"(?:export|unset|readonly|declare|typeset|local|read)\s")
_TAKES_FOLDERS = re.compile(r"(?:cd|pushd|rmdir)\s")
_MAGIC = re.compile(r"%{1,2}[a-z]*\Z")
BYTES = re.compile("[\udc80-\udcff]")
_QUOTES = {"'", '"'}
_DOUBLE = re.compile(r'(["\\$`])')
_NEEDS_ESCAPE = re.compile(r"([\s\"'`$&|;<>()*?\[\]{}!#\\])")


@dataclass(frozen=True, slots=True)
class Completion:
    """What could replace the text from `start` to the cursor."""

    matches: list[str]
    start: int


async def complete(executor: ActionExecutor, code: str, cursor: int) -> Completion:
    """Find what could stand at the cursor."""
    if of_magic := await complete_magic(executor, code[:cursor]):
        return Completion(of_magic[0], cursor - of_magic[1])
    shell = await executor.start()
    line = code[:cursor].rpartition("\n")[2]
    if _MAGIC.fullmatch(line):
        name = line.lstrip("%")
        signs = line[: len(line) - len(name)]
        found = [f"{signs}{magic}" for magic in sorted(MAGICS) if magic.startswith(name)]
        return Completion(found, cursor - len(line))
    quote, begin = open_quote(line)
    if quote != "'" and (variable := _VARIABLE.search(line)):
        names = await _ask(shell, f"compgen -v -- {shlex.quote(variable[2])}")
        return Completion([variable[1] + name for name in names], cursor - len(variable[0]))
    if quote in _QUOTES and line[: begin - 1][-1:] in " \t=<>(":
        found = await _quoted_files(shell, line[begin:], quote)
        return Completion(found, cursor - (len(line) - begin))
    word = _matched(_LAST_WORD, line)
    command = _matched(_LAST_COMMAND, line, 1).lstrip()
    command = command[len(_matched(_ASSIGNMENTS, command)) :]
    if command == word and "/" not in word:
        names = await _ask(shell, f"compgen -c -- {shlex.quote(word)}")
        return Completion(names, cursor - len(word))
    found = await _names(shell, command, word)
    found = found or await _arguments(shell, command, word)
    found = found or await _files(shell, word, folders=bool(_TAKES_FOLDERS.match(command)))
    return Completion(found, cursor - len(word))


def _matched(pattern: "re.Pattern[str]", text: str, group: int = 0) -> str:
    match = pattern.search(text)
    return match[group] if match else ""


async def _ask(shell: Shell, command: str) -> list[str]:
    """Ask for names; those that are no text cannot be written in a cell."""
    said = await shell.ask(command)
    return sorted({line for line in said.splitlines() if line and not BYTES.search(line)})


async def _names(shell: Shell, command: str, word: str) -> list[str]:
    """Ask the shell itself for what `unset` and the like can name: nobody beside it knows that."""
    if not _TAKES_NAMES.match(command) or word.startswith("-"):
        return []
    return await _ask(shell, f"compgen -A variable -A function -- {shlex.quote(word)}")


async def _arguments(shell: Shell, command: str, word: str) -> list[str]:
    """Ask bash-completion, beside the shell: it brings hundreds of functions along."""
    if command == word:
        return []
    asked = f"__sandbook_arguments {shlex.quote(command)}"
    said = await shell.probe.ask(asked, cwd=shell.session.cwd, script="complete.sh")
    told = (line.partition(" ")[::2] for line in said.splitlines())
    names = (_escaped(name) if kind == "file" else name.rstrip() for kind, name in told)
    return sorted({name for name in names if name.startswith(word)})


async def _files(shell: Shell, word: str, *, folders: bool = False) -> list[str]:
    plain = re.sub(r"\\(.)", r"\1", word)
    return [_escaped(file) for file in await _paths(shell, plain, folders=folders)]


async def _quoted_files(shell: Shell, text: str, quote: str) -> list[str]:
    """Find files for a name that is being written in quotes. Many editors have closed them."""
    if quote == "'":
        return await _paths(shell, text)
    found = await _paths(shell, re.sub(r'\\(["\\$`])', r"\1", text))
    return [_DOUBLE.sub(r"\\\1", file) for file in found]


async def _paths(shell: Shell, plain: str, *, folders: bool = False) -> list[str]:
    home = plain.startswith("~/")
    name = f"~/{shlex.quote(plain[2:])}" if home else shlex.quote(plain)
    command = (
        f"compgen -{'d' if folders else 'f'} -- {name} | while IFS= read -r file; do "
        '[ -d "$file" ] && echo "$file/" || echo "$file"; done'
    )
    found = await _ask(shell, command)
    if home:
        root = (await _ask(shell, "echo ~"))[0]
        found = [f"~{file.removeprefix(root)}" for file in found]
    return found


def _escaped(name: str) -> str:
    return _NEEDS_ESCAPE.sub(r"\\\1", name)
