"""What can be asked of a sandbox."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunAction:
    """Run bash code in the sandbox's shell, or in its second one, which is root's."""

    command: str
    root: bool = False
