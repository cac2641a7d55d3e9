"""How the bash of a session is started, and how it first answers."""

import asyncio
from typing import Any

from sandbook.errors import SessionLostError
from sandbook.sandbox.base import ShellRequest
from sandbook.sandbox.scripts import read_script

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
        await asyncio.wait_for(answer, timeout_s)
    except (SessionLostError, asyncio.TimeoutError) as error:
        words = said.decode("utf-8", "replace").strip()
        raise SessionLostError(f"bash did not start ({words or 'it said nothing'})") from error
