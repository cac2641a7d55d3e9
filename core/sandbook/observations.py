"""What a sandbox answers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended, and where it left the shell. A failed command is no error of ours."""

    exit_code: int
    cwd: str
    pid: int
    shell_exited: bool = False
    """The command ended the shell (`exit 3`); a new one took over with the same state."""
