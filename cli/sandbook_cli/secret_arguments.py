"""Secrets that somebody hands to a command: in a file, or in the command line itself."""

import argparse
import ctypes
import re
import sys
from pathlib import Path

ARGUMENTS_START, ARGUMENTS_END = 45, 46
"""Which fields of /proc/self/stat they are, behind the name of the program."""
LONGEST = 4096
STANDARD_INPUT = "-"


def from_file(path: str) -> str:
    """Read a secret from the first line of a file."""
    try:
        if path == STANDARD_INPUT:
            line = sys.stdin.readline(LONGEST)
        else:
            with Path(path).open(encoding="utf-8") as file:
                line = file.readline(LONGEST)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot read {path!r}: {error.strerror}") from error
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{path!r} holds no text") from error
    if not line.strip():
        raise argparse.ArgumentTypeError(f"{path!r} begins with an empty line, not with a key")
    return line.strip()


def hidden(secret: str) -> str:
    """Take a secret from the command line, and overwrite it there: `ps` shows it no longer."""
    fields = Path("/proc/self/stat").read_text("utf-8").rpartition(")")[2].split()
    start, end = int(fields[ARGUMENTS_START]), int(fields[ARGUMENTS_END])
    shown = ctypes.string_at(start, end - start)
    wanted = secret.encode("utf-8", "surrogateescape")
    for found in re.finditer(re.escape(wanted) + b"(?=\0)", shown):
        ctypes.memset(start + found.start(), ord("x"), len(wanted))
    return secret
