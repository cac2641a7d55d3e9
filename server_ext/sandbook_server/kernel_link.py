"""Reaches the kernel that owns a sandbox: an agent's action goes in, an observation comes back."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from jupyter_client.session import new_id
from jupyter_events import EventLogger
from jupyter_server.services.kernels.kernelmanager import MappingKernelManager

from sandbook.errors import SandboxNotFoundError, SessionLostError
from sandbook_server.activity import Activity, register

Json = dict[str, Any]
OnText = Callable[[str], None]
LOOK_EVERY_S = 1.0
WELCOME_S, ASK_EVERY_S = 2.0, 0.02
ALL_HEARD_S = 5.0
AGENT = "agent"
EVENTS = ("restart", "dead")
LEFT = "nobody waits for it any more; a command goes on"
REMEMBERED = 1024
"""How many messages are known again, should somebody send them twice."""
DIED = "its kernel died or was restarted; run the action again"


class RefusedError(Exception):
    """What the kernel said was wrong with an action."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who hears what a command says."""

    on_text: OnText
    has_all: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, message: Json) -> None:
        """Pass on what the kernel tells everybody; last of it comes the observation."""
        if message["msg_type"] == "stream":
            self.on_text(message["content"]["text"])
        elif "observation" in message["content"]:
            self.has_all.set()


class KernelLink:
    """A connection to one kernel, beside those of its notebooks."""

    def __init__(self, kernel_id: str, manager: Any, events: EventLogger) -> None:
        self.manager = manager
        self._kernel_id = kernel_id
        self._events = events
        session = manager.session.clone()
        session.session = new_id()  # a kernel answers only one connection of the same name
        session.digest_history_size = REMEMBERED
        self._client: Any = manager.client(session=session)
        self._waiting: dict[str, asyncio.Future[Json]] = {}
        self._listeners: dict[str, Listener] = {}
        self._readers: list[asyncio.Task[None]] = []
        self._welcome = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None
        self.is_lost = False
        """Nothing more comes of it; the next action needs another."""
        self.used_at = 0.0
        """When the last action came."""

    def open(self) -> None:
        """Connect."""
        self._client.start_channels(shell=False, iopub=False, stdin=False, hb=False)
        self._readers.append(asyncio.ensure_future(self._read_replies()))

    async def observe(
        self, action: Json, on_text: OnText | None = None, author: str = AGENT
    ) -> Json:
        """Have an action done, and tell whoever is subscribed.

        Args:
            on_text: Gets what a command says, as it says it.
            author: Who acts.

        Raises:
            RefusedError: The kernel could not do it; the message says why.
            SessionLostError: The kernel died meanwhile.
        """
        self.used_at = time.time()
        token = secrets.token_hex(8)
        message = self._message({"action": action, "author": author, "token": token})
        key: str = message["header"]["msg_id"]
        activity = Activity(self._events, self._kernel_id, author, key, action)
        activity.begin()
        try:
            observation = await self._exchange(message, on_text)
        except (RefusedError, SessionLostError) as error:
            activity.fail(str(error))
            raise
        except asyncio.CancelledError:
            self._abandon(token)
            activity.fail(LEFT)
            raise
        activity.end(observation)
        return observation

    async def _exchange(self, message: Json, on_text: OnText | None) -> Json:
        key = message["header"]["msg_id"]
        if on_text is not None:
            await self._listen()
            self._listeners[key] = Listener(on_text)
        reply = self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            await self._send(message)
            content = await self._answer(reply)
            if content["status"] == "ok" and (listener := self._listeners.get(key)):
                # The answer has a channel of its own, and may overtake what the command has said.
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(listener.has_all.wait(), ALL_HEARD_S)
        finally:
            self._waiting.pop(key, None)
            self._listeners.pop(key, None)
        if content["status"] != "ok":
            raise RefusedError(content.get("code", "internal"), content.get("detail", ""))
        return content["observation"]

    def lose(self) -> None:
        """Hang up, and tell everybody who waits that nothing more will come.

        What was sent to a kernel that was dead already goes with the connection: otherwise the
        next one would do it, long after somebody was told that nobody did.
        """
        if self.is_lost:
            return
        self.is_lost = True
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(SessionLostError(DIED))
        for reader in self._readers:
            reader.cancel()
        self._client.stop_channels()

    async def close(self) -> None:
        """Hang up."""
        self.lose()
        await asyncio.gather(*self._readers, return_exceptions=True)

    def _abandon(self, token: str) -> None:
        """Let the kernel know that nobody waits for an answer; a command goes on without one."""
        if not self.is_lost:
            self._send(self._message({"abandon": token}))

    def _send(self, message: Json) -> "asyncio.Future[Any]":
        """Send something, also while we wait for what comes.

        The channel's own `send` goes behind the back of its socket. An answer that came in that
        moment would never be noticed, nor would any after it.
        """
        socket = self._client.control_channel.socket
        return socket.send_multipart(self._client.session.serialize(message))

    def _message(self, content: Json) -> Json:
        return self._client.session.msg("action_request", content)

    async def _answer(self, reply: "asyncio.Future[Json]") -> Json:
        while not (await asyncio.wait([reply], timeout=LOOK_EVERY_S))[0]:
            if not await self.manager.is_alive():
                self.lose()
        return reply.result()

    async def _listen(self) -> None:
        """Hear also what the kernel tells everybody; what is said before we hear would be lost."""
        if self._listening is None:
            self._listening = asyncio.ensure_future(self._begin_listening())
        await asyncio.shield(self._listening)

    async def _begin_listening(self) -> None:
        """Have the kernel say anything, until it is heard."""
        self._client.iopub_channel.start()
        self._readers.append(asyncio.ensure_future(self._read_news()))
        for _ in range(int(WELCOME_S / ASK_EVERY_S)):
            await self._send(self._client.session.msg("kernel_info_request", {}))
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._welcome.wait(), ASK_EVERY_S)
                return

    async def _read_replies(self) -> None:
        while True:
            message = await self._client.control_channel.get_msg(timeout=None)
            reply = self._waiting.get(message["parent_header"].get("msg_id", ""))
            if reply is not None and not reply.done():
                reply.set_result(message["content"])

    async def _read_news(self) -> None:
        while True:
            message = await self._client.iopub_channel.get_msg(timeout=None)
            self._welcome.set()  # whatever came first
            if listener := self._listeners.get(message["parent_header"].get("msg_id", "")):
                listener.hear(message)


