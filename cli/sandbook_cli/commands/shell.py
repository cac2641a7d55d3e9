"""sandbook shell: a terminal of one's own in a sandbox that runs."""

import argparse
import asyncio
import contextlib
import os
import secrets
import signal
import sys
import termios
import tty
from collections.abc import Coroutine, Generator

from sandbook.sandbox.base import Sandbox, ShellRequest
from sandbook.sandbox.stream import ShellStream
from sandbook.session.framing import Mark, MarkScanner
from sandbook_cli.arguments import some_id
from sandbook_cli.errors import CommandError
from sandbook_cli.sandboxes import find_infos, open_factory

NAME = "shell"
SUMMARY = "Open a terminal in a sandbox that runs, beside its notebook."
READ_SIZE = 1 << 16
LOST = 1
INIT = r"""
until [ -w "${1%/*}" ]; do sleep 0.01; done
umask 022
mkdir -p "$1" && chmod 700 "$1" && echo "$$" >"$1/pid"
trap 'rm -rf "$1"' EXIT
[ -d "${HOME-}" ] && [ "$HOME" != / ] || { unset HOME; HOME=~; }
[ -w "$HOME" ] || { HOME=/tmp/home && mkdir -p "$HOME"; }
export HOME
cd -- "$2" 2>/dev/null || cd /
stty rows "$3" cols "$4" 2>/dev/null
bash -i
printf '\033]7717;%s;E;%s\007' "$5" "$?"
"""
"""Runs bash, then tells its exit code in a mark that carries our nonce."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("--root", action="store_true", help="as root of the sandbox")
    parser.add_argument("id", type=some_id, metavar="ID", help="an id, or how only this one begins")


async def run(arguments: argparse.Namespace) -> int:
    """Connect this terminal with a new bash in the sandbox, until that ends."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandError("sandbook shell needs a terminal. For scripts: jupyter execute")
    with open_factory() as factory:
        (info,) = await find_infos(factory, [arguments.id])
        sandbox = await factory.of(info.backend).find(info.sandbox_id)
        nonce = secrets.token_hex(8)
        stream = await sandbox.open_shell(_request(sandbox, nonce, root=arguments.root))
        try:
            with _raw_terminal(sys.stdin.fileno()):
                return await Relay(stream, nonce).run()
        finally:
            stream.close()


def _request(sandbox: Sandbox, nonce: str, *, root: bool) -> ShellRequest:
    directory = f"{sandbox.plumbing(root=root)}/{nonce}"
    columns, rows = os.get_terminal_size(sys.stdin.fileno())  # not what COLUMNS says
    place = (directory, sandbox.workspace, str(rows), str(columns), nonce)
    return ShellRequest(
        argv=("bash", "-c", INIT, "sandbook", *place),
        control=f"{directory}/control",
        environment=(
            ("TERM", os.environ.get("TERM", "xterm-256color")),
            ("LANG", "C.UTF-8"),
            ("PS1", r"\h:\w\$ "),
        ),
        root=root,
    )


@contextlib.contextmanager
def _raw_terminal(descriptor: int) -> Generator[None, None, None]:
    """Hand every key on as it is, Ctrl-C too; put the terminal back as it was in the end."""
    before = termios.tcgetattr(descriptor)
    try:
        tty.setraw(descriptor, termios.TCSADRAIN)  # what was typed ahead is not lost
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class Relay:
    """Carries bytes between this terminal and the one in the sandbox."""

    def __init__(self, stream: ShellStream, nonce: str) -> None:
        self._stream = stream
        self._scanner = MarkScanner(nonce, pictures=False)
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended: asyncio.Future[int] | None = None

    async def run(self) -> int:
        """Carry until the shell ends, or we are told to; give back its exit code."""
        loop = asyncio.get_running_loop()
        self._ended = loop.create_future()
        loop.add_reader(self._stream.fileno(), self._take_output)
        loop.add_reader(sys.stdin.fileno(), self._take_keys)
        loop.add_signal_handler(signal.SIGWINCH, lambda: self._start(self._resize()))
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._end, 128 + number)
        try:
            return await self._ended
        finally:
            loop.remove_reader(self._stream.fileno())
            loop.remove_reader(sys.stdin.fileno())
            for task in self._tasks:
                task.cancel()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _end(self, code: int) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(code)

    def _take_output(self) -> None:
        try:
            data = self._stream.read()
        except BlockingIOError:
            return
        for part in self._scanner.feed(data):
            if not isinstance(part, Mark):
                _write_all(sys.stdout.fileno(), part)
            elif (code := _exit_code(part)) is not None:
                self._end(code)
        if not data:
            self._end(LOST)

    def _take_keys(self) -> None:
        data = os.read(sys.stdin.fileno(), READ_SIZE)
        if data:
            self._stream.type(data)
        else:
            self._end(LOST)

    async def _resize(self) -> None:
        columns, rows = os.get_terminal_size(sys.stdin.fileno())
        await self._stream.resize(rows, columns)


def _exit_code(mark: Mark) -> int | None:
    """Read what the shell says at its end; other programs may write marks, too."""
    match mark.kind, mark.fields:
        case "E", (code,) if code.isdigit():
            return min(int(code[:4]), 255)
        case _:
            return None


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
