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
    interrupted: bool = False
    timed_out: bool = False
    refused: str = ""
    """The program that wanted input, where nobody could give it any."""


@dataclass(frozen=True, slots=True)
class Rich:
    """Something to show that is more than text, in the place where it came among the output."""

    mime: str
    """`auto` leaves it to the reader to find out; `iterm2` has its arguments in `display_id`."""
    data: bytes
    """In base 64, as it came."""
    display_id: str = ""
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class Clear:
    """The output so far is to go, at once or when the next comes."""

    wait: bool


Output = bytes | Rich | Clear
"""What a command says while it runs."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What is known of a shell after a command; nothing while one runs."""

    exit_code: int = -1
    pid: int = -1
    """The last program that was put into the background."""
    username: str | None = None
    hostname: str | None = None
    working_dir: str | None = None
    py_interpreter_path: str | None = None


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How far a command is, and what it has said since the last turn."""

    command: str
    content: str
    where: Whereabouts = Whereabouts()
    prefix: str = ""
    suffix: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class FileRead:
    """What a file holds, for an agent."""

    path: str
    content: str
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class FileWritten:
    """A file was written."""

    path: str
    text: str | None = None
    """What it holds now, where that is known."""
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class FileEdited:
    """What came of a step of the editor; a failure is told in the content."""

    path: str
    content: str
    old_str: str | None = None
    new_str: str | None = None
    diff: str = ""
    text: str | None = None
    """What the file holds now; nothing if it was not changed."""


@dataclass(frozen=True, slots=True)
class PythonResult:
    """What Python code said and showed."""

    code: str
    content: str
    image_urls: tuple[str, ...] = ()
    how: str = "ok"
    """How it ended: `ok`, `error`, `timeout` or `died`."""
    text: str = ""
    """What it said, without what agents are told beside it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An action that could not be done; the content tells the agent why."""

    content: str


Observation = (
    CommandResult | TurnResult | FileRead | FileWritten | FileEdited | PythonResult | Failure
)
