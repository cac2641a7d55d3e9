"""Whether code can be run as it is, or somebody is still writing it."""

from typing import Any

from sandbook.errors import SandboxError
from sandbook.executor import ActionExecutor
from sandbook.session.syntax import continues, unclosed
from sandbook_kernel.cell import MagicStep, parse
from sandbook_kernel.magics import MAGICS

Reply = dict[str, Any]
COMPLETE: Reply = {"status": "complete"}
INCOMPLETE: Reply = {"status": "incomplete", "indent": ""}


async def completeness(executor: ActionExecutor, code: str) -> Reply:
    """Tell whether a console should run the code now, or let the person go on."""
    steps = parse(code, MAGICS)
    if steps and isinstance(steps[-1], MagicStep) and steps[-1].body is not None:
        return COMPLETE if code.endswith("\n") else INCOMPLETE  # an empty line ends what is typed
    if any(isinstance(step, MagicStep) for step in steps):
        return COMPLETE
    if continues(code):
        return INCOMPLETE
    try:
        said = await (await executor.start()).probe.check(code)
    except SandboxError:
        return {"status": "unknown"}
    if unclosed(said):
        return {**INCOMPLETE, "indent": "  "}
    return {"status": "invalid"} if "error" in said else COMPLETE
