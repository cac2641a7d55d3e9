"""Input from a person: asked for on the stdin channel, without ever blocking the event loop."""

import asyncio
from typing import Any

import zmq

EVERY_S = 0.02


class Stdin:
    """Asks the front end that sent the request."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._asking = asyncio.Lock()

    async def ask(self, prompt: str, ident: Any, parent: Any, *, password: bool) -> str:
        """Show an input box, and wait for what is typed into it."""
        async with self._asking:
            kernel = self._kernel
            self._receive()  # an answer that came too late for an earlier question
            content = {"prompt": prompt, "password": password}
            kernel.session.send(kernel.stdin_socket, "input_request", content, parent, ident=ident)
            answer = self._receive()
            while answer is None:
                await asyncio.sleep(EVERY_S)
                answer = self._receive()
            return answer

    def _receive(self) -> str | None:
        """Take the last answer that has come, if any has."""
        answer: str | None = None
        while True:
            try:
                frames = self._kernel.stdin_socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return answer
            _, frames = self._kernel.session.feed_identities(frames)
            answer = str(self._kernel.session.deserialize(frames)["content"]["value"])
