"""Writes down what agents do."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sandbook.actions import (
    Action,
    EditAction,
    PythonAction,
    ReadAction,
    TurnAction,
    WriteAction,
)
from sandbook.agents import texts
from sandbook.observations import (
    Failure,
    FileEdited,
    FileRead,
    FileWritten,
    Observation,
    PythonResult,
    TurnResult,
)
from sandbook.rendering.diff import counted, diff_html
from sandbook.rendering.wall import passed
from sandbook.trajectory.entries import Entry, Kind, Output, Status
from sandbook.trajectory.journal import Journal
from sandbook_kernel.display import own
from sandbook_kernel.trajectory import sources
from sandbook_kernel.trajectory.outputs import Text
from sandbook_kernel.trajectory.sources import Course

IDLE = (texts.NOTHING_TO_TYPE_TO, texts.NOTHING_TO_WAIT_FOR)
RUNNING = -1
STOPPING_KEYS = "CZ\\"
LARGE = 256 << 10
"""A replacement in a larger file is written as such, not as the whole file."""
FILE_KINDS = ("read", "edit")
NEW_FILE = ("--mkdir", "--mode", "664")


@dataclass(frozen=True, slots=True)
class Done:
    """An action that was done, and what came of it."""

    action: Action
    observation: Observation
    author: str
    begun: float
    """By the monotonic clock."""
    at: str


@dataclass
class Open:
    """A command of an agent that goes on after its turn."""

    entry: Entry
    action: TurnAction
    begun: float
    said: Text = field(default_factory=Text)
    course: Course = field(default_factory=Course)


class ActionRecorder:
    """Turns actions into entries; the turns of one command become one of them."""

    def __init__(
        self, journal: Journal, workspace: Callable[[], str], *, root: bool = False
    ) -> None:
        self._journal = journal
        self._workspace = workspace
        self._root = root
        self._open: Open | None = None

    def record(self, done: Done) -> None:
        """Write down what was done."""
        if not self._journal.is_open:
            return
        match done.action, done.observation:
            case TurnAction() as action, TurnResult() as result:
                self._record_turn(action, result, done)
            case ReadAction() as action, observation:
                path = observation.path if isinstance(observation, FileRead) else action.path
                source = sources.read_source(action, path, root=self._root)
                self._write(done, "read", source, _text_of(observation))
            case WriteAction(), FileWritten(path, text, is_new) if text is not None:
                options = NEW_FILE if is_new else ()
                source = sources.write_source(path, text, options, root=self._root)
                self._write(done, "write", source, "")
            case EditAction() as action, FileEdited() as edited:
                self._record_edit(action, edited, done)
            case PythonAction() as action, PythonResult() as result:
                self._record_python(action, result, done)
            case action, observation:
                self._note(done, f"{type(action).__name__}: {_text_of(observation)}")

    def _record_turn(self, action: TurnAction, result: TurnResult, done: Done) -> None:
        if result.suffix == texts.refused(action.command):
            self._note(done, f"Not run, for another command was still running:\n{action.command}")
            return
        if result.content in IDLE or (texts.key_of(action.command) and self._open is None):
            return  # nothing was done
        if self._open is not None and not action.is_static and _is_new(action):
            self._settle(self._open)
            self._open = None
        if action.is_static or self._open is None:
            number = self._journal.next_number()
            entry = Entry(number, done.at, done.author, "run", "", hidden=action.hidden)
            running = Open(entry, action, done.begun)
        else:
            running = self._open
            _follow(running, action)
        running.said.add(_line(result.content))
        is_over = result.where.exit_code != RUNNING
        self._write_turn(running, result, is_over=is_over)
        if not action.is_static:
            self._open = None if is_over else running

    def _source(self, running: Open, course: Course) -> str:
        return sources.run_source(running.action, course, self._workspace(), root=self._root)

    def _settle(self, running: Open) -> None:
        """Write down a command that has ended while nobody looked: it may run to its end again."""
        source = self._source(running, running.course)
        outputs = _stream(str(running.said))
        self._journal.write(
            replace(running.entry, source=source, outputs=outputs, status="timed out")
        )

    def _write_turn(self, running: Open, result: TurnResult, *, is_over: bool) -> None:
        seconds = time.monotonic() - running.begun
        course = running.course
        if not is_over and course.stopped_after_s is None:
            course = replace(course, stopped_after_s=seconds)
        source = self._source(running, course)
        code = result.where.exit_code
        status: Status = "timed out" if not is_over else "failed" if code else "ok"
        outputs = _stream(str(running.said))
        if code and is_over:
            outputs.append(_error("ExitStatus", f"exit status {code}"))
        elif not is_over:
            outputs.append(_error("Timeout", result.suffix.strip()))
        written = replace(running.entry, source=source, outputs=outputs, status=status)
        self._journal.write(replace(written, seconds=round(seconds, 3)))

    def _record_edit(self, action: EditAction, edited: FileEdited, done: Done) -> None:
        if action.command == "view":
            look = ReadAction(action.path, numbered=True, view_range=action.view_range)
            self._write(done, "read", sources.read_source(look, action.path), edited.content)
            return
        is_replacement = action.command == "str_replace"
        if edited.text is None and not is_replacement:
            self._note(done, f"{action.command} of {action.path} failed:\n{edited.content}")
            return
        text = edited.text
        if text is None or (is_replacement and len(text) > LARGE):
            source = sources.replace_source(action, root=self._root)
        else:
            source = sources.write_source(action.path, text, root=self._root)
        if text is None:
            self._write(done, "edit", source, edited.content, "failed")
        else:
            self._write(done, "edit", source, _diff(action.path, edited.diff))

    def _record_python(self, action: PythonAction, result: PythonResult, done: Done) -> None:
        timed_out = result.how == "timeout"
        status: Status = "timed out" if timed_out else "failed" if result.how != "ok" else "ok"
        source = sources.python_source(action, timed_out=timed_out)
        outputs = _stream(result.text)
        outputs += [_picture(url) for url in result.image_urls]
        if status != "ok":
            outputs.append(_error("Python", f"the code was {status}" if timed_out else "it failed"))
        self._write(done, "python", source, outputs, status)

    def _note(self, done: Done, text: str) -> None:
        self._write(done, "note", text, [])

    def _write(
        self,
        done: Done,
        kind: Kind,
        source: str,
        outputs: "str | list[Output]",
        status: Status = "ok",
    ) -> None:
        if isinstance(outputs, str):
            outputs = _stream(outputs)
        if isinstance(done.observation, Failure) and kind != "note":
            status = "failed"
        if status == "failed" and kind in FILE_KINDS:
            outputs = [_error("FileError", _text_of(done.observation))]
        self._journal.write(
            Entry(
                self._journal.next_number(),
                done.at,
                done.author,
                kind,
                source,
                outputs,
                status,
                round(time.monotonic() - done.begun, 3),
            )
        )


def _is_new(action: TurnAction) -> bool:
    return bool(action.command) and not action.is_input


def _follow(running: Open, action: TurnAction) -> None:
    """Remember what was done to a command that ran already."""
    key = texts.key_of(action.command)
    if key and key in STOPPING_KEYS:
        elapsed = time.monotonic() - running.begun
        running.course = replace(running.course, stopped_after_s=elapsed)
    elif action.is_input and not key:
        running.course = running.course.typed(action.command)


def _line(text: str) -> str:
    return f"{text}\n" if text and not text.endswith("\n") else text


def _text_of(observation: Observation) -> str:
    return str(getattr(observation, "content", ""))


def _stream(text: str) -> list[Output]:
    if not text:
        return []
    shortened = Text()
    shortened.add(_line(text))
    return [{"output_type": "stream", "name": "stdout", "text": str(shortened)}]


def _error(name: str, value: str) -> Output:
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": [value]}


def _picture(url: str) -> Output:
    """Keep a picture. The sandbox wrote its address, which may say that it is anything."""
    _, _, data = url.partition(";base64,")
    shown = passed({"image/png": data}).data
    return {"output_type": "display_data", "data": shown, "metadata": {}}


def _diff(path: str, diff: str) -> list[Output]:
    said = counted(diff)
    shown = own(diff_html(path, said, diff), f"{path}: {said}\n{diff}")
    return [{"output_type": "display_data", "data": shown.data, "metadata": {}}]
