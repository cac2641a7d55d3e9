"""Sandboxes that are containers of a Docker-compatible engine."""

import asyncio
import contextlib
import os
import threading
import time
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from traitlets import Bool, Enum, Int, List, TraitError, Unicode, validate

from sandbook.errors import (
    BackendUnavailableError,
    ImageNotFoundError,
    SandboxNotFoundError,
    SandboxStartError,
)
from sandbook.sandbox import limits, seccomp
from sandbook.sandbox.address import address_from_environment
from sandbook.sandbox.base import Sandbox, SandboxInfo, SandboxRequest
from sandbook.sandbox.container import (
    Settings,
    container_body,
    container_name,
    is_of_realm,
)
from sandbook.sandbox.docker_sandbox import NO_BASH, NO_SUCH_PROGRAM, DockerSandbox
from sandbook.sandbox.door import EngineBackend
from sandbook.sandbox.engine import Engine
from sandbook.sandbox.identity import Identity, UserName, identity_of
from sandbook.sandbox.images import DEFAULT_IMAGE, ensure_helper_image, ensure_image
from sandbook.sandbox.keeping import alone, info_of, keep, take_over
from sandbook.sandbox.lease import Lease
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.mounts import why_not_mounted
from sandbook.sandbox.naming import named, reserve
from sandbook.sandbox.network import isolate
from sandbook.sandbox.protection import numbers_of
from sandbook.sandbox.runtime_folder import realm
from sandbook.sandbox.survey import protection_of
from sandbook.sandbox.volumes import remove_unused, volume_labels, workspace_volume

ISOLATED = "isolated"


