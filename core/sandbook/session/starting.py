"""How the bash of a session is started, and how it first answers."""

import re

import pexpect
from pexpect.fdpexpect import fdspawn

from sandbook.errors import SessionLostError
from sandbook.sandbox.base import ShellRequest
from sandbook.sandbox.scripts import read_script
from sandbook.sandbox.stream import ShellStream
from sandbook.session.framing import Mark

START_TIMEOUT_S = 30
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


def shake_hands(stream: ShellStream, nonce: str) -> Mark:
    """Wait for the first mark. Blocks: runs in a thread, before the event loop reads.

    Raises:
        SessionLostError: It did not come; the message holds what came instead.
    """
    terminal: fdspawn[bytes] = fdspawn(stream.fileno(), timeout=START_TIMEOUT_S)
    try:
        terminal.expect(rb"\x1b\]7717;%s;D;0;([^\x07]*)\x07" % nonce.encode())
    except (pexpect.EOF, pexpect.TIMEOUT) as error:
        said = (terminal.before or b"").decode("utf-8", "replace").strip()[-500:]
        raise SessionLostError(f"bash did not start ({said or 'it said nothing'})") from error
    if not isinstance(terminal.match, re.Match):
        raise SessionLostError
    return Mark("D", (b"0", *terminal.match[1].split(b";")))
