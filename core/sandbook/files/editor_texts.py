"""The sentences that agents read when they view and edit files. Each one is part of a contract."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from sandbook.errors import EditError

COMMANDS = ("view", "create", "str_replace", "insert", "undo_edit")
CONVERTED = {".docx", ".xlsx", ".pptx", ".pdf", ".mp3", ".wav", ".m4a", ".flac"}
"""What an agent can view as Markdown though it is binary, and never edit."""
MAX_SHOWN = 16_000
MAX_FILE_BYTES = 10 * 1024 * 1024
MEBIBYTE = 1024 * 1024
NO_RANGE = "It should be a list of two integers."

_CLIPPED = "<response clipped><NOTE>Due to the max output limit, only part of this "
_FILE_NOTICE = (
    f"{_CLIPPED}file has been shown to you. You should retry this tool after you have searched "
    "inside the file with `grep -n` in order to find the line numbers of what you are looking "
    "for.</NOTE>"
)
_CONVERTED_NOTICE = (
    f"{_CLIPPED}file has been shown to you. Please use Python libraries to view the entire file "
    "or search for specific content within the file.</NOTE>"
)
_FOLDER_NOTICE = (
    f"{_CLIPPED}directory has been shown to you. You should use `ls -la` instead to view large "
    "directories incrementally.</NOTE>"
)


def numbered(text: str, what: str, first: int = 1) -> str:
    """Show a text as `cat -n` does, up to the limit."""
    lines = _clipped(text, _FILE_NOTICE).split("\n")
    block = "".join(f"{number:6}\t{line}\n" for number, line in enumerate(lines, first))
    return f"Here's the result of running `cat -n` on {what}:\n{block}"


def converted(path: str, markdown: str) -> str:
    """Show what a document says."""
    shown = _clipped(markdown, _CONVERTED_NOTICE)
    return f"Here's the content of the file {path} displayed in Markdown format:\n{shown}\n"


def folder(path: str, entries: Sequence[str], hidden: int) -> str:
    """Show what is in a folder.

    Args:
        entries: Paths relative to it, two levels deep, folders with a slash at the end.
        hidden: How many hidden ones are directly in it.
    """
    inside = sorted(f"{path.rstrip('/')}/{entry}" for entry in entries)
    listed = "\n".join([f"{path.rstrip('/')}/", *inside])
    shown = (
        f"Here's the files and directories up to 2 levels deep in {path}, "
        f"excluding hidden items:\n{_clipped(listed, _FOLDER_NOTICE)}"
    )
    if hidden:
        shown += (
            f"\n\n{hidden} hidden files/directories in this directory are excluded. "
            f"You can use 'ls -la {path}' to see them."
        )
    return shown


def only_so_many_lines(total: int) -> str:
    """Say that a range went too far."""
    return f"NOTE: We only show up to {total} since there're only {total} lines in this file.\n"


def created(path: str) -> str:
    """Say that a file was made."""
    return f"File created successfully at: {path}"


def replaced(path: str, snippet: str, first: int) -> str:
    """Show where something was replaced."""
    return (
        f"The file {path} has been edited. {numbered(snippet, f'a snippet of {path}', first)}"
        "Review the changes and make sure they are as expected. "
        "Edit the file again if necessary."
    )


def inserted(path: str, snippet: str, first: int) -> str:
    """Show where something was inserted."""
    return (
        f"The file {path} has been edited. "
        f"{numbered(snippet, 'a snippet of the edited file', first)}"
        "Review the changes and make sure they are as expected (correct indentation, "
        "no duplicate lines, etc). Edit the file again if necessary."
    )


def undone(path: str, text: str) -> str:
    """Show a file after an undo."""
    return f"Last edit to {path} undone successfully. {numbered(text, path)}"


def not_found(old_str: str, path: str) -> str:
    """Say that there is nothing to replace."""
    return f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."


def found_often(old_str: str, lines: list[int]) -> str:
    """Say that it is not clear what to replace."""
    return (
        f"No replacement was performed. Multiple occurrences of old_str `{old_str}` "
        f"in lines {lines}. Please ensure it is unique."
    )


def no_history(path: str) -> str:
    """Say that nothing is known to undo."""
    return f"No edit history found for {path}."


def no_line_number(value: object) -> str:
    """Say that this does not name a line."""
    return f"Invalid insert_line value: '{value}'. Expected an integer."


def starts_outside(first: int, total: int) -> str:
    """Say what is wrong with the first line of a range."""
    return (
        f"Its first element `{first}` should be within the range of lines of the file: "
        f"[1, {total}]."
    )


def ends_before_start(first: int, last: int) -> str:
    """Say what is wrong with the last line of a range."""
    return (
        f"Its second element `{last}` should be greater than or equal to the first element "
        f"`{first}`."
    )


def missing_parameter(parameter: str, command: str) -> EditError:
    """Ask for a parameter."""
    return EditError(f"Parameter `{parameter}` is required for command: {command}.")


def nothing_to_replace(new_str: str) -> EditError:
    """Refuse a replacement that changes nothing."""
    reason = "No replacement was performed. `new_str` and `old_str` must be different."
    return _invalid("new_str", new_str, reason)


def line_out_of_range(line: int, total: int) -> EditError:
    """Refuse a line that the file has not."""
    reason = f"It should be within the range of allowed values: [0, {total}]"
    return _invalid("insert_line", line, reason)


def bad_range(view_range: object, reason: str) -> EditError:
    """Refuse a range of lines."""
    return _invalid("view_range", view_range, reason)


def range_of_folder(view_range: object) -> EditError:
    """Refuse a range of lines of something without lines."""
    reason = "The `view_range` parameter is not allowed when `path` points to a directory."
    return bad_range(view_range, reason)


def not_absolute(path: str, meant: str = "") -> EditError:
    """Refuse a relative path; `meant` is an absolute one that exists."""
    hint = f" Maybe you meant {meant}?" if meant else ""
    reason = f"The path should be an absolute path, starting with `/`.{hint}"
    return _invalid("path", path, reason)


def missing(path: str) -> EditError:
    """Refuse a path that is not there."""
    return _invalid("path", path, f"The path {path} does not exist. Please provide a valid path.")


def exists(path: str) -> EditError:
    """Refuse to create what is there."""
    reason = f"File already exists at: {path}. Cannot overwrite files using command `create`."
    return _invalid("path", path, reason)


def is_folder(path: str) -> EditError:
    """Refuse to edit a folder."""
    reason = (
        f"The path {path} is a directory and only the `view` command can be used on directories."
    )
    return _invalid("path", path, reason)


def is_document(path: str) -> EditError:
    """Refuse to edit what can only be viewed."""
    reason = (
        f"The path {path} points to a binary file ({PurePosixPath(path).suffix}) and only the "
        "`view` command can be used on supported binary files."
    )
    return _invalid("path", path, reason)


def unknown_command(command: str) -> EditError:
    """Refuse a command that is none."""
    return EditError(
        f"Unrecognized command {command}. The allowed commands for the oh_editor tool are: "
        f"{', '.join(COMMANDS)}"
    )


def too_large(path: str, size: int) -> EditError:
    """Refuse a file that is too large to edit."""
    return EditError(
        f"File validation failed for {path}: File is too large ({size / MEBIBYTE:.1f}MB). "
        f"Maximum allowed size is {MAX_FILE_BYTES // MEBIBYTE}MB."
    )


def is_binary(path: str) -> EditError:
    """Refuse a file that has no text."""
    return EditError(
        f"File validation failed for {path}: File appears to be binary and this file type cannot "
        "be read or edited by this tool."
    )


def failed_to(verb: str, path: str, reason: object) -> EditError:
    """Pass on what the system said when a file was to be read, or written to."""
    return EditError(f"Ran into {reason} while trying to {verb} {path}")


def _invalid(parameter: str, value: object, reason: str) -> EditError:
    return EditError(f"Invalid `{parameter}` parameter: {value}. {reason}")


def _clipped(text: str, notice: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + notice
