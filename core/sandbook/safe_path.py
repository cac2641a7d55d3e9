"""Starts Python programs that import nothing from the folder they run in. Pure.

`python -m` and `python -c` put the current folder before everything else that is imported. The
folder of a notebook is shared with its sandbox, so a file `uuid.py` that a cell has written there
would run on this machine. `-P` and PYTHONSAFEPATH are not known to Python 3.10, and the variable
would be inherited by all that the program starts itself.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

DROP_FOLDER = (
    "import os, sys; "
    "sys.path[:] = [place for place in sys.path if os.path.realpath(place) != os.getcwd()]"
)
"""`os` and `sys` are loaded before the folder is looked into."""
RUN_MODULE = (
    f"{DROP_FOLDER}; import runpy; del sys.argv[0]; "
    "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)
INTERPRETER = re.compile(r"(python|pypy)[\d.]*[dtw]?(-dbg)?(\.exe)?")
SEARCHED = "PYTHONPATH"
RUNS = re.compile(r"-(?!-)([^WXcm]*)([cm])")
"""Options of one letter may stand together; the last of them may be what is run."""
WITH_VALUE = {"-W", "-X", "--check-hash-based-pycs"}


def safe_command(command: Sequence[str]) -> list[str]:
    """Change a command that runs a module or code with Python; leave any other as it is."""
    kept = list(command)
    if not kept or not INTERPRETER.fullmatch(PurePath(kept[0]).name):
        return kept
    index = 1
    while index < len(kept) and kept[index].startswith("-"):
        option = kept[index]
        if match := RUNS.match(option):
            before = [f"-{match[1]}"] if match[1] else []
            value, rest = _value(f"-{option[match.start(2) :]}", kept[index + 1 :])
            if value.startswith(DROP_FOLDER):
                return kept
            changed = [RUN_MODULE, value] if match[2] == "m" else [f"{DROP_FOLDER}\n{value}"]
            return [*kept[:index], *before, "-c", *changed, *rest] if value else kept
        index += 2 if option in WITH_VALUE else 1
    return kept


def safe_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Leave out of PYTHONPATH what names the current folder, or a place in it.

    Python looks there before any code of ours runs. An empty entry is the current folder.
    """
    kept = dict(environment)
    if SEARCHED in kept:
        places = [
            place for place in kept[SEARCHED].split(os.pathsep) if PurePath(place).is_absolute()
        ]
        kept[SEARCHED] = os.pathsep.join(places)
    return kept


def _value(option: str, after: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Split what follows an option: `-mMODULE` and `-m MODULE` mean the same."""
    if len(option) > len("-m"):
        return option[len("-m") :], after
    return (after[0], after[1:]) if after else ("", after)
