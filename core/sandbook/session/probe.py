"""What the foreground program of a shell waits for, seen by a second shell of the same sandbox."""

import asyncio
import re
from dataclasses import dataclass

from sandbook.errors import SandboxError
from sandbook.sandbox.base import Sandbox
from sandbook.sandbox.scripts import read_script
from sandbook.session.bash import BashSession
from sandbook.session.framing import quote

_PROCESS = re.compile(r"process (\d+) (reads|polls|busy) ([01]) ([01]) (.*)")


@dataclass(frozen=True, slots=True)
class Process:
    """A process in the foreground."""

    pid: int
    waits: str
    """`reads` the terminal, `polls` it among other things, or is `busy`."""
    hears_interrupt: bool
    """Has its own answer to SIGINT, or ignores it; otherwise SIGINT ends it."""
    name: str


@dataclass(frozen=True, slots=True)
class Foreground:
    """What has a terminal now."""

    group: int
    processes: tuple[Process, ...]
    echo: bool = True
    whole_lines: bool = True
    """The terminal hands over lines, not each key at once."""
    stopped: bool = False
    """The shell itself is stopped, and only SIGCONT helps it on."""

    def hides(self, reader: Process) -> bool:
        """Say whether what the reader wants is secret.

        Programs that edit a line (a nested bash, python3) show what is typed themselves.
        """
        return not self.echo and (self.whole_lines or reader.waits == "reads")

    def takes_keys(self, reader: Process) -> bool:
        """Say whether the reader waits for single keys, as `read -n 1` does."""
        return not self.whole_lines and reader.waits == "reads"

    def reader(self, *, prompted: bool) -> Process | None:
        """Find the process that wants input.

        One that only polls is taken at its word if its last line is `prompted`, unfinished: a
        program that goes on by itself (ssh, top) polls too.
        """
        for process in self.processes:
            if process.waits == "reads" or (process.waits == "polls" and prompted):
                return process
        return None


def foreground_from(text: str) -> Foreground | None:
    """Read what `__sandbook_foreground` says."""
    group, stopped = 0, False
    settings: list[str] = []
    processes: list[Process] = []
    for line in text.splitlines():
        if line.startswith("group "):
            _, number, state = line.split()
            group, stopped = int(number), state == "T"
        elif line.startswith("terminal "):
            settings = line.split()
        elif match := _PROCESS.fullmatch(line):
            pid, waits, caught, ignored, name = match.groups()
            hears = "1" in (caught, ignored)
            processes.append(Process(int(pid), waits, hears_interrupt=hears, name=name))
    if group <= 0:
        return None
    echo, whole_lines = "-echo" not in settings, "-icanon" not in settings
    return Foreground(group, tuple(processes), echo, whole_lines, stopped)


class Probe:
    """Opens its own shell when it is first needed; most commands end before that."""

    def __init__(self, sandbox: Sandbox, *, root: bool = False) -> None:
        self._sandbox = sandbox
        self._root = root
        self._session: BashSession | None = None
        self._loaded: set[str] = set()
        self._asking = asyncio.Lock()

    async def foreground(self, session: BashSession) -> Foreground | None:
        """Look at the foreground of another session; nothing if that is gone."""
        terminal = f'"$(<{session.directory}/tty)"'
        told = await self.ask(f"__sandbook_foreground {session.pid} {terminal}")
        return foreground_from(told)

    async def signal(self, group: int, name: str) -> None:
        """Send a signal to a process group."""
        await self.ask(f"builtin kill -{name} -- -{group}")

    async def wake(self, pid: int) -> None:
        """Let a process go on that was stopped."""
        await self.ask(f"builtin kill -CONT {pid}")

    async def kill(self, pid: int) -> None:
        """End one process, whatever it wants."""
        await self.ask(f"builtin kill -KILL {pid}")

    async def check(self, code: str) -> str:
        """Say what is wrong with some bash code: bash's own words, empty if nothing is."""
        return await self.ask(f"__sandbook_check {quote(code.encode('utf-8', 'replace')).decode()}")

    async def ask(self, command: str, cwd: str = "", script: str = "") -> str:
        """Run a command in the shell of the probe; give back what it says.

        Args:
            cwd: Where to run it.
            script: What it needs beside `probe.sh`: a script of the same folder.
        """
        if cwd:
            command = f"builtin cd -- {quote(cwd.encode()).decode()}; {command}"
        async with self._asking:
            session = await self._open()
            if script:
                await self._load(session, script)
            said = await session.ask(command)
        return said.decode("utf-8", "replace")

    def close(self) -> None:
        """End the shell of the probe."""
        if self._session is not None:
            self._session.close()

    async def _open(self) -> BashSession:
        if self._session is None or not self._session.is_alive:
            session = BashSession(self._sandbox, root=self._root)
            await session.start()
            self._loaded.clear()
            await self._load(session, "probe.sh")
            self._session = session
        return self._session

    async def _load(self, session: BashSession, script: str) -> None:
        if script not in self._loaded:
            await session.run(read_script("sandbook.session.rc", script), lambda _: None)
            self._loaded.add(script)


async def safely_foreground(probe: Probe, session: BashSession) -> Foreground | None:
    """Look at the foreground; a sandbox that is in trouble has none to show."""
    try:
        return await probe.foreground(session)
    except (SandboxError, OSError):
        return None
