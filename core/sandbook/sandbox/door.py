"""The one door to a Docker-compatible engine: every call goes through it, in a thread."""

import asyncio
import importlib
from collections.abc import Callable
from typing import Any, TypeVar

from sandbook.errors import BackendUnavailableError, SandboxStartError
from sandbook.sandbox.address import address_from_environment
from sandbook.sandbox.base import Backend
from sandbook.sandbox.engine import Engine, EngineError

Result = TypeVar("Result")

ENGINE_TIMEOUT_S = 60


class EngineBackend(Backend):
    """A backend that has an engine behind it. The only importer of the Docker SDK."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._engine: Engine | None = None
        self._sdk: Any = None

    def close(self) -> None:
        """Hang up on the engine."""
        if self._sdk is not None:
            self._sdk.close()
            self._sdk = None

    async def ask(self, function: Callable[[Engine], Result]) -> Result:
        """Ask the engine, in a thread.

        Raises:
            BackendUnavailableError: No engine answers.
            SandboxStartError: The engine refuses.
        """
        return await asyncio.to_thread(self._ask, function)

    async def call(self, function: Callable[[Any], Result]) -> Result:
        """Use the SDK, in a thread: for what the small client cannot do."""
        return await asyncio.to_thread(self._call, function)

    def _ask(self, function: Callable[[Engine], Result]) -> Result:
        try:
            if self._engine is None:
                self._engine = Engine(address_from_environment(), ENGINE_TIMEOUT_S)
            return function(self._engine)
        except EngineError as error:
            raise SandboxStartError(f"The engine refused: {error}") from error
        except OSError as error:
            raise self._unavailable(error) from error

    def _call(self, function: Callable[[Any], Result]) -> Result:
        # Imported late: the SDK takes longer to import than bash takes to start.
        docker = importlib.import_module("docker")
        errors, requests = docker.errors, importlib.import_module("requests")
        try:
            if self._sdk is None:
                self._sdk = self._sdk_client(docker)
            return function(self._sdk)
        except errors.APIError as error:
            raise SandboxStartError(f"The engine refused: {error.explanation}") from error
        except (OSError, errors.DockerException, requests.RequestException) as error:
            self._ask(lambda engine: engine.get("/_ping"))  # knows better words for it
            raise self._unavailable(error) from error

    def _sdk_client(self, docker: Any) -> Any:
        transport = importlib.import_module("sandbook.sandbox.transport")
        version = self._ask(lambda engine: engine.get("/version"))["ApiVersion"]
        client = docker.APIClient(
            base_url="tcp://engine:2375", version=version, timeout=ENGINE_TIMEOUT_S
        )
        client.trust_env = False  # a proxy is not for the engine
        client.mount(
            "http://", transport.EngineAdapter(address_from_environment(), ENGINE_TIMEOUT_S)
        )
        return client

    def _unavailable(self, error: Exception) -> BackendUnavailableError:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"No Docker engine answers ({reason}). Start one, or set DOCKER_HOST."
        return BackendUnavailableError(self.name, message)
