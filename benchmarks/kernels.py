"""Kernels, driven as clients drive them, with a clock beside."""

import contextlib
import json
import time
from pathlib import Path
from queue import Empty
from subprocess import DEVNULL
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from benchmarks.runner import Failure, NotFinished, Run

START_TIMEOUT_S = 60
LOOK_EVERY_S = 1
REASON_LENGTH = 100

NOTHING = '''\
"""The least that any kernel built on ipykernel costs."""

import asyncio

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class Nothing(Kernel):
    """Answers every cell with the same line, after one turn of its event loop."""

    implementation = banner = "nothing"
    implementation_version = "0"
    language_info = {"name": "none", "mimetype": "text/plain", "file_extension": ".txt"}

    async def do_execute(self, code, silent, *args, **kwargs):
        await asyncio.sleep(0)
        self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": "hi\\n"})
        return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}


IPKernelApp.launch_instance(kernel_class=Nothing)
'''


def install_kernel(folder: Path, name: str, argv: list[str]) -> None:
    """Describe a kernel in a folder of our own: nothing is installed where others would see it."""
    spec = folder / "kernels" / name
    spec.mkdir(parents=True, exist_ok=True)
    described = {
        "argv": [*argv, "-f", "{connection_file}"],
        "display_name": name,
        "language": "bash",
        "interrupt_mode": "message",
    }
    (spec / "kernel.json").write_text(json.dumps(described), "utf-8")


def install_nothing(folder: Path, python: str) -> None:
    """Make the kernel `nothing`."""
    program = folder / "nothing.py"
    program.write_text(NOTHING, "utf-8")
    install_kernel(folder, "nothing", [python, str(program)])


class KernelRunner:
    """One kernel that answers."""

    def __init__(
        self, folder: Path, name: str, environment: dict[str, str], prefix: str = ""
    ) -> None:
        specs = KernelSpecManager(kernel_dirs=[str(folder / "kernels")], ensure_native_kernel=False)
        self._manager = KernelManager(kernel_name=name, kernel_spec_manager=specs)
        self._prefix = prefix
        workspace = folder / "workspace"
        workspace.mkdir(exist_ok=True)
        try:
            self._client = self._start(workspace, environment)
        except RuntimeError as error:
            self._manager.shutdown_kernel(now=True)
            raise Failure(_short(str(error))) from error
        except BaseException:
            self._manager.shutdown_kernel(now=True)
            raise

    def _start(self, workspace: Path, environment: dict[str, str]) -> BlockingKernelClient:
        # What kernels log stays off the terminal, where our tables are.
        self._manager.start_kernel(
            cwd=str(workspace), env=environment, stdout=DEVNULL, stderr=DEVNULL
        )
        client: BlockingKernelClient = self._manager.blocking_client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=START_TIMEOUT_S)
        except BaseException:
            client.stop_channels()
            raise
        return client

    @property
    def pid(self) -> int:
        """The process of the kernel."""
        return self._process.pid

    @property
    def _process(self) -> Any:
        provisioner: Any = self._manager.provisioner
        return provisioner.process

    def run(self, code: str, timeout: float = 60) -> Run:
        """Run one cell; the clock stops when the kernel says that it is idle."""
        collected = _Collected()
        begun = time.perf_counter()
        request = self._client.execute(self._prefix + code, allow_stdin=False)
        while not collected.is_idle:
            message = self._next(begun + timeout)
            if message is not None and message["parent_header"].get("msg_id") == request:
                collected.take(message)
            if time.perf_counter() - begun > timeout:
                raise NotFinished(timeout)
        seconds = time.perf_counter() - begun
        with contextlib.suppress(Empty):
            self._client.get_shell_msg(timeout=timeout)
        if collected.error:
            raise Failure(_short(collected.error))
        return collected.as_run(begun, seconds)

    def _next(self, deadline: float) -> dict[str, Any] | None:
        """Wait for a message, and look from time to time whether one can still come."""
        left = max(0.0, deadline - time.perf_counter())
        try:
            return self._client.get_iopub_msg(timeout=min(left, LOOK_EVERY_S))
        except Empty:
            if self._process is None or self._process.poll() is not None:
                raise Failure("the kernel died") from None
            return None

    def close(self, *, now: bool = False) -> None:
        """Shut the kernel down as a server would."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=now)


class _Collected:
    """What came for one request."""

    def __init__(self) -> None:
        self.is_idle = False
        self.error = ""
        self._first: float | None = None
        self._text: list[str] = []
        self._said: list[str] = []

    def take(self, message: dict[str, Any]) -> None:
        kind, content = message["msg_type"], message["content"]
        if kind == "stream" and content["name"] == "stdout":
            self._first = self._first or time.perf_counter()
            self._text.append(content["text"])
        elif kind == "stream":
            self._said.append(content["text"])
        elif kind in {"display_data", "update_display_data", "execute_result"}:
            self._said += [str(value) for value in content["data"].values()]
        elif kind == "error":
            self.error = f"{content['ename']}: {content['evalue']}"
        elif kind == "status":
            self.is_idle = content["execution_state"] == "idle"

    def as_run(self, begun: float, seconds: float) -> Run:
        first = None if self._first is None else self._first - begun
        return Run(begun, seconds, first, "".join(self._text), "\n".join(self._said))


def _short(reason: str) -> str:
    return reason.strip().splitlines()[0][:REASON_LENGTH] if reason.strip() else "no reason given"
