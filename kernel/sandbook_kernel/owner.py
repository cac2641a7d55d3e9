"""Who owns the sandbox: made before Jupyter is imported, so that both start at the same time."""

import logging
import os
import uuid
from pathlib import Path
from typing import NoReturn

from jupyter_core.paths import jupyter_config_path
from traitlets.config import Config, LoggingConfigurable

from sandbook.config import (
    checked_config,
    config_from_environment,
    config_from_files,
    config_from_server,
)
from sandbook.configurables import CONFIGURABLES
from sandbook.errors import ConfigurationError
from sandbook.executor import ActionExecutor
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.factory import SandboxFactory


class RefusingFactory(SandboxFactory):
    """Stands in where the configuration is wrong: makes no sandbox, and every cell is told why."""

    def __init__(self, error: ConfigurationError) -> None:
        super().__init__()
        self._error = error

    async def choose(self) -> NoReturn:
        """Refuse.

        Raises:
            ConfigurationError: Always.
        """
        raise self._error


class _Log(LoggingConfigurable):
    """Says what is odd about the settings, on standard error: there is no application yet."""

    log = logging.getLogger("sandbook")


def make_factory(given: Config) -> SandboxFactory:
    """Take the settings of our classes from files, server, variables, and what is given here.

    A wrong one is no reason to die here, where nobody would see it: the first cell says it.
    """
    try:
        config = config_from_files(jupyter_config_path())
        config.merge(config_from_server(os.environ))
        config.merge(config_from_environment(os.environ))
        config.merge(given)
        return SandboxFactory(config=checked_config(config, CONFIGURABLES, _Log()))
    except ConfigurationError as error:
        return RefusingFactory(error)


def make_executor(connection_file: str, factory: SandboxFactory) -> ActionExecutor:
    """Make the one who owns the sandbox of the kernel with this connection file."""
    request = SandboxRequest(
        sandbox_id=sandbox_id_from(connection_file),
        workspace=Path.cwd(),
        notebook=os.environ.get("JPY_SESSION_NAME", ""),
    )
    return ActionExecutor(factory, request)


def sandbox_id_from(connection_file: str) -> str:
    """Take the kernel id from the file's name, where a server chose it; else derive one.

    A restarted kernel gets the same file, and must come back to the same sandbox.
    """
    path = Path(connection_file).absolute()
    if path.name.startswith("kernel-") and path.suffix == ".json":
        return path.stem.removeprefix("kernel-")
    return str(uuid.uuid5(uuid.NAMESPACE_URL, path.as_uri()))


def begin_early(arguments: list[str]) -> ActionExecutor | None:
    """Start the sandbox now, if the command line is the usual one and holds no settings."""
    match arguments:
        case ["-f", connection_file]:
            executor = make_executor(connection_file, make_factory(Config()))
            executor.start_early()
            return executor
        case _:
            return None
