"""What the marks of a session mean. Pure."""

from urllib.parse import unquote_to_bytes

from sandbook.observations import Clear, CommandResult, Output, Rich
from sandbook.session.framing import Mark


def end_from(mark: Mark) -> tuple[CommandResult, str]:
    """Read the end of a command, and the shell's flags (`$-`)."""
    _, _, status, flags, exited, pid, *cwd = mark.fields
    where = unquote_to_bytes(b";".join(cwd)).decode("utf-8", "replace")
    result = CommandResult(int(status), where, int(pid), shell_exited=bool(exited))
    return result, flags.decode("ascii", "replace")


def rich_from(mark: Mark) -> Output | None:
    """Read something to show; nothing if it is no mark that anybody would send."""
    match mark.kind, mark.fields:
        case "C", (wait,):
            return Clear(bool(wait))
        case "I", (arguments, data):
            return Rich("iterm2", data, arguments.decode("utf-8", "replace"))
        case ("M" | "R") as kind, (mime, display_id, data):
            name = display_id.decode("utf-8", "replace")
            return Rich(mime.decode("utf-8", "replace"), data, name, is_result=kind == "R")
        case _:
            return None
