"""The kernel process: reads the configuration and puts the parts together."""

import os
from typing import Any

from ipykernel.kernelapp import IPKernelApp
from traitlets import Type

from sandbook.config import config_from_environment
from sandbook.sandbox.bubblewrap import BubblewrapBackend
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.factory import SandboxFactory
from sandbook_kernel.kernel import SandbookKernel


class SandbookKernelApp(IPKernelApp):
    """Runs one SandbookKernel."""

    name = "sandbook-kernel"
    kernel_class = Type(SandbookKernel, klass="ipykernel.kernelbase.Kernel")
    classes = [SandboxFactory, DockerBackend, BubblewrapBackend]

    def load_config_file(self, *_: Any, **__: Any) -> None:
        """Take our variables. Settings of IPython are not for this kernel."""
        self.update_config(config_from_environment(os.environ))

    def init_sockets(self) -> None:
        """Leave out the thread for subshells: one shell, one event loop."""
        super().init_sockets()
        self.shell_channel_thread = None
