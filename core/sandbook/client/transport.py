"""Two ways to send a call, one that waits and one that awaits; all else is the same for both."""

import asyncio
import ipaddress
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import httpx

from sandbook.client.calls import Call
from sandbook.client.errors import error_from, translated
from sandbook.client.events import Event, EventReader
from sandbook.client.patience import Patience
from sandbook.client.targets import Target

T = TypeVar("T")
CONNECT_S = 10.0
NOT_OK = 300


class Access:
    """Where a server is, and how one is let in."""

    def __init__(self, url: str, key: str | None, token: str | None, start_s: float) -> None:
        self.url = url.rstrip("/")
        self.patience = Patience(start_s)
        self._headers = {"Accept-Encoding": "identity"}  # progress counts the bytes of the file
        if key is not None:
            self._headers["X-Session-API-Key"] = key
        if token is not None:
            self._headers["Authorization"] = f"token {token}"

    @property
    def options(self) -> dict[str, Any]:
        """What httpx is told. No proxy is asked for what is on this machine."""
        return {"headers": self._headers, "trust_env": not _is_here(self.url)}

    def request(self, call: Call[Any]) -> dict[str, Any]:
        """Say a call in the words of httpx, but for the body of an upload."""
        timeout = httpx.Timeout(call.timeout_s, connect=CONNECT_S)
        known: dict[str, Any] = {"params": dict(call.query), "timeout": timeout}
        if call.upload is not None:
            known["headers"] = call.upload.headers
        elif call.body is not None:
            known["json"] = call.body
        return {"method": call.method, "url": f"{self.url}/{call.path}", **known}


def _is_here(url: str) -> bool:
    try:
        host = httpx.URL(url).host
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except (ValueError, httpx.InvalidURL):
        return False


def _json(response: httpx.Response) -> Any:
    return response.json() if response.content else None


def _is_repeatable(call: Call[Any]) -> bool:
    return call.upload is None or call.upload.is_repeatable


class Transport:
    """Sends calls, and waits for what comes."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._client = httpx.Client(**access.options)

    def do(self, call: Call[T]) -> T:
        """Send a call and read its answer."""
        with self._open(call) as response:
            response.read()
            return call.read(_json(response))

    def fetch(self, call: Call[None], target: Target) -> None:
        """Send a call, and put what comes where it belongs."""
        with self._open(call) as response, target:
            target.expect(response.headers.get("Content-Length"))
            for piece in response.iter_raw():
                target.write(piece)
                target.report(piece)

    def events(self, call: Call[Any]) -> Generator[Event, None, None]:
        """Send a call, and give what comes as it comes."""
        reader = EventReader()
        with self._open(call) as response:
            for piece in response.iter_raw():
                yield from reader.feed(piece)
        reader.end()

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    @contextmanager
    def _open(self, call: Call[Any]) -> Generator[httpx.Response, None, None]:
        with translated(self._access.url, call.timeout_s):
            response = self._send(call)
            try:
                if response.status_code >= NOT_OK:
                    raise error_from(response.status_code, response.read())
                yield response
            finally:
                response.close()

    def _send(self, call: Call[Any]) -> httpx.Response:
        tries = self._access.patience.begin()
        while True:
            request = self._client.build_request(**self._access.request(call), content=_body(call))
            try:
                response = self._client.send(request, stream=True)
            except httpx.ConnectError:
                pause = tries.after_refusal()
                if pause is None:
                    raise
            else:
                pause = tries.after(response, repeatable=_is_repeatable(call))
                if pause is None:
                    return response
                response.close()
            time.sleep(pause)


def _body(call: Call[Any]) -> Iterator[bytes] | None:
    return None if call.upload is None else _sent(call.upload.body())


def _sent(body: Iterator[Any]) -> Iterator[bytes]:
    for piece, report in body:
        yield piece
        report()


class AsyncTransport:
    """Sends calls, and lets others go on meanwhile. Files are read and written in threads."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._client = httpx.AsyncClient(**access.options)

    async def do(self, call: Call[T]) -> T:
        """Send a call and read its answer."""
        async with self._open(call) as response:
            await response.aread()
            return call.read(_json(response))

    async def fetch(self, call: Call[None], target: Target) -> None:
        """Send a call, and put what comes where it belongs."""
        async with self._open(call) as response:
            with target:
                target.expect(response.headers.get("Content-Length"))
                async for piece in response.aiter_raw():
                    await asyncio.to_thread(target.write, piece)
                    target.report(piece)

    async def events(self, call: Call[Any]) -> AsyncGenerator[Event, None]:
        """Send a call, and give what comes as it comes."""
        reader = EventReader()
        async with self._open(call) as response:
            async for piece in response.aiter_raw():
                for event in reader.feed(piece):
                    yield event
        reader.end()

    async def close(self) -> None:
        """Hang up."""
        await self._client.aclose()

    @asynccontextmanager
    async def _open(self, call: Call[Any]) -> AsyncGenerator[httpx.Response, None]:
        with translated(self._access.url, call.timeout_s):
            response = await self._send(call)
            try:
                if response.status_code >= NOT_OK:
                    raise error_from(response.status_code, await response.aread())
                yield response
            finally:
                await response.aclose()

    async def _send(self, call: Call[Any]) -> httpx.Response:
        tries = self._access.patience.begin()
        while True:
            body = None if call.upload is None else _sent_async(call.upload.body())
            request = self._client.build_request(**self._access.request(call), content=body)
            try:
                response = await self._client.send(request, stream=True)
            except httpx.ConnectError:
                pause = tries.after_refusal()
                if pause is None:
                    raise
            else:
                pause = tries.after(response, repeatable=_is_repeatable(call))
                if pause is None:
                    return response
                await response.aclose()
            await asyncio.sleep(pause)


async def _sent_async(body: Iterator[Any]) -> AsyncIterator[bytes]:
    while (item := await asyncio.to_thread(next, body, None)) is not None:
        piece, report = item
        yield piece
        report()
