"""The recipe of the default image, and the two ways to follow it. Both block."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

from sandbook.sandbox.ticking import TICK_S, ticking

CERTIFICATES = Path("/usr/local/share/ca-certificates")
END_TIMEOUT_S = 20
_WORKER = re.compile(r" ---> Running in ([0-9a-f]+)")
Lines = Generator[str | None, None, None]
"""What a builder says, and `None` while it is silent."""


class BuildFailedError(Exception):
    """The builder gave up. Its last lines tell why; an argument, if any, belongs to them."""


def recipe_directory() -> Path:
    """Name the folder of the recipe, which travels with our modules."""
    return Path(__file__).parents[1] / "images"


def build_with_script(tag: str, stop: threading.Event) -> Lines:
    """Run the script of the recipe; end it, and what it started, when nobody listens any more."""
    process = subprocess.Popen(
        ["bash", str(recipe_directory() / "build"), tag],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            yield from ticking(lambda: process.stdout or (), stop)
        finally:
            _end_group(process)
    if process.returncode != 0:
        raise BuildFailedError


def _end_group(process: "subprocess.Popen[str]") -> None:
    """Let a script that has said its last word end; end any other, with its children."""
    try:
        process.wait(TICK_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def build_with_engine(api: Any, tag: str, base: str | None, stop: threading.Event) -> Lines:
    """Build through the engine alone, for machines without the `docker` command."""
    with tempfile.TemporaryDirectory(prefix="sandbook-") as context:
        _fill(Path(context))
        options: dict[str, Any] = {
            "buildargs": {"BASE_IMAGE": base} if base else {},
            "labels": {"sandbook.recipe": "engine"},
            "rm": True,
            "forcerm": True,
        }
        events = ticking(lambda: api.build(path=context, tag=tag, decode=True, **options), stop)
        worker = ""
        try:
            for line in _lines(events):
                if match := _WORKER.match(line or ""):
                    worker = match[1]
                yield line
        finally:
            if worker:  # the engine ends a build whose container is taken away
                with contextlib.suppress(Exception):  # mostly: it is gone already
                    api.remove_container(worker, force=True, v=True)


def _lines(events: Iterable[dict[str, Any] | None]) -> Iterator[str | None]:
    for event in events:
        if event is None:
            yield None
        elif "error" in event:
            raise BuildFailedError(str(event["error"]))
        else:
            yield from str(event.get("stream", event.get("status", ""))).splitlines()


def _fill(context: Path) -> None:
    shutil.copy(recipe_directory() / "Dockerfile", context)
    certificates = context / "certificates"
    certificates.mkdir()
    (certificates / ".keep").touch()
    for path in CERTIFICATES.rglob("*.crt"):
        shutil.copy(path, certificates)
