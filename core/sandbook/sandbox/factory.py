"""Which backend makes the sandboxes: the one that was asked for, or the best that works here."""

import contextlib
import re
from typing import Any, ClassVar

from traitlets import Enum
from traitlets.config import LoggingConfigurable

from sandbook.errors import BackendUnavailableError, SandboxNotFoundError
from sandbook.sandbox.base import Backend, Sandbox, SandboxInfo
from sandbook.sandbox.bubblewrap import BubblewrapBackend
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.local import LocalBackend, is_container

SANDBOX_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
NOTHING_WORKS = """\
No sandbox can be made on this machine, so nothing was run.
Install one of these, then run the cell again:
  - a Docker engine   Debian/Ubuntu: sudo apt-get install docker.io
  - bubblewrap        Debian/Ubuntu: sudo apt-get install bubblewrap
To run without any isolation, on this very machine, set SANDBOOK_BACKEND=local.
What was tried:
{tried}"""


class SandboxFactory(LoggingConfigurable):
    """Chooses a backend. Isolation is never dropped silently: without any it is an error."""

    backend_classes: ClassVar[dict[str, type[Backend]]] = {
        "docker": DockerBackend,
        "bubblewrap": BubblewrapBackend,
        "local": LocalBackend,
    }

    backend = Enum(
        ["auto", *backend_classes],
        "auto",
        help="""What makes the sandboxes: `docker`, `bubblewrap`, `local` (no isolation), or `auto`:
        docker where an engine answers, else bubblewrap, else local only inside a container.
        The environment variable SANDBOOK_BACKEND sets it too.""",
    ).tag(config=True)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._backends: dict[str, Backend] = {}

    def of(self, name: str) -> Backend:
        """Return the backend of this name, always the same one."""
        if name not in self._backends:
            self._backends[name] = self.backend_classes[name](parent=self)
        return self._backends[name]

    async def choose(self) -> Backend:
        """Return the backend for new sandboxes, checked.

        Raises:
            BackendUnavailableError: None works; the message says what to install.
        """
        if self.backend != "auto":
            backend = self.of(self.backend)
            await backend.check()
            return backend
        tried: list[str] = []
        for backend in (self.of("docker"), self.of("bubblewrap")):
            try:
                await backend.check()
            except BackendUnavailableError as error:
                tried.append(f"  - {backend.name}: {error}")
            else:
                return backend
        if is_container():
            return self.of("local")
        raise BackendUnavailableError("auto", NOTHING_WORKS.format(tried="\n".join(tried)))

    def close(self) -> None:
        """Give back what the backends hold; sandboxes live on."""
        for backend in self._backends.values():
            backend.close()
        self._backends.clear()

    async def find(self, sandbox_id: str) -> Sandbox:
        """Return a sandbox that runs, whatever made it.

        Raises:
            SandboxNotFoundError: No backend knows it.
        """
        if not SANDBOX_ID.fullmatch(sandbox_id):  # an engine would take it for a pattern
            raise SandboxNotFoundError(sandbox_id)
        for name in self.backend_classes:
            with contextlib.suppress(SandboxNotFoundError):
                return await self.of(name).find(sandbox_id)
        raise SandboxNotFoundError(sandbox_id)

    async def list_all(self) -> list[SandboxInfo]:
        """Tell about all sandboxes of this user, whatever made them."""
        found: list[SandboxInfo] = []
        for name in self.backend_classes:
            found += await self.of(name).list_all()
        return sorted(found, key=lambda info: info.started_at)
