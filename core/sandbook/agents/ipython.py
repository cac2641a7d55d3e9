"""A program, not a module: keeps an IPython kernel inside a sandbox, and speaks to it for us.

    python3 -c "$(program)" FOLDER [PACKAGES]

Reads requests and writes what comes of them, in lines of JSON:

    {"code", "cwd", "timeout"}      →  {"text"} and {"image"}, as they come, then {"end": how}
    {"interrupt"}                   →  what runs is interrupted, or what was about to is not run

A text that is a traceback comes with {"error": [name, value]}. `how` is `ok`, `error`, `timeout` or
`died`. The very first line is {"ready": the interpreter}, or {"missing": why}. The very first
request is {"luggage"}: modules of ours, zipped, in base64, from which code gets the function
`file_editor`. Needs what `ipykernel` brings with it, from Python 3.7 on; `file_editor` needs 3.10.
"""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import json
import os
import select
import signal
import site
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from typing import Any

TEXT_MAX = 8 << 20
IMAGES_MAX = 20
IMAGE_MAX = 12 << 20
PATIENCE_S = 5.0
TICK_S = 0.1
READ_SIZE = 1 << 16
INTERRUPTED = "KeyboardInterrupt"
UNPACK = """
def _sandbook_unpack(luggage):
    import sys
    sys.path.insert(0, luggage)
    try:
        from sandbook.agents.file_editor import file_editor
    finally:  # whoever imports a package of this name later means another one
        sys.path.remove(luggage)
        for name in [name for name in sys.modules if name.partition(".")[0] == "sandbook"]:
            del sys.modules[name]
    return file_editor
file_editor = _sandbook_unpack({!r})
del _sandbook_unpack
"""
MOVE = "__import__('os').chdir({!r})"
OPTIONS = ["--InteractiveShell.colors=NoColor", "--HistoryManager.enabled=False"]
LAUNCH = """\
import sys
while sys.argv[1:] and sys.argv[1] != "-f":
    sys.path.append(sys.argv.pop(1))
from ipykernel.kernelapp import launch_new_instance
launch_new_instance()
"""


def say(**what: object) -> None:
    """Write a line."""
    data = memoryview(json.dumps(what).encode() + b"\n")
    while data:
        data = data[os.write(1, data) :]


