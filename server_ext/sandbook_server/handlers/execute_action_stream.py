"""POST /sandbook/<kernel_id>/execute_action_stream: an action, as server-sent events.

    event: start      {"action"}
    event: output     {"text"}, as it happens
    event: complete   the observation, or {"detail"} if it failed

Whoever hangs up interrupts nothing; with `?interrupt=1` the command is stopped with Ctrl-C.
"""

import asyncio
import json
from typing import Any

from jupyter_server.auth.decorator import authorized
from tornado import web
from tornado.iostream import StreamClosedError

from sandbook.errors import SandboxError
from sandbook_server.handlers.base import AUTH_RESOURCE
from sandbook_server.handlers.execute_action import ActionHandler
from sandbook_server.kernel_link import Json, KernelLink, RefusedError

BEAT_S = 15.0
INTERRUPT = {"action": "run", "args": {"command": "C-c", "is_input": True}, "timeout": 5}


class ExecuteActionStreamHandler(ActionHandler):
    """Tells what a command says while it says it."""

    @web.authenticated
    @authorized("execute", AUTH_RESOURCE)
    async def post(self, kernel_id: str) -> None:
        """Send events until the action is done."""
        action = self.action()
        link = await self.links.to(kernel_id)
        self.set_header("Content-Type", "text/event-stream")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Accel-Buffering", "no")
        self._hurry()
        await self._event("start", {"action": action})
        news: asyncio.Queue[str] = asyncio.Queue()
        doing = self.do(link, action, news.put_nowait)
        doing.add_done_callback(lambda _: news.put_nowait(""))
        try:
            while (text := await self._next(news)) or not doing.done():
                if text:
                    await self._event("output", {"text": text})
            await self._event("complete", await self._result(doing))
        except StreamClosedError:
            doing.cancel()
            if self.query("interrupt", "") in {"1", "true"}:
                await self._interrupt(link)

    def _hurry(self) -> None:
        """Have each event sent at once, not when the client has thanked for the one before."""
        connection: Any = self.request.connection
        connection.stream.set_nodelay(True)

    async def _next(self, news: "asyncio.Queue[str]") -> str:
        """Give all that has come; say something now and then, lest somebody hangs up on us."""
        while True:
            try:
                texts = [await asyncio.wait_for(news.get(), BEAT_S)]
                break
            except asyncio.TimeoutError:
                await self.stream(b": still there\n\n")
        while not news.empty():
            texts.append(news.get_nowait())
        return "".join(texts)

    async def _event(self, name: str, data: Json) -> None:
        await self.stream(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())

    async def _result(self, doing: "asyncio.Future[Json]") -> Json:
        try:
            return await self.done(doing)
        except (RefusedError, SandboxError) as error:
            return {"detail": f"Internal server error: {error}", "code": error.code}

    async def _interrupt(self, link: KernelLink) -> None:
        self.log.info("The client hung up, and wanted its command interrupted.")
        await link.observe(INTERRUPT)
