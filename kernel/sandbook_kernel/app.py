"""The kernel process: reads the configuration and puts the parts together."""

from typing import Any

from ipykernel.kernelapp import IPKernelApp
from traitlets import Dict, Instance, Type
from traitlets.config import Application

from sandbook.configurables import CONFIGURABLES
from sandbook.executor import ActionExecutor
from sandbook_kernel.kernel import SandbookKernel
from sandbook_kernel.owner import make_executor, make_factory


class SandbookKernelApp(IPKernelApp):
    """Runs one SandbookKernel."""

    name = "sandbook-kernel"
    description = "The kernel of Sandbook: every notebook gets its own sandbox."
    kernel_class = Type(SandbookKernel, klass="ipykernel.kernelbase.Kernel")
    classes = list(CONFIGURABLES)
    # Those of IPython set what this kernel does not have.
    aliases = Dict({**Application.aliases, "f": "IPKernelApp.connection_file"})
    flags = Dict(Application.flags)
    subcommands: dict[str, Any] = {}

    executor: Any = Instance(ActionExecutor, allow_none=True)
    kernel = Instance(SandbookKernel)

    def load_config_file(self, *_: Any, **__: Any) -> None:
        """Take no settings of IPython: they are not for this kernel."""

    def init_kernel(self) -> None:
        """Give the kernel its sandbox, unless that has begun to start already."""
        super().init_kernel()
        if not isinstance(self.executor, ActionExecutor):
            self.executor = make_executor(self.connection_file, make_factory(self.cli_config))
        self.kernel.executor = self.executor

    def init_sockets(self) -> None:
        """Leave out the thread for subshells: one shell, one event loop."""
        super().init_sockets()
        self.shell_channel_thread = None