class KernelLinks:
    """The connections that are open: one for each kernel, as long as it is there."""

    def __init__(self, kernels: MappingKernelManager, events: EventLogger) -> None:
        self._kernels: Any = kernels
        self._events = events
        register(events)
        self._links: dict[str, KernelLink] = {}

    async def to(self, kernel_id: str) -> KernelLink:
        """Find the connection to a kernel.

        Raises:
            SandboxNotFoundError: There is no such kernel.
        """
        if kernel_id not in self._kernels:
            if known := self._links.pop(kernel_id, None):
                await known.close()
            raise SandboxNotFoundError(kernel_id)
        manager = self._kernels.get_kernel(kernel_id)
        link = self._links.get(kernel_id)
        if link is None or link.is_lost or link.manager is not manager:
            last, link = link, KernelLink(kernel_id, manager, self._events)
            self._links[kernel_id] = link
            link.open()
            for event in EVENTS:
                self._kernels.add_restart_callback(kernel_id, link.lose, event)
            if last is not None:
                await self._replace(kernel_id, last, link)
        return link

    async def _replace(self, kernel_id: str, last: KernelLink, link: KernelLink) -> None:
        """Take over what an agent has told the last connection."""
        link.used_at = last.used_at
        for event in EVENTS:
            self._kernels.remove_restart_callback(kernel_id, last.lose, event)
        await last.close()

    def forget(self, kernel_id: str) -> None:
        """Hang up on a kernel that is gone."""
        if known := self._links.pop(kernel_id, None):
            known.lose()

    async def close(self) -> None:
        """Hang up on all."""
        for link in self._links.values():
            await link.close()
        self._links.clear()
