"""Sandboxes that are containers of a Docker-compatible engine. The only importer of its SDK."""

import asyncio
import contextlib
import importlib
import json
import os
import socket
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any, ClassVar, TypeVar

from traitlets import Float, Int, Unicode

from sandbook.errors import (
    BackendUnavailableError,
    ImageNotFoundError,
    SandboxNotFoundError,
    SandboxStartError,
)
from sandbook.sandbox.base import (
    WORKSPACE,
    Backend,
    Limits,
    Sandbox,
    SandboxInfo,
    SandboxRequest,
    ShellRequest,
)
from sandbook.sandbox.scripts import keeper_argv, lease_path, pump_argv
from sandbook.sandbox.stream import ShellStream

Result = TypeVar("Result")

DEFAULT_HOST = "unix:///var/run/docker.sock"
ENGINE_TIMEOUT_S = 30
KEPT_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"]
"""What package managers need as root in the sandbox; everything else is dropped."""
STATES = {"created": "starting", "restarting": "starting", "running": "running", "paused": "paused"}


def _name(sandbox_id: str) -> str:
    return f"sandbook-{sandbox_id}"


class DockerBackend(Backend):
    """Starts, finds and removes one container per sandbox."""

    name: ClassVar[str] = "docker"
    isolation: ClassVar[str] = "container"

    image = Unicode(
        "sandbook/base",
        help="""Image of a new sandbox: any that has bash.
        The environment variable SANDBOOK_IMAGE sets it too.""",
    ).tag(config=True)
    memory_mb = Int(2048, min=64, help="Memory of a sandbox, in MiB; swap included.").tag(
        config=True
    )
    cpus = Float(2.0, min=0.01, help="How many CPUs a sandbox may keep busy.").tag(config=True)
    pids = Int(512, min=16, help="How many processes and threads a sandbox may have.").tag(
        config=True
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._api: Any = None

    async def check(self) -> None:
        """Ask the engine for a sign of life."""
        await self.call(lambda api: api.ping())

    async def create(self, request: SandboxRequest) -> Sandbox:
        """Create and start a container whose first process keeps the lease."""
        return await self.call(lambda api: self._create(api, request))

    async def find(self, sandbox_id: str) -> Sandbox:
        """Return a sandbox whose container runs."""
        filters = {"name": f"^/{_name(sandbox_id)}$", "status": "running"}
        with contextlib.suppress(BackendUnavailableError):
            for row in await self.call(lambda api: api.containers(filters=filters)):
                return DockerSandbox(self, self._info(row))
        raise SandboxNotFoundError(sandbox_id)

    async def list_all(self) -> list[SandboxInfo]:
        """Tell about all containers that this user has as sandboxes; none without an engine."""
        filters = {"label": ["sandbook.sandbox", f"sandbook.user={os.getuid()}"]}
        try:
            rows = await self.call(lambda api: api.containers(all=True, filters=filters))
        except BackendUnavailableError:
            return []
        return [self._info(row) for row in rows]

    async def remove(self, sandbox_id: str) -> None:
        """Kill the container and remove it with its anonymous volumes."""
        await self.call(lambda api: _remove(api, _name(sandbox_id)))

    def close(self) -> None:
        """Hang up on the engine."""
        if self._api is not None:
            self._api.close()
            self._api = None

    async def call(self, function: Callable[[Any], Result]) -> Result:
        """Call the engine in a thread: the one door to the blocking SDK.

        Raises:
            BackendUnavailableError: No engine answers.
        """
        return await asyncio.to_thread(self._call, function)

    def _call(self, function: Callable[[Any], Result]) -> Result:
        if self._api is None:
            self._knock()
        # Imported late: the SDK takes longer to import than bash takes to start.
        docker = importlib.import_module("docker")
        requests = importlib.import_module("requests")
        try:
            if self._api is None:
                self._api = docker.from_env(timeout=ENGINE_TIMEOUT_S).api
            return function(self._api)
        except (docker.errors.DockerException, requests.RequestException) as error:
            raise self._translated(error, docker.errors) from error

    def _knock(self) -> None:
        """Try the engine's socket, where it has one: no need of the SDK to see that it is dead."""
        scheme, _, path = os.environ.get("DOCKER_HOST", DEFAULT_HOST).partition("://")
        if scheme != "unix":
            return
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(ENGINE_TIMEOUT_S)
            try:
                probe.connect(path)
            except OSError as error:
                raise self._unavailable(f"{path}: {error.strerror}") from error

    def _unavailable(self, reason: str) -> BackendUnavailableError:
        message = f"No Docker engine answers ({reason}). Start one, or set DOCKER_HOST."
        return BackendUnavailableError(self.name, message)

    def _translated(self, error: Exception, errors: Any) -> Exception:
        if isinstance(error, errors.ImageNotFound):
            return ImageNotFoundError(self.image)
        if isinstance(error, errors.APIError):
            return SandboxStartError(f"The engine refused: {error}")
        return self._unavailable(str(error))

    def _create(self, api: Any, request: SandboxRequest) -> "DockerSandbox":
        name = _name(request.sandbox_id)
        created = api.create_container(
            image=self.image,
            name=name,
            entrypoint=keeper_argv(request.sandbox_id),
            command=[],
            user="0:0",
            hostname="sandbox",
            working_dir=WORKSPACE,
            labels=self._labels(request),
            host_config=api.create_host_config(
                auto_remove=True,
                binds=[f"{request.workspace}:{WORKSPACE}"],
                cap_add=KEPT_CAPABILITIES,
                cap_drop=["ALL"],
                init=True,
                mem_limit=f"{self.memory_mb}m",
                memswap_limit=f"{self.memory_mb}m",
                nano_cpus=int(self.cpus * 1e9),
                pids_limit=self.pids,
                security_opt=["no-new-privileges"],
            ),
        )
        try:
            api.start(created["Id"])
            (row,) = api.containers(all=True, filters={"id": created["Id"]})
        except Exception:
            _remove(api, created["Id"])
            raise
        return DockerSandbox(self, self._info(row))

    def _labels(self, request: SandboxRequest) -> dict[str, str]:
        return {
            "sandbook.sandbox": request.sandbox_id,
            "sandbook.user": str(os.getuid()),
            "sandbook.notebook": request.notebook,
            "sandbook.workspace": str(request.workspace),
            "sandbook.limits": json.dumps(asdict(Limits(self.memory_mb, self.cpus, self.pids))),
        }

    def _info(self, row: dict[str, Any]) -> SandboxInfo:
        labels: dict[str, str] = row["Labels"]
        return SandboxInfo(
            sandbox_id=labels["sandbook.sandbox"],
            backend=self.name,
            isolation=self.isolation,
            state=STATES.get(row["State"], "exited"),
            started_at=datetime.fromtimestamp(row["Created"], timezone.utc),
            image=row["Image"],
            notebook=labels.get("sandbook.notebook", ""),
            workspace=labels.get("sandbook.workspace", ""),
            limits=Limits(**json.loads(labels.get("sandbook.limits", "{}"))),
        )


def _remove(api: Any, container: str) -> None:
    """Remove a container; fine if it is gone, or about to be."""
    errors = importlib.import_module("docker.errors")
    try:
        api.remove_container(container, force=True, v=True)
    except errors.NotFound:
        pass
    except errors.APIError as error:
        if error.status_code != 409:  # noqa: PLR2004 -- Conflict: its removal is under way
            raise


class DockerSandbox(Sandbox):
    """A container, reached through its engine."""

    def __init__(self, backend: DockerBackend, info: SandboxInfo) -> None:
        super().__init__(info)
        self._backend = backend
        self._user = f"{os.getuid()}:{os.getgid()}"

    async def open_shell(self, request: ShellRequest) -> ShellStream:
        """Start a program on a new terminal, and beside it the pump for its commands."""
        pump, terminal = await asyncio.gather(
            self._connect(pump_argv(self.info.sandbox_id, request.control)),
            self._connect(
                list(request.argv),
                tty=True,
                workdir=request.cwd,
                environment=dict(request.environment),
            ),
        )

        def hang_up() -> None:
            for connection in (terminal, pump):
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()

        return ShellStream(terminal.fileno(), pump.fileno(), hang_up)

    async def release(self, grace_s: float) -> None:
        """Let go of the machine without removing it: it ends if nobody holds it again in time."""
        lease = lease_path(self.info.sandbox_id)
        argv = ["bash", "-c", f"echo 'grace {grace_s:.0f}' >'{lease}'"]
        (await self._connect(argv)).close()

    async def _connect(
        self, argv: list[str], *, tty: bool = False, **options: Any
    ) -> socket.socket:
        """Start a program in the container; give back the socket of its input and output."""
        return await self._backend.call(lambda api: self._exec(api, argv, tty=tty, **options))

    def _exec(self, api: Any, argv: list[str], *, tty: bool, **options: Any) -> socket.socket:
        name = _name(self.info.sandbox_id)
        made = api.exec_create(name, argv, stdin=True, tty=tty, user=self._user, **options)
        started = api.exec_start(made["Id"], socket=True, tty=tty)
        connection: socket.socket = started._sock  # noqa: SLF001 -- the SDK offers no other way
        # A copy of our own: the SDK closes what nobody refers to through it any more.
        copy = socket.socket(fileno=os.dup(connection.fileno()))
        started.close()
        connection.close()
        return copy
