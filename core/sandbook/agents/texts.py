"""The sentences that agents are trained to read, word for word. Pure."""

import re

HOW_TO_GO_ON = (
    "You may wait longer to see additional output by sending empty command '', "
    "send other commands to interact with the current process, "
    'send keys ("C-c", "C-z", "C-d") to interrupt/kill the previous command '
    "before sending your new command, "
    "or use the timeout parameter in execute_bash for future commands."
)
GOES_ON = "[Below is the output of the previous command.]\n"
NOTHING_TO_WAIT_FOR = "ERROR: No previous running command to retrieve logs from."
NOTHING_TO_TYPE_TO = "ERROR: No previous running command to interact with."
_KEY = re.compile(r"C-(.)", re.DOTALL)


def key_of(command: str) -> str:
    """Say which key is to be pressed together with Ctrl; empty for anything but a key."""
    match = _KEY.fullmatch(command)
    return match[1].upper() if match else ""


def ended(exit_code: int, key: str = "") -> str:
    """Tell that a command has ended, maybe after a key was pressed."""
    sent = f" CTRL+{key} was sent." if key else ""
    return f"\n[The command completed with exit code {exit_code}.{sent}]"


def silent(seconds: float) -> str:
    """Tell that nothing more came for a while."""
    return f"\n[The command has no new output after {int(seconds)} seconds. {HOW_TO_GO_ON}]"


def late(seconds: float) -> str:
    """Tell that the agent did not want to wait any longer."""
    return f"\n[The command timed out after {float(seconds)} seconds. {HOW_TO_GO_ON}]"


def refused(command: str) -> str:
    """Tell that another command has to end first."""
    return (
        f'\n[Your command "{command}" is NOT executed. The previous command is still running - '
        "You CANNOT send new commands until the previous command is completed. "
        "By setting `is_input` to `true`, you can interact with the current process: "
        f"{HOW_TO_GO_ON}]"
    )


def too_many(commands: list[str]) -> str:
    """Tell that an action holds more than one command."""
    listed = "\n".join(f"({number}) {command}" for number, command in enumerate(commands, 1))
    return (
        "ERROR: Cannot execute multiple commands at once.\n"
        "Please run each command separately OR chain them into a single command via && or ;\n"
        f"Provided commands:\n{listed}"
    )


def cut(lines: int) -> str:
    """Tell that only the end of an output is shown."""
    return (
        "[Previous command outputs are truncated. "
        f"Showing the last {lines} lines of the output below.]\n"
    )
