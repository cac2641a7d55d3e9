"""What can be asked of a sandbox."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunAction:
    """Run bash code in the sandbox's shell."""

    command: str
