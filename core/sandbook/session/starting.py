"""How the bash of a session is started, and how it first answers."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from sandbook.errors import SessionLostError
from sandbook.sandbox.base import ShellRequest
from sandbook.sandbox.scripts import read_script

Result = TypeVar("Result")

START_TIMEOUT_S = 30
LAST_WORDS = 500
ENVIRONMENT = (
    ("TERM", "xterm-256color"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("LANG", "C.UTF-8"),
)


def shell_request(
    directory: str, nonce: str, cwd: str, *, root: bool = False, state: str = ""
) -> ShellRequest:
    """Say how to start a bash whose plumbing is in this directory."""
    rc = read_script("sandbook.session.rc", "session.sh")
    rc = rc.replace("@NONCE@", nonce).replace("@DIR@", directory)
    init = read_script("sandbook.session.rc", "init.sh")
    return ShellRequest(
        argv=("bash", "-c", init, "sandbook", directory, cwd, rc, state),
        control=f"{directory}/control",
        environment=ENVIRONMENT,
        root=root,
    )


async def answered(answer: "asyncio.Future[Any]", said: bytearray, timeout_s: float) -> None:
    """Wait for the first answer of a shell, which may also say something else before.

    Raises:
        SessionLostError: It did not come; the message holds what came instead.
    """
    try:
        await in_time(answer, timeout_s)
    except (SessionLostError, asyncio.TimeoutError) as error:
        words = said.decode("utf-8", "replace").strip()
        raise SessionLostError(f"bash did not start ({words or 'it said nothing'})") from error


async def in_time(work: Awaitable[Result], timeout_s: float) -> Result:
    """Wait for something, but not for ever.

    `asyncio.wait_for` swallows a cancellation that comes when the work has just been done.

    Raises:
        TimeoutError: It took too long, and was cancelled.
    """
    doing = asyncio.ensure_future(work)
    try:
        await asyncio.wait({doing}, timeout=timeout_s)
        if not doing.done():
            raise asyncio.TimeoutError
        return doing.result()
    finally:
        doing.cancel()
