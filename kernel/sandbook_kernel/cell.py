"""What a cell consists of: magics, and bash. Pure."""

import re
from collections.abc import Collection
from dataclasses import dataclass

_MAGIC = re.compile(r"(?P<sign>%%?)(?P<name>[a-z]+)(?:[ \t]+(?P<arguments>.*))?$")
_COMMENTS = re.compile(r"(?:[ \t]*(?:#.*)?\n)*")


@dataclass(frozen=True, slots=True)
class BashStep:
    """Code for the shell."""

    code: str


@dataclass(frozen=True, slots=True)
class MagicStep:
    """A magic with its arguments, and the rest of the cell if it takes that (`%%name`)."""

    name: str
    arguments: str
    body: str | None = None


Step = BashStep | MagicStep


def parse(code: str, magics: Collection[str]) -> list[Step]:
    """Split a cell into steps. Only registered names are magics; `%1` and `%%` stay bash.

    Magics stand at the top of a cell; empty lines and comments may stand between them. From the
    first other line on, all is bash, so that no line of a here-document is taken for a magic.
    """
    steps: list[Step] = []
    rest = code
    while rest:
        line, _, after = _after_comments(rest).partition("\n")
        match = _MAGIC.match(line.rstrip())
        if match is None or match["name"] not in magics:
            break
        arguments = (match["arguments"] or "").strip()
        if match["sign"] == "%%":
            return [*steps, MagicStep(match["name"], arguments, after)]
        steps.append(MagicStep(match["name"], arguments))
        rest = after
    return [*steps, BashStep(rest)] if rest.strip() else steps


def _after_comments(code: str) -> str:
    match = _COMMENTS.match(code)
    return code[match.end() :] if match else code
