"""Makes sandboxes for agents: each belongs to a kernel of its own, with settings of its own."""

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from sandbook.errors import InvalidRequestError, SandboxNotFoundError
from sandbook.settings import variables_from
from sandbook_server.keys import Keys

KERNEL = "sandbook"
LIMITS = ("memory_mb", "cpus", "pids")
VOLUME = "volume"
LONGEST_S = 10 * 365 * 86_400
LOOK_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants a sandbox to be."""

    image: str | None = None
    backend: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    workspace: str = VOLUME
    """`volume` is a place of its own, which goes with the sandbox; else a folder of the server."""
    no_change_timeout_s: float | None = None
    user: str | None = None
    """Who its programs run as: `root`, or any other name."""
    sudo: bool | None = None
    timeout: float | None = None
    """After how many seconds without an action it ends; 0 is never."""
    key: str = ""
    """The key that it is to have; a new one if there is none."""


_TYPES: dict[str, type | tuple[type, ...]] = {
    "image": (str, type(None)),
    "backend": (str, type(None)),
    "env": dict,
    "limits": dict,
    "workspace": str,
    "no_change_timeout_s": (int, float, type(None)),
    "user": (str, type(None)),
    "sudo": (bool, type(None)),
    "timeout": (int, float, type(None)),
    "key": str,
}


def wish_from(body: object) -> Wish:
    """Read a wish from JSON.

    Raises:
        InvalidRequestError: It is none; the message says what is wrong with it.
    """
    if not isinstance(body, dict):
        raise InvalidRequestError("The body must be a JSON object.")
    given = cast("dict[str, Any]", body)
    for key, value in given.items():
        if key not in _TYPES:
            raise InvalidRequestError(f"There is no {key!r}; there are {', '.join(_TYPES)}.")
        if not isinstance(value, _TYPES[key]):
            raise InvalidRequestError(f"{key!r} has the wrong type.")
    wish = Wish(**given)
    _check_values(wish)
    return wish


def _check_values(wish: Wish) -> None:
    for name in wish.limits:
        if name not in LIMITS:
            raise InvalidRequestError(f"There is no limit {name!r}; there are {', '.join(LIMITS)}.")
    if not all(isinstance(text, str) for pair in wish.env.items() for text in pair):
        raise InvalidRequestError("'env' must hold texts.")
    if wish.timeout is not None and not 0 <= wish.timeout <= LONGEST_S:
        raise InvalidRequestError("'timeout' must be a number of seconds, 0 or more.")


class Maker:
    """Starts kernels for sandboxes, and ends them."""

    def __init__(self, kernels: Any, keys: Keys, root: Path) -> None:
        self._kernels = kernels
        self._keys = keys
        self._root = root
        self._made: dict[str, Path | None] = {}
        """The sandboxes from here, each with the folder that goes with it."""
        self._watching: asyncio.Task[None] | None = None
        self.on_gone: list[Callable[[str], None]] = [keys.drop]
        """Is called with the id of each sandbox from here that has ended, whoever ended it."""

    async def make(self, wish: Wish) -> str:
        """Start a kernel whose sandbox is as wished; give back the id of both.

        Raises:
            InvalidRequestError: Such a sandbox cannot be.
        """
        settings: dict[str, Any] = {"image": wish.image, **wish.limits}
        settings["no_change_timeout_s"] = wish.no_change_timeout_s
        settings["user"], settings["sudo"] = wish.user, wish.sudo
        if wish.env:
            settings["environment"] = dict(wish.env)
        if wish.workspace == VOLUME and wish.backend in {None, "auto", "docker"}:
            settings["workspace"] = VOLUME
        variables = variables_from(wish.backend, settings)
        environment = {**os.environ, **variables}
        async with self._folder(wish.workspace) as folder:
            kernel_id: str = await self._kernels.start_kernel(
                kernel_name=KERNEL, cwd=str(folder), env=environment
            )
        self._made[kernel_id] = folder if wish.workspace == VOLUME else None
        self._watching = self._watching or asyncio.ensure_future(self._watch())
        self._keys.give(kernel_id, wish.key)
        return kernel_id

    async def remove(self, sandbox_id: str) -> None:
        """End a kernel, and its sandbox with it.

        Raises:
            SandboxNotFoundError: There is no such kernel.
        """
        if sandbox_id not in self._kernels:
            raise SandboxNotFoundError(sandbox_id)
        await self._kernels.shutdown_kernel(sandbox_id)
        await self._forget(sandbox_id)

    async def close(self) -> None:
        """Remove the folders that were made here."""
        if self._watching:
            self._watching.cancel()
        for sandbox_id in list(self._made):
            await self._forget(sandbox_id)

    async def _watch(self) -> None:
        """Forget the sandboxes whose kernels have ended: their kernels can be ended by anybody."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for sandbox_id in [each for each in self._made if each not in self._kernels]:
                await self._forget(sandbox_id)

    async def _forget(self, sandbox_id: str) -> None:
        for tell in self.on_gone:
            tell(sandbox_id)
        if folder := self._made.pop(sandbox_id, None):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    @contextlib.asynccontextmanager
    async def _folder(self, workspace: str) -> AsyncGenerator[Path, None]:
        """Give the folder of a workspace; one that was made for it goes if there is a failure."""
        if workspace != VOLUME:
            yield await asyncio.to_thread(self._existing_folder, workspace)
            return
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="sandbook-"))
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)  # has hardly anything in it
            raise

    def _existing_folder(self, workspace: str) -> Path:
        folder = (self._root / workspace).resolve()
        if not folder.is_relative_to(self._root.resolve()):
            raise InvalidRequestError("The workspace must be a folder below that of the server.")
        if not folder.is_dir():
            raise InvalidRequestError(f"There is no folder {workspace!r}.")
        return folder
