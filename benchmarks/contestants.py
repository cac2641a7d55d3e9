"""Who takes part: the floor, Sandbook on each backend, and the peers."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kernels import KernelRunner, install_kernel, install_nothing
from benchmarks.peers import Peers, peer_environment
from benchmarks.progress import say
from benchmarks.runner import Failure, Runner
from benchmarks.swerex import SweRexRunner

NOTHING = "do-nothing kernel"
DOCKER, BUBBLEWRAP, LOCAL = "sandbook, docker", "sandbook, bubblewrap", "sandbook, local"
SANDBOOK = {DOCKER: "docker", BUBBLEWRAP: "bubblewrap", LOCAL: "local"}
BASH_KERNEL, CALYSTO, IPYKERNEL, SWE_REX = (
    "bash_kernel",
    "calysto_bash",
    "ipykernel %%bash",
    "swe-rex",
)
PEERS = (BASH_KERNEL, CALYSTO, IPYKERNEL, SWE_REX)
SWE_REX_NOTE = (
    "swe-rex runs as its `LocalRuntime`, in one process: without the HTTP server and the container "
    "that it has in its other deployments."
)

Start = Callable[[], Runner]


@dataclass(frozen=True, slots=True)
class Contestants:
    """How to start each of them, by label, in the order of the tables."""

    starts: dict[str, Start]
    folder: Path
    """Where their kernels are described; `workspace` in it is where they run."""

    @property
    def workspace(self) -> Path:
        """The folder that all of them start in."""
        return self.folder / "workspace"

    def without(self, *labels: str) -> "Contestants":
        """Leave some out."""
        kept = {label: start for label, start in self.starts.items() if label not in labels}
        return Contestants(kept, self.folder)


def gather(folder: Path, peers: Peers) -> Contestants:
    """Describe all kernels in the folder, and tell how each contestant is started."""
    (folder / "workspace").mkdir()
    install_nothing(folder, sys.executable)
    install_kernel(folder, "sandbook", [sys.executable, "-m", "sandbook_kernel"])
    starts: dict[str, Start] = {
        NOTHING: lambda: KernelRunner(folder, "nothing", dict(os.environ)),
    }
    for label, backend in SANDBOOK.items():
        starts[label] = _sandbook(folder, backend)
    starts[BASH_KERNEL] = _peer(folder, peers, "bash_kernel", "bash_kernel")
    starts[CALYSTO] = _peer(folder, peers, "calysto_bash", "calysto_bash")
    starts[IPYKERNEL] = _peer(folder, peers, "ipykernel", "ipykernel_launcher", "%%bash\n")
    starts[SWE_REX] = _swe_rex(folder, peers)
    return Contestants(starts, folder)


def _sandbook(folder: Path, backend: str) -> Start:
    environment = {**os.environ, "SANDBOOK_BACKEND": backend}
    return lambda: KernelRunner(folder, "sandbook", environment)


def _peer(folder: Path, peers: Peers, package: str, module: str, prefix: str = "") -> Start:
    install_kernel(folder, package, [peers.python, "-m", module])

    def start() -> Runner:
        if why := peers.why_missing(package):
            raise Failure(why)
        return KernelRunner(folder, package, peer_environment(), prefix)

    return start


def _swe_rex(folder: Path, peers: Peers) -> Start:
    def start() -> Runner:
        if why := peers.why_missing("swe-rex"):
            raise Failure(why)
        return SweRexRunner(peers.python, folder, peer_environment())

    return start


class Field:
    """Those who are alive at once, and why the others are not."""

    def __init__(self) -> None:
        self.alive: dict[str, Runner] = {}
        self.out: dict[str, str] = {}

    def admit(self, label: str, start: Start) -> None:
        """Start one and let it run a first cell."""
        try:
            self.alive[label] = start()
            self.alive[label].run("echo hi")
        except Failure as failure:
            self.drop(label, str(failure))

    def drop(self, label: str, why: str) -> None:
        """Go on without one of them."""
        self.out[label] = why
        runner = self.alive.pop(label, None)
        if runner is not None:
            runner.close(now=True)

    def close(self) -> None:
        """End all that are alive; one that cannot be ended does not save the others."""
        while self.alive:
            label, runner = self.alive.popitem()
            try:
                runner.close()
            except (OSError, RuntimeError) as error:
                say(f"{label} did not end well: {error}")


@contextmanager
def all_alive(contestants: Contestants) -> Iterator[Field]:
    """Start them all and end them all, whatever happens in between."""
    field = Field()
    try:
        for label, start in contestants.starts.items():
            say(f"starting {label}")
            field.admit(label, start)
        yield field
    finally:
        field.close()
