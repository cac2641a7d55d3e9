"""How a command failed, in a name and a sentence. Pure."""

import signal

from sandbook.actions import RunAction
from sandbook.observations import CommandResult

SIGNALED = 128
NO_INPUT = (
    "{} wants input, and there is nobody here to give it. Hand it over in the cell: with <<<, "
    "with a here-document, or with a pipe such as `yes |`."
)


def failure_of(result: CommandResult, action: RunAction) -> tuple[str, str] | None:
    """Name a failure, and tell it in words."""
    status = f"exit status {result.exit_code}"
    if result.exit_code > SIGNALED:
        number = result.exit_code - SIGNALED
        if number in {int(known) for known in signal.Signals}:
            status += f" ({signal.Signals(number).name})"
    if result.timed_out:
        return "Timeout", f"stopped after {action.timeout_s:g} s ({status})"
    if result.refused:
        return "StdinNotAvailable", NO_INPUT.format(result.refused)
    if result.exit_code == 0:
        return None
    return ("Interrupted" if result.interrupted else "ExitStatus"), status
