"""What a front end wants to know after a cell: words that bash expands, in a copy of the shell."""

import secrets
import shlex
from typing import Any

from sandbook.errors import SandboxError
from sandbook.executor import ActionExecutor

OK = "="
FAILED = "!"

# What bash complains of is kept apart from the value.
_QUESTION = """
__sandbook_expand() {{
  builtin local __sandbook_text
  __sandbook_text=$(builtin eval "$1" 2>&1 >&4) || builtin printf '!%s' "$__sandbook_text"
}}
__sandbook_expand {} 4>&1
"""
# A here-document expands as double quotes do, and leaves the quotes in it alone.
_VALUE = """builtin mapfile -d '' -t __sandbook_lines <<{end} || builtin exit 1
{expression}
{end}
builtin printf '=%s' "${{__sandbook_lines[0]%$'\\n'}}"
"""

Reply = dict[str, Any]


async def expanded(
    executor: ActionExecutor, session: str, expressions: dict[str, str]
) -> dict[str, Reply]:
    """Expand each expression; one that cannot be gets an error in the place of its value."""
    return {name: await _expanded(executor, session, expressions[name]) for name in expressions}


async def _expanded(executor: ActionExecutor, session: str, expression: str) -> Reply:
    end = secrets.token_hex(16)
    value = _VALUE.format(expression=expression, end=end)
    if "\0" in value:
        return _failure("bash code cannot hold a NUL character")
    try:
        shell = await executor.start(session)
        said = await shell.ask(_QUESTION.format(shlex.quote(value)))
    except SandboxError as error:
        return _failure(str(error))
    if said.startswith(OK):
        text = said[len(OK) :].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return {"status": "ok", "data": {"text/plain": text}, "metadata": {}}
    return _failure(said.removeprefix(FAILED).strip() or "it was interrupted")


def _failure(reason: str) -> Reply:
    return {"status": "error", "ename": "ExpansionError", "evalue": reason, "traceback": [reason]}
