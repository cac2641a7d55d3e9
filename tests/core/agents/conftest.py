"""Agents as a client speaks to them, on each backend."""

import pytest
from traitlets.config import Config

from sandbook.agents.observing import Agents
from sandbook.agents.python import Python
from sandbook.executor import ActionExecutor
from sandbook.observations import Failure
from sandbook.sandbox.factory import SandboxFactory
from sandbook.wire import action_from, json_from
from tests.conftest import BACKENDS, OFFLINE

PATIENCE_S = 1.0


class Client:
    """Sends what a client would send, and gives back what it would read."""

    def __init__(self, executor):
        self.executor = executor
        self.python = Python()
        self.agents = Agents(executor, self.python)
        self.heard = []

    async def send(self, name, timeout=None, **arguments):
        action = action_from({"action": name, "args": arguments, "timeout": timeout})
        if isinstance(action, Failure):
            return json_from(action)
        return json_from(await self.agents.observe(action, self.heard.append))

    async def run(self, command, timeout=None, **arguments):
        return await self.send("run", timeout, command=command, **arguments)


@pytest.fixture(params=BACKENDS)
def client(request, sandbox_request, jp_asyncio_loop):
    config = Config({"LocalBackend": {"allow_agents": True}}, **OFFLINE)
    config.AgentPolicy.no_change_timeout_s = PATIENCE_S
    factory = SandboxFactory(backend=request.param, config=config)
    executor = ActionExecutor(factory, sandbox_request)
    made = Client(executor)
    yield made
    jp_asyncio_loop.run_until_complete(made.python.close())
    jp_asyncio_loop.run_until_complete(executor.close(restart=False))
