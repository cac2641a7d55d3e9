"""One cell from its steps to its reply: what runs, what is shown, how it failed."""

import asyncio
import logging
from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sandbook.actions import PythonAction, RunAction
from sandbook.errors import InvalidActionError, SandboxError, SandboxPausedError
from sandbook.executor import ActionExecutor
from sandbook.observations import Clear, Output, Rich
from sandbook.sandbox.progress import Progress
from sandbook.session.questions import Question
from sandbook_kernel.cell import BashStep, MagicStep, Step, parse
from sandbook_kernel.display import Display, progress_bar
from sandbook_kernel.expressions import expanded
from sandbook_kernel.failure import failure_of
from sandbook_kernel.magics import MAGICS, Answer, Context, Opened
from sandbook_kernel.misplaced import Misread, refuse_misplaced
from sandbook_kernel.publisher import Publisher
from sandbook_kernel.rich import display_from, iterm_image
from sandbook_kernel.start import Start

if TYPE_CHECKING:
    from sandbook.agents.python import Part, Python

Reply = dict[str, Any]

GOES_ON = "Sandbook: the shell has ended; a new one goes on with the same state.\n"
PYTHON_DIED = "The Python process died. Its variables are lost; the next cell has a new one."


DEFECT = "This is a defect of Sandbook, not of the cell. Please report it: {}: {}"


class MagicInterruptedError(SandboxError):
    """A magic was interrupted while it worked on files."""

    code = "interrupted"

    def __init__(self, name: str) -> None:
        super().__init__(f"%{name} was stopped. It has left nothing half done.")


class AskPerson(Protocol):
    """How to ask a person for a line of input."""

    async def __call__(self, prompt: str, *, password: bool) -> str:
        """Ask."""
        ...


@dataclass(frozen=True, slots=True)
class CellRequest:
    """A cell that is to be run."""

    code: str
    publisher: Publisher
    ask: AskPerson | None
    """Nobody can be asked where this is nothing."""
    session: str = ""
    expressions: dict[str, str] = field(default_factory=dict[str, str])
    """What the front end wants to know afterwards, by names of its own."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a reply tells beside whether all went well."""

    facts: Reply = field(default_factory=dict[str, Any])
    payload: list[Reply] = field(default_factory=list[Reply])
    """What the front end is asked to do."""


