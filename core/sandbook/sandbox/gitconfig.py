"""Reads configs of git, which may be hostile: each character once, and nothing is run. Pure."""

import re
from collections.abc import Iterator

_BLANK = re.compile(r"\s+")
_SECTION = re.compile(r'\[[ \t]*([-.\w]+)(?:[ \t]+"(?:[^"\\\n]|\\.)*")?[ \t]*\]')
_KEY = re.compile(r"([A-Za-z][-A-Za-z0-9]*)[ \t]*(=?)[ \t]*")
_VALUE = re.compile(r'(?:[^"\\\n#;]|\\(?:.|\n)|"(?:[^"\\\n]|\\(?:.|\n))*")*')
_PIECE = re.compile(r'"|\\(.|\n)')
_ESCAPED = {"\n": "", "n": "\n", "t": "\t", "b": "\b"}


def settings_of(config: str) -> Iterator[tuple[str, str]]:
    """Give names such as `core.hookspath`, in lower case and without a subsection, and values."""
    section, at = "", 0
    config = config.removeprefix("\ufeff").replace("\r\n", "\n")
    while at < len(config):
        if match := _BLANK.match(config, at):
            at = match.end()
        elif match := _SECTION.match(config, at):
            section, at = match[1].partition(".")[0].lower(), match.end()
        elif match := _KEY.match(config, at):
            value = _VALUE.match(config, match.end()) if match[2] else None
            if value is not None:
                yield f"{section}.{match[1].lower()}", _PIECE.sub(_meant, value[0].strip())
            at = _end_of_line(config, value.end() if value else match.end())
        else:  # a comment, or what git would refuse
            at = _end_of_line(config, at)


def _meant(piece: re.Match[str]) -> str:
    return _ESCAPED.get(piece[1], piece[1]) if piece[1] else ""


def _end_of_line(config: str, at: int) -> int:
    end = config.find("\n", at)
    return len(config) if end < 0 else end + 1
