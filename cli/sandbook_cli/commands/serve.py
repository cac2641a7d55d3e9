"""sandbook serve: one sandbox for one agent, which needs a URL and a key."""

import argparse
import asyncio
import ctypes
import json
import os
import secrets
import signal
import socket
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.simple_httpclient import HTTPStreamClosedError

from sandbook.config import KEY_VARIABLE, key_from_environment, patience_from_environment
from sandbook.safe_path import safe_command, safe_environment
from sandbook.sandbox.factory import SandboxFactory
from sandbook.sandbox.identity import ROOT
from sandbook_cli.arguments import image_name
from sandbook_cli.errors import CommandError
from sandbook_cli.secret_arguments import from_file, hidden

NAME = "serve"
SUMMARY = "Start a server with one sandbox for one agent; print its URL and key as JSON."
USER_HELP = (
    "who commands run as: root, or any other name, which gets a home in the sandbox and, "
    "with docker, sudo without a password (default: whoever runs this, without sudo)"
)
KEY_HELP = (
    "session API key (default: $SESSION_API_KEY, or a new one); other users of this machine can "
    "see it for a moment, and your shell may keep it: use the variable or --key-file instead"
)
KEY_FILE_HELP = "read the key from the first line of this file; - is the standard input"
START_S, EVERY_S = 60.0, 0.1
STOP_S = 20.0
PARENT_DEATH_SIGNAL = 1
READY_S = 600.0
"""An image may have to be built."""
ENDED = "The server has ended. Its last words:\n{}"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("--port", type=int, default=0, help="to listen on (default: any free one)")
    parser.add_argument(
        "--ip", default="127.0.0.1", help="address to listen on (default: %(default)s)"
    )
    key = parser.add_mutually_exclusive_group()
    key.add_argument("--key", type=hidden, default="", help=KEY_HELP)
    key.add_argument(
        "--key-file",
        dest="key",
        type=from_file,
        default=argparse.SUPPRESS,
        metavar="FILE",
        help=KEY_FILE_HELP,
    )
    parser.add_argument("--image", type=image_name, help="image of the sandbox (docker)")
    backends = ["auto", *SandboxFactory.backend_classes]
    parser.add_argument("--backend", choices=backends, help="what makes the sandbox")
    parser.add_argument("--workspace", type=Path, metavar="FOLDER", help="default: a new place")
    parser.add_argument("--user", metavar="NAME", help=USER_HELP)
    parser.add_argument(
        "--no-change-timeout",
        type=float,
        metavar="S",
        help="answer after S silent seconds (default: $NO_CHANGE_TIMEOUT_SECONDS, or 10)",
    )


async def run(arguments: argparse.Namespace) -> int:
    """Serve until somebody ends us."""
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ending.set)
    wish = _wish(arguments)
    async with AsyncExitStack() as stack:
        folder = arguments.workspace or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if not folder.is_dir():
            raise CommandError(f"There is no folder {str(folder)!r}.")
        port = arguments.port or _free_port(arguments.ip)
        server = Server(arguments.ip, port, folder)
        stack.push_async_callback(server.stop)
        await server.start()
        try:
            made = await server.ask("POST", "sandbook/sandboxes", wish)
            await server.wait_for_sandbox(made["id"], ending)
        except OSError as error:
            raise CommandError(ENDED.format(server.last_words())) from error
        if not ending.is_set():
            print(
                json.dumps({key: made[key] for key in ("base_url", "session_api_key")}), flush=True
            )
        over = asyncio.ensure_future(server.wait())
        ended = asyncio.ensure_future(ending.wait())
        await asyncio.wait([over, ended], return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            raise CommandError(ENDED.format(server.last_words()))
    return 0


def _wish(arguments: argparse.Namespace) -> dict[str, Any]:
    patience = arguments.no_change_timeout
    if patience is None:
        patience = patience_from_environment(os.environ)
    return {
        "image": arguments.image,
        "backend": arguments.backend,
        "key": arguments.key or key_from_environment(os.environ),
        "no_change_timeout_s": patience,
        "user": arguments.user,
        "sudo": _wants_sudo(arguments.user, arguments.backend),
        "workspace": "." if arguments.workspace else "volume",
    }


def _wants_sudo(user: str | None, backend: str | None) -> bool | None:
    """Agents that have a name expect to be able to become root, where there is one."""
    has_root = backend in {None, "auto", "docker"}
    return True if user and user != ROOT and has_root else None


def _die_with_us() -> None:
    """Have Linux end this process, too, when its parent is killed."""
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)


