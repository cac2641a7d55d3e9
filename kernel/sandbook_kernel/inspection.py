"""What a word of bash means: a builtin, a function, an alias, a variable, a program, a magic."""

import re
import shlex
from typing import Any

from sandbook.errors import SandboxError
from sandbook.executor import ActionExecutor
from sandbook.session.shell import Shell
from sandbook_kernel.magics import MAGICS

_BEFORE = re.compile(r"[\w./+@%-]*\Z")
_SIGN = re.compile(r"\[\[?\Z")
_AFTER = re.compile(r"[\w./+@-]*")
_QUESTION = re.compile(r"(\?{0,2}([\w./+@%-]+)\?{0,2})(?:[ \t]+#.*)?")
LINES = 400

BRIEF = """\
type -a -- {0} || declare -p -- {0} || exit 1
help -m -- {0} || {{ MANPAGER=cat MANWIDTH=100 man -- {0} | col -bx; }} | head -n 60 || :"""
WHOLE = """\
type -a -- {0} || declare -p -- {0} || exit 1
{{
  help -m -- {0} || MANPAGER=cat MANWIDTH=100 man -- {0} | col -bx | grep . || {{
    # Only what the distribution brings is run: a program of the user's may do anything.
    case $(type -P -- {0}) in /bin/* | /usr/*) timeout 3 {0} --help 2>&1 ;; esac
  }}
}} | head -n {1}"""


def word_at(code: str, cursor: int) -> str:
    """Find the word that the cursor stands on or behind."""
    left = code[:cursor].removesuffix("}")
    before, after = _BEFORE.search(left), _AFTER.match(code[cursor:])
    if sign := _SIGN.search(left):
        return sign[0]
    return (before[0] if before else "") + (after[0] if after else "")


def question_in(code: str) -> str:
    """Find the word that a cell like `ls?` or `?ls` asks about; empty if it is no such cell."""
    match = _QUESTION.fullmatch(code.strip())
    return match[2] if match and "?" in match[1] else ""


async def explain(shell: Shell, word: str, *, whole: bool) -> str:
    """Tell all about a word, or the most important; empty if nobody knows it."""
    if word.lstrip("%") in MAGICS and word.startswith("%"):
        return MAGICS[word.lstrip("%")].help
    if not word or word.startswith("-"):
        return ""
    command = (WHOLE if whole else BRIEF).format(shlex.quote(word), LINES)
    said = await shell.ask(command)
    return said.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


async def page(executor: ActionExecutor, code: str) -> dict[str, Any] | None:
    """Answer a cell that only asks what something is (`ls?`)."""
    word = question_in(code)
    if not word:
        return None
    try:
        told = await explain(await executor.start(), word, whole=True)
    except SandboxError:
        return None
    data = {"text/plain": told or f"Nothing is known of {word}."}
    payload = [{"source": "page", "data": data, "start": 0}]
    return {"status": "ok", "payload": payload, "user_expressions": {}}
