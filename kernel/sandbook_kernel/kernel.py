"""The kernel: Jupyter's requests in, actions in the sandbox, replies out."""

import asyncio
import signal
from typing import Any

from ipykernel.kernelbase import Kernel
from traitlets import Instance

import sandbook
from sandbook.actions import RunAction
from sandbook.errors import SandboxError
from sandbook.executor import ActionExecutor
from sandbook.sandbox.progress import Progress
from sandbook_kernel.cell import BashStep, Step, parse
from sandbook_kernel.display import progress_bar
from sandbook_kernel.magics import MAGICS, Context
from sandbook_kernel.publisher import Publisher, Send

Reply = dict[str, Any]

NOT_ISOLATED = "Sandbook: the local backend isolates nothing; cells run on this very machine.\n"


class SandbookKernel(Kernel):
    """Runs cells in the shell of one sandbox, which it owns."""

    implementation = "sandbook"
    implementation_version = sandbook.__version__
    banner = f"Sandbook {sandbook.__version__}: bash in a sandbox"
    language_info = {
        "name": "bash",
        "mimetype": "text/x-sh",
        "file_extension": ".sh",
        "codemirror_mode": "shell",
        "pygments_lexer": "bash",
    }

    executor = Instance(ActionExecutor)
    """Who owns the sandbox; the application sets it before the kernel starts."""

    @property
    def kernel_info(self) -> dict[str, Any]:
        """Describe this kernel; what ipykernel claims for Python kernels does not hold here."""
        base: Any = super()  # ipykernel tells little of its types
        described: dict[str, Any] = base.kernel_info
        banner = f"{self.banner} on {info.backend}" if (info := self.executor.info) else self.banner
        return {**described, "banner": banner, "supported_features": []}

    def start(self) -> None:
        """Begin to listen, and start the sandbox without waiting for it."""
        super().start()
        self._loop = asyncio.get_event_loop()
        self._interrupted = False
        self._warned = False
        self._publisher: Publisher | None = None
        self.executor.on_progress = self._on_progress
        self._early_start = self._loop.create_task(self._start_early())
        # Python's own answer to SIGINT would raise in the middle of the event loop and end it.
        signal.signal(signal.SIGINT, self._on_signal)

    async def _start_early(self) -> None:
        try:
            await self.executor.start()
        except SandboxError as error:
            self.log.warning("No sandbox yet: %s", error)  # the first cell says it to the user

    def _on_progress(self, progress: Progress) -> None:
        """Pass it on to the cell that waits. Called in another thread."""
        self._loop.call_soon_threadsafe(self._show_progress, progress)

    def _show_progress(self, progress: Progress) -> None:
        if self._publisher is not None:
            self._publisher.progress(progress_bar(progress))

    def pre_handler_hook(self) -> None:
        """Keep our own answer to SIGINT while a request is handled."""

    def post_handler_hook(self) -> None:
        """Keep our own answer to SIGINT after a request, too."""

    def _on_signal(self, *_: Any) -> None:
        self._send_interrupt_children()

    def _send_interrupt_children(self) -> None:
        """Interrupt the cell. Called by signal or, for an interrupt message, in another thread."""
        self._loop.call_soon_threadsafe(self._interrupt)

    def _interrupt(self) -> None:
        self._interrupted = True
        self._interrupting = self._loop.create_task(self.executor.interrupt())

    async def do_execute(
        self,
        code: str,
        silent: bool,  # noqa: FBT001
        store_history: bool = True,  # noqa: FBT001, FBT002, ARG002
        user_expressions: dict[str, str] | None = None,  # noqa: ARG002
        allow_stdin: bool = False,  # noqa: FBT001, FBT002, ARG002
        **_: Any,
    ) -> Reply:
        """Run one cell."""
        self._publisher = publisher = Publisher(self._sender(silent=silent))
        self._interrupted = False
        try:
            for step in parse(code, MAGICS):
                if failure := await self._run(step, publisher):
                    return self._reply("error", **failure)
        except SandboxError as error:
            name = type(error).__name__.removesuffix("Error")
            return self._reply("error", **publisher.error(name, str(error)))
        finally:
            self._publisher = None
        return self._reply("ok", payload=[], user_expressions={})

    async def _run(self, step: Step, publisher: Publisher) -> Reply | None:
        """Do one step; give back how it failed, if it did."""
        if isinstance(step, BashStep):
            return await self._act(RunAction(step.code), publisher)
        answer = await MAGICS[step.name].run(Context(self.executor), step)
        if isinstance(answer, RunAction):
            return await self._act(answer, publisher)
        if answer is not None:
            publisher.display(answer)
        return None

    async def _act(self, action: RunAction, publisher: Publisher) -> Reply | None:
        await self._warn_once(publisher)
        result = await self.executor.run(action, publisher.output)
        publisher.flush()
        if result.exit_code == 0:
            return None
        name = "Interrupted" if self._interrupted else "ExitStatus"
        return publisher.error(name, f"exit status {result.exit_code}")

    async def _warn_once(self, publisher: Publisher) -> None:
        """Say before the first command if nothing is isolated: it must never be a surprise."""
        if not self._warned:
            await self.executor.start()
            self._warned = True
            if self.executor.info and self.executor.info.isolation == "none":
                publisher.notice(NOT_ISOLATED)

    def _reply(self, status: str, **content: Any) -> Reply:
        return {"status": status, "execution_count": self.execution_count, **content}

    def _sender(self, *, silent: bool) -> Send:
        """Bind what is sent to the request that runs now: it is not known in callbacks."""
        kernel: Any = self
        parent = kernel.get_parent("shell")

        def send(kind: str, content: dict[str, Any]) -> None:
            if not silent:
                topic = kernel._topic(kind)  # noqa: SLF001 -- our own, seen through Any
                kernel.session.send(kernel.iopub_socket, kind, content, parent, ident=topic)

        return send

    async def do_shutdown(self, restart: bool) -> Reply:  # noqa: FBT001 -- ipykernel's signature
        """Give the sandbox back. Runs in the thread of the control channel."""
        closing = self.executor.close(restart=restart)
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(closing, self._loop))
        return {"status": "ok", "restart": restart}
