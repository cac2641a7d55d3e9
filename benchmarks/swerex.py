"""swe-rex, through a driver in its own environment."""

import json
import os
import select
import signal
import subprocess
import time
from pathlib import Path

from benchmarks.runner import Failure, NotFinished, Run

DRIVER = Path(__file__).with_name("swerex_driver.py")
READ_SIZE = 1 << 20
START_TIMEOUT_S = 60


class SweRexRunner:
    """One session of swe-rex. It does not stream: its first output is its whole output."""

    def __init__(self, python: str, folder: Path, environment: dict[str, str]) -> None:
        workspace = folder / "workspace"
        workspace.mkdir(exist_ok=True)
        self._process = subprocess.Popen(
            [python, "-I", str(DRIVER)],  # isolated: `benchmarks` is not on its path
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=workspace,
            env=environment,
            start_new_session=True,
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise Failure("no pipe to the driver")
        self._commands, self._answers = self._process.stdin, self._process.stdout
        try:
            self._read_line(START_TIMEOUT_S)
        except BaseException:
            self.close(now=True)
            raise

    @property
    def pid(self) -> int:
        """The process that swe-rex runs in."""
        return self._process.pid

    def run(self, code: str, timeout: float = 60) -> Run:
        """Run one command, as long as swe-rex itself takes for it."""
        begun = time.perf_counter()
        try:
            os.write(self._commands.fileno(), json.dumps(code).encode() + b"\n")
        except BrokenPipeError:
            raise Failure("swe-rex died") from None
        answer = json.loads(self._read_line(timeout))
        if answer["error"]:
            raise Failure(answer["error"].splitlines()[0][:100])
        return Run(begun, answer["seconds"], answer["seconds"], answer["text"], "")

    def _read_line(self, timeout: float) -> bytes:
        line, deadline = bytearray(), time.perf_counter() + timeout
        while not line.endswith(b"\n"):
            left = max(0.0, deadline - time.perf_counter())
            if not select.select([self._answers], [], [], left)[0]:
                raise NotFinished(timeout)
            piece = os.read(self._answers.fileno(), READ_SIZE)
            if not piece:
                raise Failure("swe-rex died")
            line += piece
        return bytes(line)

    def close(self, *, now: bool = False) -> None:
        """Let it come to its end, or end it with all that it has started."""
        self._commands.close()
        try:
            self._process.wait(0 if now else 5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._answers.close()
