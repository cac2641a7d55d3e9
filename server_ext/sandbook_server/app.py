"""The extension: its settings, its services and its URLs."""

import os

from jupyter_server.extension.application import ExtensionApp

from sandbook.config import config_from_environment
from sandbook.sandbox.bubblewrap import BubblewrapBackend
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.factory import SandboxFactory
from sandbook_server.handlers.sandboxes import SandboxesHandler


class SandbookApp(ExtensionApp):
    """Puts the parts together inside a Jupyter server."""

    name = "sandbook_server"
    extension_url = "/sandbook"
    load_other_extensions = True
    classes = [SandboxFactory, DockerBackend, BubblewrapBackend]

    def initialize_settings(self) -> None:
        """Make what the handlers share."""
        self.update_config(config_from_environment(os.environ))
        self.settings["sandbook_factory"] = SandboxFactory(parent=self)

    async def stop_extension(self) -> None:
        """Hang up on the engine when the server stops."""
        self.settings["sandbook_factory"].close()

    def initialize_handlers(self) -> None:
        """Name all our URLs, in one place."""
        self.handlers.extend([(r"/sandbook/sandboxes", SandboxesHandler)])
