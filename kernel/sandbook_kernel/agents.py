"""What agents ask for: requests on the control channel, which is free also while a cell runs.

    action_request   {"action": OpenHands' JSON, "author": who asks, "token": anything}
    action_reply     {"status": "ok", "observation": OpenHands' JSON}
                     {"status": "error", "code", "detail"}
    action_request   {"abandon": the token}, which has no reply: nobody waits for the other one

What a command says goes to everybody as it comes, like the output of a cell. Before it, if it may
take long, goes a message `sandbook_action` with the action, and after it one with the observation.
"""

import asyncio
import codecs
import time
from collections.abc import Callable
from typing import Any, cast

from sandbook.actions import Action, PythonAction, TurnAction
from sandbook.agent_policy import AgentPolicy
from sandbook.agents.observing import Agents
from sandbook.agents.python import Python
from sandbook.agents.turns import OnText
from sandbook.errors import SandboxError
from sandbook.executor import ActionExecutor
from sandbook.observations import Failure, Observation, TurnResult
from sandbook.trajectory.journal import Journal, now
from sandbook.wire import action_from, json_from
from sandbook_kernel.trajectory.actions import ActionRecorder, Done

Json = dict[str, Any]
Send = Callable[[str, Json], None]
AGENT = "agent"
"""Whoever does not tell a name."""
LEFT = "[Nobody waited for its end.]"


def make_desk(executor: ActionExecutor, python: Python, journal: Journal) -> "AgentDesk":
    """Let agents act in a sandbox, and write down what they do."""
    root = AgentPolicy(config=executor.config).as_root
    recorder = ActionRecorder(journal, lambda: executor.sandbox.workspace, root=root)
    return AgentDesk(Agents(executor, python), recorder)


class AgentDesk:
    """Takes requests as they come, and answers each when it is done."""

    def __init__(self, agents: Agents, recorder: ActionRecorder) -> None:
        self._agents = agents
        self._recorder = recorder
        self._tasks: set[asyncio.Task[None]] = set()
        self._turns: dict[str, asyncio.Task[None]] = {}
        """Those that can be left, since a command goes on without anybody."""

    def take(self, content: Json, publish: Send, reply: Callable[[Json], None]) -> None:
        """Begin with a request; several may be on their way at once."""
        if "abandon" in content:
            self._leave(str(content["abandon"]))
            return
        task = asyncio.ensure_future(self._answer(content, publish, reply))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if _is_turn(content) and (token := str(content.get("token", ""))):
            self._turns[token] = task
            task.add_done_callback(lambda _: self._turns.pop(token, None))

    def _leave(self, token: str) -> None:
        """Wait no longer for somebody who is gone; the next turn is told what this one was not."""
        if (turn := self._turns.get(token)) is not None:
            turn.cancel()

    async def _answer(self, content: Json, publish: Send, reply: Callable[[Json], None]) -> None:
        given, author = content.get("action"), str(content.get("author") or AGENT)
        try:
            action = action_from(given)
            if isinstance(action, TurnAction | PythonAction):
                publish("sandbook_action", {"action": given, "author": author})
            if isinstance(action, Failure):
                observation = action
            else:
                observation = await self._observe(action, author, _publisher(publish))
            told = json_from(observation)
        except SandboxError as error:
            reply({"status": "error", "code": error.code, "detail": str(error)})
        except Exception as error:
            reply({"status": "error", "code": "internal", "detail": repr(error)})
            raise
        else:
            done = {"action": given, "author": author, "observation": told}
            publish("sandbook_action", done)
            reply({"status": "ok", "observation": told})

    async def _observe(self, action: Action, author: str, on_text: OnText) -> Observation:
        begun, at = time.monotonic(), now()
        try:
            observation = await self._agents.observe(action, on_text)
        except asyncio.CancelledError:  # a command goes on, and what it did is still to be known
            if isinstance(action, TurnAction):
                left = TurnResult(action.command, "", suffix=LEFT)
                self._recorder.record(Done(action, left, author, begun, at))
            raise
        self._recorder.record(Done(action, observation, author, begun, at))
        return observation


def _is_turn(content: Json) -> bool:
    action: object = content.get("action")
    return isinstance(action, dict) and cast("Json", action).get("action") == "run"


def _publisher(publish: Send) -> OnText:
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def on_text(data: bytes) -> None:
        if text := decode(data):
            publish("stream", {"name": "stdout", "text": text})

    return on_text
