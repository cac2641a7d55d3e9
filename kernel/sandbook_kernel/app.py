"""The kernel process: reads the configuration and puts the parts together."""

import os
from pathlib import Path
from typing import Any

from ipykernel.kernelapp import IPKernelApp
from jupyter_core.paths import jupyter_data_dir
from traitlets import Dict, Instance, Type, Unicode
from traitlets.config import Application

from sandbook.config import server_from_environment
from sandbook.configurables import CONFIGURABLES
from sandbook.executor import ActionExecutor
from sandbook.output import OutputPolicy
from sandbook.output_logs import LOGS
from sandbook.trajectory.journal import TRAJECTORIES, Journal, journal_path
from sandbook.trajectory.policy import TrajectoryPolicy
from sandbook_kernel.fork_port import without_fork_port
from sandbook_kernel.history import History
from sandbook_kernel.kernel import SandbookKernel
from sandbook_kernel.owner import make_executor, make_factory

CLOSE_S = 5


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
    # What this process itself prints is for the log. To catch it, ipykernel would wait for another
    # thread four times with every cell, which takes as long as all the rest.
    outstream_class = Unicode("")

    executor: Any = Instance(ActionExecutor, allow_none=True)
    kernel = Instance(SandbookKernel)

    def load_config_file(self, *_: Any, **__: Any) -> None:
        """Take no settings of IPython: they are not for this kernel."""

    def init_path(self) -> None:
        """Import nothing from the notebook's folder, as IPython would: the sandbox writes to it."""

    def init_iopub(self, context: Any) -> None:
        """Open no port for forked processes: anybody on this machine could write to it."""
        with without_fork_port():
            base: Any = super()
            base.init_iopub(context)

    def init_kernel(self) -> None:
        """Give the kernel its sandbox, unless that has begun to start already."""
        super().init_kernel()
        if not isinstance(self.executor, ActionExecutor):
            self.executor = make_executor(self.connection_file, make_factory(self.cli_config))
        self.kernel.executor = self.executor
        self.kernel.base_url = server_from_environment(os.environ, os.getppid())
        self.kernel.output_policy = OutputPolicy(config=self.executor.config)
        kept = Path(jupyter_data_dir(), "sandbook")
        self.kernel.history = History.open(kept / "history.sqlite")
        self.kernel.log_folder = kept / LOGS
        path = journal_path(kept / TRAJECTORIES, self.executor.sandbox_id)
        self.kernel.journal = Journal(path, TrajectoryPolicy(config=self.executor.config))

    def start(self) -> None:
        """Run until the kernel is shut down, and let the control thread finish then.

        It answers the request to shut down and flushes what was printed. Left alone, it does so
        when the thread that prints has ended: every third kernel would hang until it is killed.
        """
        super().start()
        if self.control_thread is not None and self.control_thread.is_alive():
            self.control_thread.stop()
            self.control_thread.join(CLOSE_S)
