"""What can be asked of a sandbox."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunAction:
    """Run bash code in one of the sandbox's shells."""

    command: str
    session: str = ""
    """The name of the shell; the one without a name is the notebook's own."""
    root: bool = False
    """In a shell that is root's: there is one beside each other."""
    timeout_s: float | None = None
    """Interrupt the command after this many seconds."""
    inputs: tuple[str, ...] = ()
    """Lines for programs that want input, before anybody is asked."""
    job_notices: bool = False
    """Show what bash tells of jobs without being asked (`[1] 4711`), as agents expect it."""


@dataclass(frozen=True, slots=True)
class TurnAction:
    """An agent's turn at the notebook's own shell: a new command, or a word to the one that runs.

    The answer may come before the command has ended; the next turn can go on with it.
    """

    command: str
    """Nothing at all waits for more of what runs; `C-c` and its like press keys."""
    is_input: bool = False
    """It is to be typed to the program that runs."""
    timeout_s: float | None = None
    """Answer after this many seconds, whatever the command does. It goes on."""
    blocking: bool = False
    """Wait also while nothing new is said."""
    is_static: bool = False
    """In a shell that is made for this alone."""
    cwd: str = ""
    """Where that shell begins."""
    hidden: bool = False
    """Nobody is to be shown it; its output is not shortened."""


@dataclass(frozen=True, slots=True)
class ReadAction:
    """Read a file for an agent."""

    path: str
    start: int = 0
    end: int = -1
    numbered: bool = False
    """As the editor shows it; else as it is, pictures and the like as data URLs."""
    view_range: object = None


@dataclass(frozen=True, slots=True)
class WriteAction:
    """Write a file, or put something in the place of some of its lines."""

    path: str
    content: str
    start: int = 0
    end: int = -1
    is_exact: bool = False
    """Write just the content; else each line of it ends with a newline, also the last."""


@dataclass(frozen=True, slots=True)
class EditAction:
    """One step of the editor that agents know."""

    path: str
    command: str = ""
    file_text: str | None = None
    old_str: str | None = None
    new_str: str | None = None
    insert_line: object = None
    view_range: object = None


@dataclass(frozen=True, slots=True)
class PythonAction:
    """Run Python code in the sandbox's own IPython."""

    code: str
    include_extra: bool = True
    """Tell also where that was."""
    timeout_s: float | None = None


Action = RunAction | TurnAction | ReadAction | WriteAction | EditAction | PythonAction
