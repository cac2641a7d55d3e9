"""One road for agents: an action goes in, and an observation comes out that they can read."""

import asyncio
import time
from dataclasses import replace

from sandbook.actions import (
    Action,
    EditAction,
    PythonAction,
    ReadAction,
    RunAction,
    TurnAction,
    WriteAction,
)
from sandbook.agent_policy import AgentPolicy
from sandbook.agents.editing import Editor
from sandbook.agents.python import OnPart, Python
from sandbook.agents.reading import read
from sandbook.agents.turns import OnText, Turns, take_alone
from sandbook.agents.writing import write
from sandbook.errors import InvalidActionError, SandboxPausedError
from sandbook.executor import ActionExecutor
from sandbook.files.workspace import WorkspaceFiles
from sandbook.observations import (
    CommandResult,
    Failure,
    Observation,
    PythonResult,
    TurnResult,
)
from sandbook.session.bash import OnOutput

SEEN_S = 0.1
"""A sandbox that has done an action a moment ago is not asked whether it is paused."""


class Agents:
    """What the agents of one sandbox share: its shell, its files, and what they did to both."""

    def __init__(self, executor: ActionExecutor, python: Python) -> None:
        self._executor = executor
        policy = AgentPolicy(config=executor.config)
        self._patience_s = policy.no_change_timeout_s
        self._root = policy.as_root
        self._turns = Turns(self._run, self._patience_s)
        self._editor = Editor(executor.edits)
        self._python = python
        self._news = executor.news.listen()
        self._seen_at = 0.0

    async def observe(self, action: Action, on_text: OnText | None = None) -> Observation:
        """Do what an agent asks for.

        Args:
            on_text: Gets what a command says, as it says it.

        Raises:
            SandboxPausedError: Somebody has paused the sandbox; an agent does not resume it.
            SandboxError: It could not even be tried; the message says why.
        """
        await asyncio.shield(self._executor.start())  # who asked may leave, but not in between
        self._executor.check_agents()
        if time.monotonic() - self._seen_at > SEEN_S and await self._executor.is_paused():
            raise SandboxPausedError(self._executor.sandbox_id)
        observation = await self._do(action, on_text)
        self._seen_at = time.monotonic()
        return self._with_news(observation)

    def _with_news(self, observation: Observation) -> Observation:
        """Tell what has become of the sandbox where a text for agents has a place for it."""
        if not isinstance(observation, TurnResult | PythonResult | Failure):
            return observation  # the content of a file is nothing but that
        told = "".join(f"[{message}]\n" for message in self._news.take())
        if isinstance(observation, TurnResult):
            return replace(observation, prefix=told + observation.prefix)
        return replace(observation, content=told + observation.content)

    async def _do(self, action: Action, on_text: OnText | None) -> Observation:
        match action:
            case TurnAction(is_static=True):
                shell = await self._executor.fresh(action.cwd, root=self._root)
                return await take_alone(shell, action, self._patience_s, on_text)
            case TurnAction():
                shell = await self._executor.start(root=self._root)
                return await self._turns.take(shell, action, on_text)
            case ReadAction():
                return await read(await self._files(), self._editor, action)
            case WriteAction():
                return await write(await self._files(), action)
            case EditAction():
                return await self._editor.edit(await self._files(), action)
            case PythonAction():
                shell = await self._executor.start(root=self._root)
                cwd = shell.session.cwd
                on_part = None if on_text is None else _texts_of(on_text)
                return await self._python.run(self._executor.sandbox, cwd, action, on_part)
            case RunAction():
                raise InvalidActionError("That is for cells; agents take turns.")

    async def _run(self, command: str, on_output: OnOutput) -> CommandResult:
        return await self._executor.run(
            RunAction(command, root=self._root, job_notices=True), on_output
        )

    async def _files(self) -> WorkspaceFiles:
        await self._executor.start(root=self._root)  # paths are relative to where it is
        return await self._executor.files(root=self._root)


def _texts_of(on_text: OnText) -> OnPart:
    return lambda part: on_text(part.text.encode("utf-8", "replace"))
