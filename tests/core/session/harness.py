"""What the tables of hostile cells are made of, and how one row is run."""

import asyncio
import contextlib
import re
import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbook.errors import IncompleteCommandError, SessionLostError
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.factory import SandboxFactory
from sandbook.session.shell import Shell
from tests.conftest import OFFLINE

HANG_S = 30
ANY = re.compile(r".*", re.DOTALL)


@dataclass(frozen=True)
class Cell:
    """A cell that must end with this status and this output: exact, a pattern, or its parts."""

    code: str
    output: object = ""
    status: int | None = 0
    exited: bool | None = None


@dataclass(frozen=True)
class Lost:
    """A cell that ends the shell for good; the next one has a new shell in the same place."""

    code: str


@dataclass(frozen=True)
class Open:
    """A cell that is refused at once, since something in it is left open."""

    code: str
    line: int


@dataclass(frozen=True)
class Pause:
    """Time that passes between two cells."""

    seconds: float


class Machine:
    """One sandbox for a whole module, in an event loop of its own."""

    def __init__(self, backend: str, folder: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self.name = backend
        self._factory = SandboxFactory(backend=backend, config=OFFLINE)
        self._request = SandboxRequest(str(uuid.uuid4()), folder, notebook="test.ipynb")
        self._backend = self.do(self._factory.choose())
        self.sandbox = self.do(self._backend.create(self._request))
        self._holder = self.do(self._open())

    async def _open(self, cwd: str = "") -> Shell:
        shell = Shell(self.sandbox, cwd)
        await shell.session.start()
        return shell

    def do(self, work, timeout=HANG_S * 3):
        return self.loop.run_until_complete(asyncio.wait_for(work, timeout))

    def close(self) -> None:
        self._holder.close()
        self.do(self._backend.remove(self._request.sandbox_id))
        self._factory.close()
        self.loop.close()

    @contextlib.asynccontextmanager
    async def person(self):
        person = Person(self, await self._open())
        try:
            yield person
        finally:
            person.shell.close()


class Person:
    """Somebody with one shell, who gets another one when it is lost."""

    def __init__(self, machine: Machine, shell: Shell) -> None:
        self.machine = machine
        self.idle = bytearray()
        self._take(shell)

    def _take(self, shell: Shell) -> None:
        self.shell = shell
        shell.session.on_idle_output = self.idle.extend

    async def run(self, code, ask=None, timeout_s=None):
        """Run a cell; give back how it ended, and its output with neighbouring text joined."""
        parts = []

        def listen(part):
            if isinstance(part, bytes) and parts and isinstance(parts[-1], bytes):
                parts[-1] += part
            else:
                parts.append(part)

        running = self.shell.run(code, listen, ask, timeout_s)
        return await asyncio.wait_for(running, HANG_S), parts

    async def say(self, code, **options):
        """Run a cell; give back its status and its text."""
        result, parts = await self.run(code, **options)
        assert all(isinstance(part, bytes) for part in parts)
        return result.exit_code, b"".join(parts).decode("utf-8", "surrogateescape")

    async def replace(self) -> None:
        self.shell.close()
        self._take(await self.machine._open(self.shell.session.cwd))

    async def do(self, step) -> None:
        match step:
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Open(code, line):
                with pytest.raises(IncompleteCommandError) as error:
                    await self.run(code)
                assert error.value.line == line, str(error.value)
            case Lost(code):
                with pytest.raises(SessionLostError):
                    await self.run(code)
                await self.replace()
            case Cell():
                await self._check(step)

    async def _check(self, cell: Cell) -> None:
        result, parts = await self.run(cell.code)
        place = f"{cell.code[:200]!r} -> {result} {parts!r:.2000}"
        assert b"__sandbook" not in self.idle, bytes(self.idle)
        if isinstance(cell.output, list):
            assert parts == cell.output, place
        else:
            said = b"".join(part for part in parts if isinstance(part, bytes))
            _compare(said, cell.output, place)
        if cell.status is not None:
            assert result.exit_code == cell.status, place
        if cell.exited is not None:
            assert result.shell_exited == cell.exited, place


def _compare(said: bytes, expected, place: str) -> None:
    assert expected is ANY or b"\x1b]7717;" not in said, place
    if isinstance(expected, re.Pattern):
        assert expected.fullmatch(said.decode("utf-8", "surrogateescape")), place
    elif isinstance(expected, bytes):
        assert said == expected, place
    else:
        assert said == expected.encode(), place
