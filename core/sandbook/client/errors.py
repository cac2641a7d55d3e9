"""What goes wrong between a client and a server, told as one kind of error. Pure, but for httpx."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, cast

import httpx

OK = 200
HINTS = {
    403: "Give the key that came with the sandbox (key=), or the token of the server (token=).",
    429: "There were too many requests; try again later.",
}


class ClientError(Exception):
    """Nothing was done, or nobody knows whether it was; the message says what to do next."""

    def __init__(self, detail: str, *, code: str, status: int | None = None) -> None:
        hint = HINTS.get(status or 0, "")
        super().__init__(f"{detail} {hint}".strip())
        self.detail = detail
        """What the server said, just so; agents can be shown it."""
        self.code = code
        """A word for programs: `timeout`, `unreachable`, `path-not-found` …"""
        self.status = status
        """The HTTP status, where there was an answer."""


def error_from(status: int, body: bytes) -> ClientError:
    """Read what a server says is wrong, in whichever of its ways."""
    try:
        read: Any = json.loads(body)
    except ValueError:
        read = {}
    told = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    detail = told.get("detail") or told.get("message") or _phrase(status)
    if more := told.get("errors"):
        detail = f"{detail}: {more}"
    return ClientError(str(detail), code=str(told.get("code") or f"http-{status}"), status=status)


def _phrase(status: int) -> str:
    try:
        return f"The server answered {status} {HTTPStatus(status).phrase}."
    except ValueError:
        return f"The server answered {status}."


@contextmanager
def translated(url: str, timeout_s: float | None = None) -> Generator[None, None, None]:
    """Tell what goes wrong on the way in our words."""
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise ClientError(
            f"Nobody answers at {url}. Is the server running, and is this its address? ({error})",
            code="unreachable",
        ) from error
    except httpx.TimeoutException as error:
        waited = "in time" if timeout_s is None else f"within {timeout_s:g} seconds"
        raise ClientError(
            f"The server did not answer {waited}. A command may still run: wait for it with "
            "run(''), or stop it with run('C-c', is_input=True).",
            code="timeout",
        ) from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise ClientError(
            f"{url!r} is no address of a server; give one like http://127.0.0.1:8888.",
            code="invalid-url",
        ) from error
    except httpx.TransportError as error:
        raise ClientError(
            f"The connection broke off before the answer was complete ({error}). Look with "
            "run('') whether a command still runs, or begin again.",
            code="broken-off",
        ) from error
