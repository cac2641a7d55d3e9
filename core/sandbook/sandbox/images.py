"""Makes sure that the image of a sandbox is there: the default one is built, others are pulled.

All functions block and take the low-level client of the Docker SDK, which only `docker.py` knows:
call them through its door. `on_progress` is called in that thread, at least twice a second. When
`stop` is set, or when `on_progress` raises, the work ends within that time and leaves nothing.
"""

import contextlib
import fcntl
import os
import shutil
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

from sandbook.errors import ImageNotFoundError, SandboxStartError
from sandbook.sandbox.building import BuildFailedError, build_with_engine, build_with_script
from sandbook.sandbox.progress import BuildMeter, Progress, PullMeter
from sandbook.sandbox.runtime_folder import open_lock
from sandbook.sandbox.ticking import TICK_S, ticking

OnProgress = Callable[[Progress], None]

DEFAULT_IMAGE = "sandbook/base"
LOCAL_BASE = "sandbook/distribution"
"""What `images/build` makes where no registry answers."""
REPORT_EVERY_S = 0.05
NOT_FOUND = 404
NO_HELPER = """\
The network of a sandbox is isolated by a helper of the image sandbook/base, whatever image the \
sandbox itself has. The engine does not have it, and it could not be built. Build it with: \
sandbook image build, or choose another network: c.DockerBackend.network = 'none'.
{}"""
WITHOUT_CLI = """\
This was tried through the engine alone, with the base from a registry. With the `docker` command \
(Debian/Ubuntu: sudo apt-get install docker.io) the base can be made from this machine's packages. \
Any other image with bash will do, too: set SANDBOOK_IMAGE."""


def ensure_image(
    api: Any, image: str, on_progress: OnProgress, stop: threading.Event | None = None
) -> None:
    """Return at once if the engine has the image; else get it there.

    Two callers at the same time, also in two processes, build only once.

    Raises:
        ImageNotFoundError: It cannot be pulled.
        SandboxStartError: The default image cannot be built, or `stop` was set.
    """
    if is_present(api, image):
        return
    stop = stop or threading.Event()
    if image.partition(":")[0] != DEFAULT_IMAGE:
        pull_image(api, image, on_progress, stop)
        return
    with _alone(on_progress, stop):
        if not is_present(api, image):
            _build(api, image, on_progress, stop)


def ensure_helper_image(api: Any, on_progress: OnProgress, stop: threading.Event) -> None:
    """Build the image of the helper that isolates networks: nobody's own image is trusted with it.

    Raises:
        SandboxStartError: It cannot be built, or `stop` was set.
    """
    try:
        ensure_image(api, DEFAULT_IMAGE, on_progress, stop)
    except SandboxStartError as error:
        raise SandboxStartError(NO_HELPER.format(error)) from error


def is_present(api: Any, image: str) -> bool:
    """Say whether the engine has the image."""
    try:
        api.inspect_image(image)
    except Exception as error:
        if getattr(error, "status_code", None) != NOT_FOUND:
            raise
        return False
    return True


def build_image(
    api: Any, tag: str, on_progress: OnProgress, stop: threading.Event | None = None
) -> None:
    """Build the default image under a tag; quick when it is there and its recipe is the same.

    Raises:
        SandboxStartError: It cannot be built; the message holds the builder's last lines.
    """
    stop = stop or threading.Event()
    with _alone(on_progress, stop):
        _build(api, tag, on_progress, stop)


def pull_image(
    api: Any, image: str, on_progress: OnProgress, stop: threading.Event | None = None
) -> None:
    """Pull an image, also when the engine has it: there may be a newer one.

    Raises:
        ImageNotFoundError: It cannot be pulled; the message says why.
        SandboxStartError: `stop` was set.
    """
    meter = PullMeter(image)
    now = Progress("pull", f"Pulling {image}")
    reported = 0.0
    stop = stop or threading.Event()
    for event in ticking(lambda: _pull(api, image), stop):
        now = now if event is None else meter.take(event)
        if time.monotonic() - reported >= REPORT_EVERY_S:
            on_progress(now)
            reported = time.monotonic()
    _refuse_if(stop)
    on_progress(meter.finish())


def _pull(api: Any, image: str) -> Generator[dict[str, Any], None, None]:
    try:
        events = api.pull(image, stream=True, decode=True)
    except Exception as error:
        explanation = getattr(error, "explanation", None)
        if explanation is None:  # the engine has not answered
            raise
        raise ImageNotFoundError(image, str(explanation)) from error
    for event in events:
        if "error" in event:
            raise ImageNotFoundError(image, str(event["error"]))
        yield event


def _build(api: Any, tag: str, on_progress: OnProgress, stop: threading.Event) -> None:
    has_cli = bool(shutil.which("docker") and shutil.which("bash"))
    if has_cli:
        lines = build_with_script(tag, stop)
    else:
        base = LOCAL_BASE if is_present(api, LOCAL_BASE) else None
        lines = build_with_engine(api, tag, base, stop)
    meter = BuildMeter(tag)
    now = Progress("build", f"Building {tag}")
    try:
        with contextlib.closing(lines):
            for line in lines:
                now = now if line is None else meter.take(line)
                on_progress(now)
    except BuildFailedError as failure:
        _refuse_if(stop)
        said = "\n".join([*meter.last_lines, *failure.args])
        message = f"Could not build the image {tag}:\n{said}"
        raise SandboxStartError(message if has_cli else f"{message}\n{WITHOUT_CLI}") from failure
    _refuse_if(stop)
    on_progress(meter.finish())


@contextlib.contextmanager
def _alone(on_progress: OnProgress, stop: threading.Event) -> Generator[None, None, None]:
    """Wait until no other process of this user builds an image, and keep others from it."""
    descriptor = open_lock("images.lock")
    try:
        while not _lock(descriptor):
            on_progress(Progress("build", "Waiting for another process that builds the image"))
            stop.wait(TICK_S)
            _refuse_if(stop)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _refuse_if(stop: threading.Event) -> None:
    if stop.is_set():
        raise SandboxStartError("Stopped before the image was there.")
