"""What the shell is told after a command, so that the next one finds all in order. Pure."""

from sandbook.observations import CommandResult
from sandbook.session.framing import COUNT

DRAIN = b"__sandbook_drain\n" + COUNT
PARSE_ANEW = b"__sandbook_mute\n)\n__sandbook_unmute\n" + COUNT
SYNTAX_ERROR = 2


def tidying_after(result: CommandResult, *, typed: bool) -> bytes:
    """Say what is to be done after a command; most need nothing.

    Whoever pressed Ctrl-C while a new shell took over has typed, too: it hears no signal.
    """
    lines = b""
    if result.exit_code == SYNTAX_ERROR and not result.shell_exited:
        lines += PARSE_ANEW
    return lines + DRAIN if typed or result.shell_exited else lines