class DockerBackend(EngineBackend):
    """Starts, finds and removes one container per sandbox."""

    name: ClassVar[str] = "docker"
    isolation: ClassVar[str] = "container"

    image = Unicode(
        "sandbook/base",
        help="""Image of a new sandbox: any that has bash.
        The environment variable SANDBOOK_IMAGE sets it too.""",
    ).tag(config=True)
    memory_mb = limits.memory_mb()
    cpus = limits.cpus()
    pids = limits.pids()
    tmp_mb = limits.tmp_mb(share="half")
    shm_mb = limits.shm_mb()
    open_files = limits.open_files()
    disk_mb = Int(
        0,
        min=0,
        help="""How much a sandbox may write beside its workspace and /tmp, in MiB; 0 sets no limit.
        Only some storage drivers of the engine can do it; with others, sandboxes are refused.""",
    ).tag(config=True)
    read_only_root = Bool(
        default_value=False, help="Make everything read-only but the workspace, /tmp and /run."
    ).tag(config=True)
    network = Unicode(
        ISOLATED,
        help="""Network of a sandbox: `isolated` reaches the internet, but neither this machine nor
        other sandboxes; `none` has loopback only; any other word is the name of a network of the
        engine, with whatever that reaches. Where `isolated` cannot be had, sandboxes are
        refused.""",
    ).tag(config=True)
    lifetime = Enum(
        ["kernel", "keep"],
        "kernel",
        help="""How long a sandbox stays: `kernel`, as long as its kernel; `keep`, it stops then,
        and starts again for the same notebook, with all that was installed in it.""",
    ).tag(config=True)
    user = UserName(
        "",
        help="""Who cells run as: `root`, or the name that the person who started Jupyter has in the
        sandbox, with a home of that name; where that person is root, a user with number 1000, and
        the workspace becomes his. Files in the workspace belong to whoever made them. Empty is that
        person without a name of his own.""",
    ).tag(config=True)
    sudo = Bool(
        default_value=False,
        help="""Let the user become root in the sandbox by `sudo`, without a password. For that,
        programs may gain privileges there; the capabilities stay the same five. `sandbook serve
        --user NAME` sets it, as agents expect it.""",
    ).tag(config=True)
    workspace = Enum(
        ["auto", "bind", "volume"],
        "auto",
        help="""What the workspace is: `bind`, the notebook's folder; `volume`, a new volume of the
        engine that goes with the sandbox; `auto`, bind where the engine is on this machine.""",
    ).tag(config=True)
    mounts = List(
        Unicode(),
        help="""Further folders, as `SOURCE:TARGET` or `SOURCE:TARGET:ro`; the engine's own socket,
        and folders that hold it, are refused: it would give the sandbox the whole machine.""",
    ).tag(config=True)
    gpus = Unicode("", help="GPUs of a sandbox: `all`, or their numbers, as in `0,1`.").tag(
        config=True
    )
    runtime = Unicode(
        "", help="Runtime of the engine, such as `runsc` (gVisor); empty is its own default."
    ).tag(config=True)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._stop = threading.Event()
        self._isolating: dict[str, asyncio.Future[None]] = {}
        self._held: dict[tuple[str, datetime], list[int]] = {}
        self._volumes: dict[str, str] = {}

    @validate("mounts")
    def _check_mounts(self, proposal: Any) -> list[str]:
        for mount in proposal.value:
            if reason := why_not_mounted(mount):
                raise TraitError(f"DockerBackend.mounts refuses {mount!r}: {reason}")
        return proposal.value

    @validate("image", "network")
    def _check_name(self, proposal: Any) -> str:
        if not proposal.value.strip():
            raise TraitError(f"DockerBackend.{proposal.trait.name} must not be empty")
        return proposal.value

    async def check(self) -> None:
        """Ask the engine for a sign of life."""
        try:
            await self.ask(lambda engine: engine.get("/_ping"))
        except SandboxStartError as error:
            raise BackendUnavailableError(self.name, str(error)) from error

    async def create(self, request: SandboxRequest) -> Sandbox:
        """Create and start a container, and a keeper for it.

        An image that the engine does not have is built, if it is ours, or else pulled.
        """
        if self.network == ISOLATED and not await self._has_helper_image():
            await self.call(lambda api: ensure_helper_image(api, self.on_progress, self._stop))
        try:
            sandbox = await self.ask(lambda engine: self._create(engine, request))
        except ImageNotFoundError:
            await self.call(lambda api: ensure_image(api, self.image, self.on_progress, self._stop))
            sandbox = await self.ask(lambda engine: self._create(engine, request))
        await keep(sandbox.info, self.lifetime)
        if self.network == ISOLATED:
            # Until this is done the sandbox has no network at all, so a shell may open meanwhile.
            work = self._isolate(container_name(request.sandbox_id))
            sandbox.isolating = self._isolating[request.sandbox_id] = asyncio.ensure_future(work)
        return sandbox

    async def remove_unused(self) -> list[str]:
        """Remove what sandboxes whose kernels are gone have left; tell what."""
        return await self.ask(remove_unused)

    async def find(self, sandbox_id: str) -> Sandbox:
        """Return a sandbox whose container runs, or is paused."""
        with contextlib.suppress(BackendUnavailableError):
            for row in await self._rows({"name": [f"^/{container_name(sandbox_id)}$"]}):
                info = await self.ask(partial(info_of, row=row))
                if info.state in {"running", "paused"}:
                    return self._sandbox(info)
        raise SandboxNotFoundError(sandbox_id)

    async def list_all(self) -> list[SandboxInfo]:
        """Tell about all containers that this user has as sandboxes; none without an engine."""
        labels = ["sandbook.sandbox", f"sandbook.user={os.getuid()}"]
        try:
            rows = await self._rows({"label": labels})
            ours = [row for row in rows if is_of_realm(row, realm())]
            return await self.ask(lambda engine: [info_of(engine, row) for row in ours])
        except BackendUnavailableError:
            return []

    async def remove(self, sandbox_id: str) -> None:
        """Kill the container and remove it with its volumes."""
        await self.discard(sandbox_id)
        volume = self._volumes.pop(sandbox_id, container_name(sandbox_id))
        await self.ask(lambda engine: engine.remove_volume(volume))

    def limits_for(self, info: SandboxInfo) -> Limits:
        """Tell which limits a new sandbox would have in the place of this one."""
        return self._limits if info.limits != Limits() else info.limits

    async def discard(self, sandbox_id: str) -> None:
        """Remove a container; its volume is the workspace of the next one."""
        if isolating := self._isolating.pop(sandbox_id, None):
            isolating.cancel()
        name = container_name(sandbox_id)
        if volume := await self.ask(lambda engine: workspace_volume(engine, name)):
            self._volumes[sandbox_id] = volume
        await self.ask(lambda engine: engine.discard(name))
        Lease(sandbox_id).give_up()

    async def retire(self, sandbox_id: str) -> None:
        """Remove the container of a kernel that has ended, or stop it, if it is to be kept."""
        if self.lifetime == "kernel":
            await self.remove(sandbox_id)
            return
        path = f"/containers/{container_name(sandbox_id)}/stop"
        with contextlib.suppress(SandboxStartError):  # it is gone, then
            await self.ask(lambda engine: engine.post(path, t="2"))
        Lease(sandbox_id).give_up()

    def cancel(self) -> None:
        """Stop to wait for an image."""
        self._stop.set()

    async def _rows(self, filters: dict[str, list[str]]) -> list[dict[str, Any]]:
        return await self.ask(lambda api: api.get("/containers/json", all="1", filters=filters))

    def _sandbox(self, info: SandboxInfo) -> DockerSandbox:
        held = self._held.setdefault((info.sandbox_id, info.started_at), [])
        return DockerSandbox(info, _identity(info.user), self.ask, self.call, held)

    def _create(self, engine: Engine, request: SandboxRequest) -> DockerSandbox:
        name = container_name(request.sandbox_id)
        settings = self._settings(request, keep=self.lifetime == "keep" and bool(request.notebook))
        with alone() if settings.keep else contextlib.nullcontext():
            if not (settings.keep and take_over(engine, request, name)):
                reserve(engine, name, container_body(request, settings))
            try:
                engine.post(f"/containers/{name}/start")
                rows = named(engine, name)
            except BaseException:
                engine.discard(name)
                raise
        if not rows:
            raise SandboxStartError(f"The container of {self.image!r} ended as soon as it started.")
        return self._sandbox(info_of(engine, rows[0]))

    async def _has_helper_image(self) -> bool:
        """Ask only where the sandbox has another image: without its own, it does not start."""
        is_own = self.image == DEFAULT_IMAGE
        return is_own or await self.ask(lambda engine: engine.has_image(DEFAULT_IMAGE))

    async def _isolate(self, name: str) -> None:
        begun = int(time.time()) - 1
        try:
            await self.ask(lambda engine: isolate(engine, name, DEFAULT_IMAGE))
        except SandboxStartError as error:
            code = await self.ask(lambda engine: engine.exit_code(name, begun))
            await self.ask(lambda engine: engine.discard(name))
            if code in NO_SUCH_PROGRAM:
                raise SandboxStartError(NO_BASH.format(self.image)) from error
            raise

    @property
    def _limits(self) -> Limits:
        return Limits(self.memory_mb, self.cpus, self.pids)

    def _settings(self, request: SandboxRequest, *, keep: bool) -> Settings:
        volume = self._wants_volume()
        protection = protection_of(request.workspace, [] if volume else self.protected)
        return Settings(
            image=self.image,
            limits=self._limits,
            owner=os.getuid(),
            realm=realm(),
            identity=_identity(self.user),
            sudo=self.sudo,
            network="none" if self.network == ISOLATED else self.network,
            seccomp=seccomp.profile(),
            open_files=self.open_files,
            tmp_mb=min(self.tmp_mb, self.memory_mb // 2),
            shm_mb=min(self.shm_mb, self.memory_mb // 4),
            volume=volume,
            volume_name=self._volumes.get(request.sandbox_id, ""),
            volume_labels=volume_labels(),
            protection=protection,
            numbers={} if keep or volume else numbers_of(request.workspace, protection),
            keep=keep,
            max_life_s=self.max_life_s,
            disk_mb=self.disk_mb,
            read_only_root=self.read_only_root,
            runtime=self.runtime,
            gpus=self.gpus,
            mounts=list(self.mounts),
            environment=dict(self.environment),
        )

    def _wants_volume(self) -> bool:
        kind = self.workspace
        return kind == "volume" or (kind == "auto" and not address_from_environment().is_local)


def _identity(name: str) -> Identity:
    return identity_of(name, os.getuid(), os.getgid())
