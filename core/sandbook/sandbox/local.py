"""Sandboxes that isolate nothing: for machines that are sandboxes already."""

import os
import signal
from pathlib import Path
from typing import ClassVar

from sandbook.sandbox.base import DIRECTORY, Limits, Sandbox, SandboxRequest
from sandbook.sandbox.process_backend import ProcessBackend
from sandbook.sandbox.processes import Inside, ProcessSandbox, start_detached
from sandbook.sandbox.records import Record
from sandbook.sandbox.scripts import keeper_argv

MARKERS = ("/.dockerenv", "/run/.containerenv")
KUBERNETES = "/var/run/secrets/kubernetes.io"
LAYERED = ("overlay", "aufs", "fuse", "virtiofs", "9p")


def is_container(root: str = "/") -> bool:
    """Say whether this machine is a container, going by more than a file that anybody can leave.

    A container engine leaves a marker, and puts the root on a layered file system or on a folder
    of another one. A marker alone may be left over from the image that a real machine was made of.
    """
    marked = any(Path(root + marker).exists() for marker in (*MARKERS, KUBERNETES))
    return marked and _is_container_root(Path(root, "proc/self/mountinfo").read_text("utf-8"))


def _is_container_root(mountinfo: str) -> bool:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        folder, mount_point = before.split()[3:5]
        if mount_point == "/":
            return after.startswith(LAYERED) or folder != "/"
    return False


class LocalSandbox(ProcessSandbox):
    """A shell on this machine, with its own keeper and nothing around it."""

    @property
    def directory(self) -> str:
        """A folder for this sandbox alone: it shares the rest with all others."""
        return f"{DIRECTORY}-{self.info.sandbox_id}"

    @property
    def workspace(self) -> str:
        """The notebook's folder itself."""
        return self.info.workspace


class LocalBackend(ProcessBackend):
    """Runs shells on this very machine."""

    name: ClassVar[str] = "local"
    isolation: ClassVar[str] = "none"
    end_signal = signal.SIGTERM  # the keeper ends every process of the sandbox, then itself

    async def check(self) -> None:
        """Nothing is needed beside bash."""

    async def create(self, request: SandboxRequest) -> Sandbox:
        """Start a keeper; shells follow."""
        directory = f"{DIRECTORY}-{request.sandbox_id}"
        keeper = keeper_argv(directory, life=self.max_life_s, sweep=request.sandbox_id)
        return self.write_down(await start_detached(keeper), request, Limits())

    def sandbox_from(self, record: Record) -> Sandbox:
        """Say that there is nothing to get into: the sandbox is this machine."""
        return LocalSandbox(record, Inside(dict(os.environ), namespaces=False))
