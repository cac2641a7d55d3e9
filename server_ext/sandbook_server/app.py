"""The extension: its settings, its services and its URLs."""

import os
import sys

from jupyter_server.extension.application import ExtensionApp
from traitlets.config import Config

from sandbook.config import (
    CONFIG_VARIABLE,
    checked_config,
    config_from_environment,
    config_from_files,
    dump_config,
)
from sandbook.configurables import CONFIGURABLES
from sandbook.errors import ConfigurationError
from sandbook.sandbox.factory import SandboxFactory
from sandbook_server.handlers.sandboxes import SandboxesHandler


class SandbookApp(ExtensionApp):
    """Puts the parts together inside a Jupyter server."""

    name = "sandbook_server"
    extension_url = "/sandbook"
    load_other_extensions = True
    classes = list(CONFIGURABLES)

    def initialize_settings(self) -> None:
        """Make what the handlers share. A wrong setting stops the server, as its own ones do."""
        try:
            config = self._take_config()
        except ConfigurationError as error:
            self.log.critical("%s", error)
            sys.exit(1)
        self.settings["sandbook_factory"] = SandboxFactory(parent=self, config=config)

    def _take_config(self) -> Config:
        """Collect the settings of our classes, and leave them for the kernels on the way.

        Kernels inherit our environment. They read our variables themselves, and later: whoever
        starts one may give it others.
        """
        config = config_from_files(self.config_file_paths)
        config.merge(self.config)
        config = checked_config(config, CONFIGURABLES, self)
        handed_over = dump_config(config)
        config.merge(config_from_environment(os.environ))
        config = checked_config(config, CONFIGURABLES, self)
        self._inherited = os.environ.get(CONFIG_VARIABLE)
        os.environ[CONFIG_VARIABLE] = handed_over
        self.update_config(config)
        return config

    async def stop_extension(self) -> None:
        """Hang up on the engine when the server stops, and take back what was left for kernels."""
        self.settings["sandbook_factory"].close()
        os.environ.pop(CONFIG_VARIABLE, None)
        if self._inherited is not None:
            os.environ[CONFIG_VARIABLE] = self._inherited

    def initialize_handlers(self) -> None:
        """Name all our URLs, in one place."""
        self.handlers.extend([(r"/sandbook/sandboxes", SandboxesHandler)])