def _free_port(ip: str) -> int:
    with socket.socket() as probe:
        probe.bind((ip, 0))
        return probe.getsockname()[1]


class Server:
    """A Jupyter server in a process of its own."""

    def __init__(self, ip: str, port: int, folder: Path) -> None:
        self._address = f"http://{'127.0.0.1' if ip == '0.0.0.0' else ip}:{port}"  # noqa: S104
        self._token = secrets.token_urlsafe(32)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with us
        self._options = [
            f"--ServerApp.ip={ip}",
            f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={folder.resolve()}",
            "--ServerApp.open_browser=False",
            "--ServerApp.allow_root=True",
            "--ServerApp.allow_remote_access=True",
        ]
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it, and wait until it answers.

        Raises:
            CommandError: It does not; the message holds what it said.
        """
        self._process = await asyncio.create_subprocess_exec(
            *safe_command([sys.executable, "-m", "jupyter_server", *self._options]),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env=self._environment(),
            start_new_session=True,  # Ctrl-C is for us: we end it in order
            preexec_fn=_die_with_us,
        )
        for _ in range(int(START_S / EVERY_S)):
            if self._process.returncode is not None:
                break
            try:
                await self.ask("GET", "sandbook/sandboxes")
            except OSError:
                await asyncio.sleep(EVERY_S)
            else:
                return
        raise CommandError(f"The server did not start. Its last words:\n{self.last_words()}")

    def _environment(self) -> dict[str, str]:
        """Give it our variables, but for the key: without isolation, a shell would have it."""
        ours = safe_environment(os.environ)
        ours.pop(KEY_VARIABLE, None)
        return {**ours, "JUPYTER_TOKEN": self._token}

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the server something.

        Raises:
            CommandError: It refused; the message says why.
            OSError: It did not answer. At its start, Jupyter listens for a moment to see whether
                the port is free, and hangs up.
        """
        request = HTTPRequest(
            f"{self._address}/{path}",
            method,
            {"Authorization": f"token {self._token}"},
            None if body is None else json.dumps(body),
            request_timeout=READY_S,
        )
        try:
            response = await AsyncHTTPClient().fetch(request)
        except HTTPStreamClosedError as error:
            raise ConnectionResetError(str(error)) from error
        except HTTPClientError as error:
            told: dict[str, Any] = json.loads(error.response.body) if error.response else {}
            raise CommandError(told.get("detail") or told.get("message") or str(error)) from error
        return json.loads(response.body) if response.body else None

    async def wait_for_sandbox(self, sandbox_id: str, ending: asyncio.Event) -> None:
        """Ask for more of nothing, which says what is wrong if there can be no sandbox."""
        action = {"action": "run", "args": {"command": ""}}
        path = f"sandbook/{sandbox_id}/execute_action"
        first = asyncio.ensure_future(self.ask("POST", path, {"action": action}))
        stopped = asyncio.ensure_future(ending.wait())
        await asyncio.wait([first, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if first.done():
            first.result()
        else:
            first.cancel()

    async def wait(self) -> None:
        """Wait for its end."""
        if self._process is not None:
            await self._process.wait()

    async def stop(self) -> None:
        """End it, and its sandbox with it."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), STOP_S)
            except asyncio.TimeoutError:
                self._process.kill()
                await self._process.wait()
        self._log.close()

    def last_words(self) -> str:
        """Give the end of what it said."""
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")[-2000:].strip()
