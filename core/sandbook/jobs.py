"""Commands that run in the background, each in a shell of its own, with their output collected."""

import asyncio
import time
from dataclasses import dataclass, field

from sandbook.observations import CommandResult, Output
from sandbook.session.shell import Shell
from sandbook.tail import Tail

KEPT_BYTES = 1 << 20
"""How much of a job's output is kept: the last of it."""
KEPT_JOBS = 50


@dataclass
class Job:
    """One command in the background."""

    number: int
    command: str
    shell: Shell
    task: "asyncio.Task[CommandResult]"
    output: Tail
    begun_at: float = field(default_factory=time.monotonic)
    ended_at: float | None = None

    @property
    def state(self) -> str:
        """Say in a word or two how it stands."""
        if not self.task.done():
            return "running"
        if self.task.cancelled() or self.task.exception():
            return "lost"
        code = self.task.result().exit_code
        if self.task.result().timed_out:
            return "timed out"
        return "done" if code == 0 else f"exit status {code}"

    @property
    def seconds(self) -> float:
        """How long it has run, or did."""
        return (self.ended_at or time.monotonic()) - self.begun_at


class Jobs:
    """The jobs of one sandbox, numbered from 1."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._last = 0

    def begin(self, command: str, shell: Shell, timeout_s: float | None = None) -> Job:
        """Run a command in a shell that has just started, and do not wait for it."""
        self._last += 1
        output = Tail(KEPT_BYTES)

        def take(part: Output) -> None:
            if isinstance(part, bytes):  # only text can be kept
                output.add(part)

        task = asyncio.ensure_future(shell.run(command, take, timeout_s=timeout_s))
        job = Job(self._last, command, shell, task, output)
        task.add_done_callback(lambda _: self._ended(job))
        self._jobs[job.number] = job
        return job

    def get(self, number: int) -> Job | None:
        """Find a job by its number."""
        return self._jobs.get(number)

    def all(self) -> list[Job]:
        """List the jobs, oldest first."""
        return list(self._jobs.values())

    def close(self) -> None:
        """End all of them."""
        for job in self._jobs.values():
            job.task.cancel()
            job.shell.close()

    def _ended(self, job: Job) -> None:
        job.ended_at = time.monotonic()
        if not job.task.cancelled():
            job.task.exception()  # it is told as "lost"
        job.shell.close()
        for number in list(self._jobs)[:-KEPT_JOBS]:
            if self._jobs[number].task.done():
                del self._jobs[number]