class Execution:
    """Runs cells. All of them share what is remembered from one to the next."""

    def __init__(self, executor: ActionExecutor, base_url: str = "") -> None:
        self._executor = executor
        self._base_url = base_url
        self._start = Start(executor)
        self._magics: set[asyncio.Future[Answer]] = set()
        self._python: Python | None = None

    def interrupt(self) -> None:
        """Let a cell go that waits for the sandbox or for a file; the sandbox goes on starting."""
        self._start.interrupt()
        for working in self._magics:
            working.cancel()
        if self._python is not None:
            self._interrupting = asyncio.ensure_future(self._python.interrupt())

    @property
    def python(self) -> "Python":
        """The IPython of the sandbox, which cells and agents share."""
        if self._python is None:
            from sandbook.agents.python import Python  # noqa: PLC0415 -- most kernels need none

            self._python = Python()
        return self._python

    async def close(self) -> None:
        """End what was started beside the shells."""
        if self._python is not None:
            await self._python.close()

    async def run(self, request: CellRequest) -> Reply:
        """Run one cell; give back the content of its reply."""
        outcome = Outcome()
        told: Reply = {"sandbook": outcome.facts}
        try:
            steps = parse(request.code, MAGICS)
            for step in steps:
                if isinstance(step, BashStep):
                    refuse_misplaced(step.code)
            for step in steps:
                async with self._start.watch(request.publisher):
                    failure = await self._awake(step, request, outcome)
                if failure:
                    return {"status": "error", **failure, **told}
            known = await expanded(self._executor, request.session, request.expressions)
        except SandboxError as error:
            self._start.tell(request.publisher)  # that the sandbox is a new one may be why
            name = type(error).__name__.removesuffix("Error").removeprefix("Magic")
            failure = request.publisher.error(name, str(error))
            return {"status": "error", **failure, **told}
        except Exception as error:  # a cell without a reply would never end
            logging.getLogger("sandbook").exception("A defect in a cell")
            failure = request.publisher.error("Defect", DEFECT.format(type(error).__name__, error))
            return {"status": "error", **failure, **told}
        return {"status": "ok", "payload": outcome.payload, "user_expressions": known, **told}

    async def _awake(self, step: Step, request: CellRequest, outcome: Outcome) -> Reply | None:
        """Do one step, in a sandbox that is resumed if nobody in it can answer."""
        try:
            return await self._step(step, request, outcome)
        except SandboxPausedError:
            await self._start.resume(request.publisher)
            return await self._step(step, request, outcome)

    async def _step(self, step: Step, request: CellRequest, outcome: Outcome) -> Reply | None:
        """Do one step; give back how it failed, if it did."""
        if isinstance(step, BashStep):
            action = RunAction(step.code, request.session)
            return await self._act(action, request, outcome.facts)
        answer = await self._answer(step, request)
        self._start.tell(request.publisher)
        if isinstance(answer, RunAction):
            return await self._act(answer, request, outcome.facts)
        if isinstance(answer, PythonAction):
            return await self._run_python(answer, request)
        if isinstance(answer, Opened):
            opened = {"source": "edit_magic", "filename": answer.path, "line_number": 1}
            outcome.payload.append(opened)
            answer = answer.display
        if answer is not None:
            request.publisher.display(answer)
        return None

    async def _answer(self, step: MagicStep, request: CellRequest) -> Answer:
        """Let a magic do its work; one that works on files can be stopped meanwhile."""
        magic = MAGICS[step.name]

        def tell(progress: Progress) -> None:
            request.publisher.progress(progress_bar(progress))

        context = Context(self._executor, request.session, self._base_url, tell)
        if not magic.is_stoppable:
            return await magic.run(context, step)
        await self._start.wait(request.publisher)
        working = asyncio.ensure_future(magic.run(context, step))
        self._magics.add(working)
        try:
            await asyncio.wait([working])
        finally:
            working.cancel()  # if it is we who are cancelled
            self._magics.discard(working)
        if working.cancelled():
            raise MagicInterruptedError(step.name)
        return working.result()

    async def _act(self, action: RunAction, request: CellRequest, facts: Reply) -> Reply | None:
        publisher = request.publisher
        await self._start.wait(publisher)

        misread = Misread(action.command)

        def show(part: Output) -> None:
            misread.hear(part)
            _show(part, publisher)

        inputs = list(action.inputs)

        async def ask(question: Question) -> str | None:
            if inputs:
                return inputs.pop(0)
            if request.ask is None:
                return None
            prompt = publisher.last_line
            publisher.take_back(prompt)  # it is shown in the input box
            return await request.ask(prompt, password=question.hidden)

        def tell() -> None:
            self._start.tell(publisher)

        begun = asyncio.get_running_loop().time()
        result = await self._executor.run(action, show, ask, tell)
        facts.update(
            exit_code=result.exit_code,
            cwd=result.cwd,
            pid=result.pid,
            duration=round(asyncio.get_running_loop().time() - begun, 6),
            bytes=publisher.bytes,
        )
        publisher.flush()
        _tell(misread.hints, publisher)
        tell()
        if failure := failure_of(result, action):
            return publisher.error(*failure)
        if result.shell_exited:
            publisher.notice(GOES_ON)
        return None

    async def _run_python(self, action: PythonAction, request: CellRequest) -> Reply | None:
        publisher = request.publisher
        await self._start.wait(publisher)
        shell = await self._executor.start(request.session)
        self._start.tell(publisher)
        failure: list[tuple[str, str, str]] = []

        def show(part: "Part") -> None:
            if part.error:
                failure.append((*part.error, part.text.rstrip("\n")))
            elif part.text:
                publisher.output(part.text.encode("utf-8", "replace"))
            if part.image:
                data = part.image.partition(",")[2].encode()
                _show(Rich("image/png", data), publisher)

        result = await self.python.run(self._executor.sandbox, shell.session.cwd, action, show)
        publisher.flush()
        if result.how == "timeout":
            return publisher.error("Timeout", f"stopped after {action.timeout_s:g} s")
        if result.how == "died":
            return publisher.error("PythonDied", PYTHON_DIED)
        return publisher.error(*failure[-1]) if failure else None


def _tell(hints: list[str], publisher: Publisher) -> None:
    for hint in hints:
        publisher.notice(f"Sandbook: {hint}\n")


def _show(part: Output, publisher: Publisher) -> None:
    if isinstance(part, bytes):
        publisher.output(part)
    elif isinstance(part, Clear):
        publisher.clear_output(wait=part.wait)
    else:
        _show_rich(part, publisher)


def _show_rich(part: Rich, publisher: Publisher) -> None:
    try:
        shown = _display_of(part)
        if shown is not None and part.is_result:
            publisher.execute_result(shown)
        elif shown is not None:
            publisher.display(shown, "" if part.mime == "iterm2" else part.display_id)
    except (InvalidActionError, Base64Error) as error:
        publisher.notice(f"display: {error}\n")
    except Exception as error:  # a hostile output must not end the reader of them all
        logging.getLogger("sandbook").exception("An output could not be shown")
        publisher.notice(f"display: This cannot be shown ({type(error).__name__}).\n")


def _display_of(part: Rich) -> Display | None:
    if part.mime == "iterm2":
        return iterm_image(part.display_id.encode(), part.data)
    return display_from(part.mime, b64decode(part.data))
