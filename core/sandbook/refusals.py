"""Tells from the output of a command that it wanted to change what is protected."""

import re
from collections.abc import Iterable

from sandbook.observations import Output
from sandbook.sandbox.protection import Protection
from sandbook.tail import Tail

LOOKED_AT = 1 << 14
"""Programs say last what they could not do."""
_REFUSED = re.compile(r"Read-only file system|Device or resource busy")


class Refusals:
    """Listens to one command."""

    def __init__(self, protection: Protection) -> None:
        self._protected = protection.read_only
        self._tail = Tail(LOOKED_AT)

    def hear(self, part: Output) -> None:
        """Take a piece of output."""
        if isinstance(part, bytes):
            self._tail.add(part)

    def names(self) -> list[str]:
        """Name what is protected and stands in a line about a refusal."""
        lines = [line for line in self._tail.text().splitlines() if _REFUSED.search(line)]
        return [path for path in self._protected if any(_is_named(path, line) for line in lines)]


def _is_named(path: str, line: str) -> bool:
    return any(name in line for name in _names_of(path))


def _names_of(path: str) -> Iterable[str]:
    """Give the forms in which a program that is in some folder may name it."""
    yield path
    parts = path.split("/")
    if len(parts) > 1 and parts[-2].startswith("."):
        yield f"{parts[-2]}/{parts[-1]}"
    elif parts[-1].startswith("."):
        yield parts[-1]
