"""The extension: its settings, its services and its URLs."""

import os
import sys
from pathlib import Path

from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp
from traitlets import Bool
from traitlets.config import Config

from sandbook.agent_policy import AgentAccess
from sandbook.config import (
    CONFIG_VARIABLE,
    SERVER_VARIABLE,
    checked_config,
    config_from_environment,
    config_from_files,
    dump_config,
    dump_server,
)
from sandbook.configurables import CONFIGURABLES
from sandbook.errors import ConfigurationError
from sandbook.files.archive import ArchivePolicy
from sandbook.sandbox.factory import SandboxFactory
from sandbook_server.idling import Idling
from sandbook_server.kernel_launch import protect_kernels, unprotect_kernels
from sandbook_server.kernel_link import KernelLinks
from sandbook_server.keys import Keys
from sandbook_server.launch_folder import take_no_language_servers, take_no_templates
from sandbook_server.linked_folders import LinkSafeContentsManager
from sandbook_server.making import Maker
from sandbook_server.rates import Rates
from sandbook_server.routes import ROUTES
from sandbook_server.viewing import Viewer
from sandbook_server.workspaces import Workspaces

LINKS_FOLLOWED = (
    "Files are served by %s, as you have set it. A sandbox can put links into the folders it "
    "shares; if this class follows them, opening such a file shows or changes any file of this "
    "machine. See the help of SandbookApp.follow_links."
)


class SandbookApp(ExtensionApp):
    """Puts the parts together inside a Jupyter server."""

    name = "sandbook_server"
    extension_url = "/sandbook"
    load_other_extensions = True
    classes = list(CONFIGURABLES)

    follow_links = Bool(
        default_value=False,
        help="""Let Jupyter's file browser and editors follow links that lead out of the server's
        folder, and keep checkpoints beside the files, as without Sandbook. A sandbox can make such
        links in the folder it shares: a person who opens one then shows it any file of this
        machine, and one who saves changes that file. A `contents_manager_class` of one's own is
        left alone.""",
    ).tag(config=True)

    def _link_jupyter_server_extension(self, serverapp: ServerApp) -> None:
        """Choose who serves files, before the server makes it."""
        super()._link_jupyter_server_extension(serverapp)
        chosen = "contents_manager_class" in serverapp.config.get("ServerApp", {})
        if not chosen and not self.follow_links:
            serverapp.contents_manager_class = LinkSafeContentsManager
        take_no_templates(serverapp.config)

    def initialize_settings(self) -> None:
        """Make what the handlers share. A wrong setting stops the server, as its own ones do."""
        try:
            config = self._take_config()
        except ConfigurationError as error:
            self.log.critical("%s", error)
            sys.exit(1)
        protect_kernels(follow_links=self.follow_links)
        take_no_language_servers(self.settings.get("language_server_manager"))
        if not isinstance(self.settings["contents_manager"], LinkSafeContentsManager):
            self.log.warning(LINKS_FOLLOWED, type(self.settings["contents_manager"]).__name__)
        factory = SandboxFactory(parent=self, config=config)
        policy = ArchivePolicy(parent=self, config=config)
        self.settings["sandbook_factory"] = factory
        self.settings["sandbook_workspaces"] = Workspaces(factory, policy)
        self.settings["sandbook_viewer"] = Viewer()
        kernels = self.settings["kernel_manager"]
        keys = self.settings["sandbook_keys"] = Keys(kernels)
        maker = self.settings["sandbook_maker"] = Maker(kernels, keys, Path(kernels.root_dir))
        access = self.settings["sandbook_access"] = AgentAccess(parent=self, config=config)
        self.settings["sandbook_rates"] = Rates(access.requests_per_second)
        idling = self.settings["sandbook_idling"] = Idling(maker.remove, kernels)
        links = KernelLinks(kernels, self.settings["event_logger"])
        self.settings["sandbook_links"] = links
        maker.on_gone += [idling.forget, links.forget]

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
        base_url = self.serverapp.base_url if self.serverapp else ""
        self._hand_over(
            {CONFIG_VARIABLE: handed_over, SERVER_VARIABLE: dump_server(base_url, os.getpid())}
        )
        self.update_config(config)
        return config

    def _hand_over(self, variables: dict[str, str]) -> None:
        """Leave something for the kernels, and remember what stood there before."""
        self._inherited = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)

    async def stop_extension(self) -> None:
        """Hang up on the engine when the server stops, and take back what was left for kernels."""
        await self.settings["sandbook_links"].close()
        await self.settings["sandbook_idling"].close()
        await self.settings["sandbook_maker"].close()
        await self.settings["sandbook_workspaces"].close()
        self.settings["sandbook_factory"].close()
        unprotect_kernels()
        for name, value in self._inherited.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    def initialize_handlers(self) -> None:
        """Serve all our URLs."""
        self.handlers.extend(ROUTES)
