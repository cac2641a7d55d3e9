"""What headers of HTTP say about files: names, parts, types. Pure."""

import re
from datetime import datetime, timezone
from email.utils import format_datetime
from urllib.parse import quote

from sandbook.files.mime import FileType, Kind

PLAIN_NAME = re.compile(r"[A-Za-z0-9 !#$&'()+,.;=@^_`{}~\[\]-]*")
RANGE = re.compile(r"bytes=(\d{0,99})-(\d{0,99})", re.I)
SHOWN_BY_BROWSERS = {Kind.IMAGE, Kind.SVG, Kind.PDF, Kind.VIDEO, Kind.AUDIO, Kind.ARCHIVE}
NANOSECONDS = 10**9


class UnsatisfiableError(Exception):
    """A part that a file does not have."""


def attachment(name: str) -> str:
    """Tell a browser to save something under a name, whatever characters that has."""
    if PLAIN_NAME.fullmatch(name):
        return f'attachment; filename="{name}"'
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    simple = "".join(char if PLAIN_NAME.fullmatch(char) else "_" for char in text)
    return f"attachment; filename=\"{simple}\"; filename*=UTF-8''{quote(text, safe='')}"


def part_of(header: str, size: int) -> tuple[int, int] | None:
    """Read the one part that is asked for, as its begin and end; `None` is all of the file.

    Several parts at once, and what cannot be understood, are answered with all, as HTTP allows.

    Raises:
        UnsatisfiableError: The file does not have it.
    """
    match = RANGE.fullmatch(header.strip())
    if not match or not any(match.groups()):
        return None
    first, last = match.groups()
    if not first:
        begin, end = max(0, size - int(last)), size
    else:
        begin, end = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < begin:
            return None
    if begin >= end:
        raise UnsatisfiableError
    return begin, end


def served_type(found: FileType) -> str:
    """Say what a browser is told that a file is: nothing that could act.

    Pages, scripts and styles are told to be text; what is not known by its content, nothing.
    """
    if found.kind in SHOWN_BY_BROWSERS:
        return found.media_type
    if found.encoding is None:
        return "application/octet-stream"
    media_type = "application/json" if found.kind is Kind.JSON else "text/plain"
    return f"{media_type}; charset={found.encoding.name}"


def http_date(modified_ns: int) -> str:
    """Write a moment as HTTP does."""
    moment = datetime.fromtimestamp(modified_ns // NANOSECONDS, timezone.utc)
    return format_datetime(moment, usegmt=True)