def main() -> None:
    """Serve requests until there are no more."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _leave)
    sys.path += sys.argv[2:]
    try:
        from jupyter_client.kernelspec import KernelSpec  # noqa: PLC0415
        from jupyter_client.manager import KernelManager  # noqa: PLC0415
    except ImportError as error:
        say(missing=str(error))
        return
    if importlib.util.find_spec("ipykernel") is None:
        say(missing="No module named 'ipykernel'")
        return
    argv = [sys.executable, "-c", LAUNCH, *sys.argv[2:], "-f", "{connection_file}", *OPTIONS]
    with tempfile.TemporaryDirectory(prefix="python-", dir=sys.argv[1]) as folder:

        def make() -> Any:
            manager: Any = KernelManager(transport="ipc", ip=f"{folder}/{time.monotonic_ns()}")
            manager.connection_file = f"{manager.ip}.json"
            spec = KernelSpec(argv=argv, display_name="Python", language="python")
            manager._kernel_spec = spec  # noqa: SLF001 -- one that is installed may be another's
            return manager

        make_user_site()
        say(ready=sys.executable)
        luggage = Path(folder, "luggage.zip")
        requests = Requests()
        luggage.write_bytes(base64.b64decode(json.loads(requests.next())["luggage"]))
        python = Python(make, UNPACK.format(str(luggage)), requests)
        try:
            for line in iter(requests.next, b""):
                request = json.loads(line)
                if "code" in request:  # nothing runs that could be interrupted
                    python.run(**request)
        finally:
            python.close()


def make_user_site() -> None:
    """Make the folder for what a user installs, which Python looks at only if it was there."""
    if site.ENABLE_USER_SITE:
        with contextlib.suppress(OSError):
            Path(site.getusersitepackages()).mkdir(parents=True, exist_ok=True)


def _leave(number: int, frame: object) -> None:  # noqa: ARG001
    """End in order, so that nothing is left."""
    sys.exit(1)


class Requests:
    """The lines of our input. What has been read and not taken yet is known, as `select` needs."""

    def __init__(self) -> None:
        self.held = b""

    def next(self) -> bytes:
        """Take the next line, as soon as it is there; empty is the end."""
        while b"\n" not in self.held:
            data = os.read(0, READ_SIZE)
            if not data:
                return b""
            self.held += data
        line, _, self.held = self.held.partition(b"\n")
        return line

    def are_there(self) -> bool:
        """Say whether `next` would not wait."""
        return b"\n" in self.held or bool(select.select([0], [], [], 0)[0])


class Python:
    """One kernel; a new one takes the place of one that died."""

    def __init__(self, make: Callable[[], Any], first: str, requests: Requests) -> None:
        self.make = make
        self.requests = requests
        self.interrupted = False
        self.first = first  # code that each kernel runs before any other
        self.manager: Any = None  # cannot be used again for another kernel
        self.client: Any = None
        self.room = 0
        self.images = 0

    def run(self, code: str, cwd: str, timeout: float | None) -> None:
        """Run code to its end, and tell what it says and shows."""
        self.room, self.images = TEXT_MAX, 0
        self.interrupted = False
        self.start(cwd)
        self.run_silently(MOVE.format(cwd))
        if self.interrupted:
            self.text(f"{INTERRUPTED}\n", error=[INTERRUPTED, ""])
            say(end="error")
            return
        message = self.client.execute(code, store_history=False, allow_stdin=False)
        how = self.listen(message, timeout)
        if how == "died":
            self.close()
        say(end=how)

    def start(self, cwd: str) -> None:
        """Make sure that a kernel runs."""
        if self.client is not None and self.manager.is_alive():
            return
        self.close()
        self.manager = self.make()
        self.manager.start_kernel(cwd=cwd if Path(cwd).is_dir() else "/")
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.run_silently(self.first)

    def close(self) -> None:
        """End the kernel."""
        if self.client is not None:
            self.client.stop_channels()
            self.client = None
        if self.manager is not None and self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)

    def run_silently(self, code: str) -> None:
        """Run code of ours; nobody is told what comes of it."""
        self.listen(self.client.execute(code, silent=True), None, silent=True)

    def listen(self, message: str, timeout: float | None, *, silent: bool = False) -> str:
        """Pass on what the kernel says, until it is idle again."""
        ends = time.monotonic() + timeout if timeout else None
        how, begun = "ok", False
        while self.manager.is_alive() and self.heed_requests():
            said = self.next_message(message)
            begun = begun or (said is not None and said["msg_type"] == "execute_input")
            if begun and self.interrupted:  # before, the kernel would not hear it
                self.interrupted = False
                self.manager.interrupt_kernel()
            if said is not None and _is_idle(said):
                return how
            if said is not None and not silent:
                how = self.pass_on(said, how)
            if ends is not None and time.monotonic() >= ends:
                if how == "timeout":
                    break
                how, ends = "timeout", time.monotonic() + PATIENCE_S
                self.manager.interrupt_kernel()
        return "died"

    def heed_requests(self) -> bool:
        """Note an interrupt, if one is asked for; say whether anybody is there who could ask."""
        if not self.requests.are_there():
            return True
        self.interrupted = True
        return bool(self.requests.next())

    def pass_on(self, said: dict[str, Any], how: str) -> str:
        """Write a message, unless it is the answer to our own interrupt; say how it stands."""
        is_error = said["msg_type"] == "error"
        if not (is_error and how == "timeout"):
            self.tell(said["msg_type"], said["content"])
        return "error" if is_error and how == "ok" else how

    def next_message(self, message: str) -> dict[str, Any] | None:
        """Wait a moment for something that belongs to a request."""
        with contextlib.suppress(Empty):
            said = self.client.get_iopub_msg(timeout=TICK_S)
            if said["parent_header"].get("msg_id") == message:
                return said
        return None

    def tell(self, kind: str, content: dict[str, Any]) -> None:
        """Write what is text or a picture, as much of it as anybody reads."""
        if kind == "stream":
            self.text(content["text"])
        elif kind == "error":
            self.text(
                "\n".join(content["traceback"]) + "\n", error=[content["ename"], content["evalue"]]
            )
        elif kind in ("execute_result", "display_data"):
            data = content["data"]
            if "text/plain" in data:
                self.text(data["text/plain"] + "\n")
            image = data.get("image/png", "")
            if image and self.images < IMAGES_MAX and len(image) < IMAGE_MAX:
                self.images += 1
                say(image="data:image/png;base64," + image.replace("\n", ""))

    def text(self, text: str, **more: object) -> None:
        """Write text, up to the limit."""
        if self.room > 0:
            say(text=text[: self.room], **more)
            self.room -= len(text)


def _is_idle(said: dict[str, Any]) -> bool:
    return said["msg_type"] == "status" and said["content"]["execution_state"] == "idle"


if __name__ == "__main__":
    main()
