"""How an agent's action is written as a cell that does the same again. Pure."""

import math
from dataclasses import dataclass, replace

from sandbook.actions import EditAction, PythonAction, ReadAction, TurnAction
from sandbook_kernel.words import quoted

TO_THE_END = -1


@dataclass(frozen=True, slots=True)
class Course:
    """What happened to a command while it ran."""

    inputs: tuple[str, ...] = ()
    """The lines that were typed to it."""
    stopped_after_s: float | None = None
    """When it was interrupted, or nobody looked any more."""

    def typed(self, line: str) -> "Course":
        """Add a line."""
        return replace(self, inputs=(*self.inputs, line))


def run_source(action: TurnAction, course: Course, workspace: str, *, root: bool = False) -> str:
    """Write a command as a cell."""
    code = _alone(action, workspace) if action.is_static else action.command
    options = ["--root"] if root else []
    options += [f"--input {_word(line)}" for line in course.inputs]
    if course.stopped_after_s is not None:
        options.append(f"--timeout {math.ceil(course.stopped_after_s) + 1}")
    if options or code.startswith("%") or code.rstrip().endswith("?"):
        return "\n".join([" ".join(["%%bash", *options]), code])
    return code


def read_source(action: ReadAction, path: str, *, root: bool = False) -> str:
    """Write a look at a file as a cell."""
    words = ["%view", _word(path)]
    match action.view_range:
        case [int(first), int(last)] if action.numbered:
            words.append(f"{first}:{'' if last == TO_THE_END else last}")
        case _:
            if not action.numbered and (action.start, action.end) != (0, TO_THE_END):
                last = "" if action.end == TO_THE_END else max(action.end, action.start + 1)
                words.append(f"{action.start + 1}:{last}")
    return " ".join(words + ["--root"] * root)


def write_source(path: str, text: str, options: tuple[str, ...] = (), *, root: bool = False) -> str:
    """Write a file as a cell that holds all of it."""
    words = ["%%edit", _word(path), *options, *["--root"] * root]
    if text and not text.endswith("\n"):
        words.append("--no-newline")
    return f"{' '.join(words)}\n{text}"


def replace_source(action: EditAction, *, root: bool = False) -> str:
    """Write a replacement as a cell: it fails again where it has failed."""
    old, new = _word(action.old_str or ""), _word(action.new_str or "")
    return " ".join(["%edit", _word(action.path), "--replace", old, new, *["--root"] * root])


def python_source(action: PythonAction, *, timed_out: bool) -> str:
    """Write Python code as a cell."""
    limit = f" --timeout {action.timeout_s:g}" if timed_out and action.timeout_s else ""
    return f"%%python{limit}\n{action.code}"


def _alone(action: TurnAction, workspace: str) -> str:
    """Keep a command apart from the shell that goes on."""
    return f"(\ncd -- {quoted(action.cwd or workspace)} || exit\n{action.command}\n)"


def _word(text: str) -> str:
    return quoted(text) if text else "''"
