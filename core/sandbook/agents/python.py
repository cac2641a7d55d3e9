"""Python code of agents and people, in an IPython of the sandbox's own."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandbook.actions import PythonAction
from sandbook.agents.luggage import packed
from sandbook.agents.transcript import shortened
from sandbook.errors import InvalidActionError, SideLostError
from sandbook.observations import PythonResult
from sandbook.sandbox.base import Sandbox
from sandbook.sandbox.scripts import read_script
from sandbook.sandbox.side import SideStream

LINE_MAX = 64 << 20
NOTHING = "[Code executed successfully with no output]"
INTERRUPTED, NOT_RUN = "KeyboardInterrupt", "interrupted before the code was run"
NO_PYTHON = (
    "The sandbox has no Python that could run this: {}. Use an image with python3 and ipykernel, "
    "or install them: %%bash --root, then apt-get update && apt-get install -y python3-ipykernel."
)
START = """\
suits() { [ -x "$1" ] && "$@" 2>/dev/null; }
for python in "$(type -P python)" "$(type -P python3)"; do
  ! suits "$python" -c "$4" || exec "$python" -c "$0" "$1"
done
! suits "$2" -c "$4" "$3" || exec "$2" -c "$0" "$1" "$3"
[ -z "$python" ] || exec "$python" -c "$0" "$1" # it says what is missing
exit 127"""
"""Takes the sandbox's own Python, or else the one that is lent to it."""
SUITABLE = (
    "import importlib.util as u, sys; sys.path += sys.argv[1:]; "
    "sys.exit(not (u.find_spec('ipykernel') and u.find_spec('jupyter_client')))"
)
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of what Python code says and shows."""

    text: str = ""
    image: str = ""
    """As a data URL."""
    error: tuple[str, str] | None = None
    """The name and the value of an exception, if the text is its traceback."""


OnPart = Callable[[Part], None]


class Python:
    """Starts an IPython kernel in the sandbox when it is needed, and again when it is lost."""

    def __init__(self) -> None:
        self._side: SideStream | None = None
        self._sandbox: Sandbox | None = None
        self._rest = bytearray()
        self._lock = asyncio.Lock()
        self._interrupts = 0
        self._starting: asyncio.Future[SideStream] | None = None
        self.interpreter = ""

    async def run(
        self, sandbox: Sandbox, cwd: str, action: PythonAction, on_part: OnPart | None = None
    ) -> PythonResult:
        """Run code to its end.

        Args:
            on_part: Gets what the code says and shows, as it comes.

        Raises:
            InvalidActionError: The sandbox has no Python; the message says what to do.
            SideLostError: The sandbox is gone.
        """
        interrupts = self._interrupts
        async with self._lock:
            if self._interrupts != interrupts:  # while other code was running
                return _not_run(action, on_part or _ignore)
            try:
                return await self._run(sandbox, cwd, action, on_part or _ignore)
            except BaseException:
                await self.close()  # nobody knows what it would say next
                raise

    async def interrupt(self) -> None:
        """Interrupt the code that runs, and keep its variables; or do not run it at all."""
        self._interrupts += 1
        if self._starting is not None:
            self._starting.cancel()
        elif self._side is not None and self._lock.locked():
            await self._side.write(b'{"interrupt": true}\n')

    async def close(self) -> None:
        """End the kernel."""
        side, self._side = self._side, None
        self._rest.clear()
        if side is not None:
            await side.close()

    async def _run(
        self, sandbox: Sandbox, cwd: str, action: PythonAction, on_part: OnPart
    ) -> PythonResult:
        interrupts = self._interrupts
        self._starting = starting = asyncio.ensure_future(self._started(sandbox))
        try:
            await asyncio.wait([starting])
        finally:
            self._starting = None
            starting.cancel()  # if it is we who are cancelled
        if starting.cancelled():
            await self.close()
        if starting.cancelled() or self._interrupts != interrupts:  # when it had just started
            return _not_run(action, on_part)
        side, request = starting.result(), {"code": action.code, "cwd": cwd}
        await side.write(json.dumps({**request, "timeout": action.timeout_s}).encode() + b"\n")
        said: list[str] = []
        images: list[str] = []
        while "end" not in (line := await self._line(side)):
            part = _part_from(line)
            said.append(part.text)
            images += [part.image] if part.image else []
            on_part(part)
        if line["end"] == "timeout":
            said.append(f"[Execution timed out ({float(action.timeout_s or 0)} seconds).]")
        elif line["end"] == "died":
            said.append("[The Python process died. Its variables are lost; a new one takes over.]")
        output = shortened("".join(said).rstrip())
        text = output or NOTHING
        if action.include_extra:
            text += f"\n[Jupyter current working directory: {cwd}]"
            text += f"\n[Jupyter Python interpreter: {self.interpreter}]"
        result = shortened(text), tuple(images), str(line["end"]), output
        return PythonResult(action.code, *result)

    async def _started(self, sandbox: Sandbox) -> SideStream:
        if self._side is not None and self._sandbox is sandbox and self._side.is_quiet:
            return self._side
        await self.close()
        program = read_script("sandbook.agents", "ipython.py")
        lent = sandbox.lent_python
        arguments = (sandbox.plumbing(), lent.interpreter, lent.packages, SUITABLE)
        self._side = side = await sandbox.open_side("bash", "-c", START, program, *arguments)
        self._sandbox = sandbox
        try:
            line = await self._line(side)
        except SideLostError as error:
            raise InvalidActionError(NO_PYTHON.format("there is no python3")) from error
        if "ready" not in line:
            raise InvalidActionError(NO_PYTHON.format(line.get("missing", "it does not answer")))
        self.interpreter = str(line["ready"])
        await side.write(json.dumps({"luggage": packed()}).encode() + b"\n")
        return side

    async def _line(self, side: SideStream) -> dict[str, Any]:
        """Read the next line. What a sandbox says may be anything."""
        while (end := self._rest.find(b"\n")) < 0:
            data = await side.read()
            if not data or len(self._rest) > LINE_MAX:
                raise SideLostError
            self._rest += data
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        try:
            told = json.loads(line)
        except ValueError as error:
            raise SideLostError from error
        if not isinstance(told, dict):
            raise SideLostError
        return told  # pyright: ignore[reportUnknownVariableType]


def _not_run(action: PythonAction, on_part: OnPart) -> PythonResult:
    """Answer an interrupt that came before the code was begun."""
    on_part(Part(f"{INTERRUPTED}: {NOT_RUN}\n", error=(INTERRUPTED, NOT_RUN)))
    text = f"{INTERRUPTED}: {NOT_RUN}"
    return PythonResult(action.code, text, (), "error", text)


def _part_from(line: dict[str, Any]) -> Part:
    """Read what a sandbox says, which may be anything."""
    match line.get("error"):
        case [str(name), str(value)]:
            error = name, value
        case _:
            error = None
    text = _ESCAPES.sub("", str(line.get("text", "")))
    return Part(text, str(line.get("image", "")), error)


def _ignore(_: Part) -> None:
    pass
