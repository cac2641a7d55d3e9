"""The kernel: Jupyter's requests in, actions in the sandbox, replies out."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ipykernel._version import kernel_protocol_version
from ipykernel.kernelbase import Kernel
from traitlets import Instance, Unicode

import sandbook
from sandbook.errors import SandboxError
from sandbook.executor import ActionExecutor
from sandbook.output import OutputPolicy
from sandbook.output_logs import log_address, log_name
from sandbook.sandbox.progress import Progress
from sandbook.trajectory.journal import Journal
from sandbook_kernel.completeness import completeness
from sandbook_kernel.completion import complete
from sandbook_kernel.display import progress_bar
from sandbook_kernel.execution import CellRequest, Execution
from sandbook_kernel.history import History
from sandbook_kernel.inspection import explain, page, word_at
from sandbook_kernel.publisher import Publisher, Request, Send, send_nothing
from sandbook_kernel.stdin import Stdin
from sandbook_kernel.trajectory.cells import CellRecord

if TYPE_CHECKING:
    from sandbook_kernel.agents import AgentDesk

Reply = dict[str, Any]
Result = TypeVar("Result")

SUBSHELLS = "kernel subshells"
HELP_LINKS = [{"text": "Bash manual", "url": "https://www.gnu.org/software/bash/manual/bash.html"}]


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
    """Who owns the sandbox; the application sets it before the kernel starts, as the next five."""
    output_policy = Instance(OutputPolicy)
    history = Instance(History)
    journal = Instance(Journal)
    log_folder = Instance(Path)
    base_url = Unicode()
    """Where the server is reached that has started this kernel; empty where none has."""

    _execute_sleep = 0
    control_msg_types = [*Kernel.control_msg_types, "action_request"]

    @property
    def kernel_info(self) -> dict[str, Any]:
        """Describe this kernel. Ipykernel would import a debugger to do it, which takes 0.1 s."""
        info, kernel = self.executor.info, cast("Any", self)
        banner = f"{self.banner} on {info.backend}" if info else self.banner
        return {
            "protocol_version": kernel_protocol_version,
            "implementation": self.implementation,
            "implementation_version": self.implementation_version,
            "language_info": self.language_info,
            "banner": banner,
            "help_links": HELP_LINKS,
            "supported_features": [SUBSHELLS] if kernel._supports_kernel_subshells else [],  # noqa: SLF001
        }

    def start(self) -> None:
        """Begin to listen, and start the sandbox without waiting for it."""
        self._loop = asyncio.get_event_loop()
        self._publisher: Publisher | None = None
        self._last_publisher: Publisher | None = None
        self._shown_ids: dict[str, str] = {}
        self._stdin = Stdin(self)
        self._execution = Execution(self.executor, self.base_url)
        self._agent_desk: AgentDesk | None = None
        self.executor.on_progress = self._on_progress
        self.executor.on_idle_output(self._on_idle_output)
        super().start()  # from here on, requests may come in another thread
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

    def _on_idle_output(self, data: bytes) -> None:
        """Show below the last cell what programs say that it has left in the background."""
        if self._last_publisher is not None:
            self._last_publisher.output(data)

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
        self._execution.interrupt()
        self._interrupting = self._loop.create_task(self.executor.interrupt())

    async def do_execute(
        self,
        code: str,
        silent: bool,  # noqa: FBT001
        store_history: bool = True,  # noqa: FBT001, FBT002
        user_expressions: dict[str, str] | None = None,
        allow_stdin: bool = False,  # noqa: FBT001, FBT002
        *,
        cell_id: str | None = None,
        **_: Any,
    ) -> Reply:
        """Run one cell; also in the thread of a subshell, which has a shell of its own."""
        kernel: Any = self
        parent, ident = kernel.get_parent("shell"), kernel._shell_parent_ident.get()  # noqa: SLF001
        if store_history and not silent:
            # Its writer waits in the main loop: that of a subshell may end before it writes.
            self._loop.call_soon_threadsafe(self.history.add, self.execution_count, code)
        record = None if silent else CellRecord(self.journal, code)
        publisher = self._publisher_for(parent, cell_id or "", record)
        subshell = parent["header"].get("subshell_id") or ""

        async def ask(prompt: str, *, password: bool) -> str:
            return await self._stdin.ask(prompt, ident, parent, password=password)

        request = CellRequest(
            code, publisher, ask if allow_stdin else None, subshell, user_expressions or {}
        )
        reply = await self._on_main_loop(self._execute(request, silent=silent))
        if record is not None:
            record.end(reply)
        if not (store_history or silent):
            kernel.execution_count -= 1  # the next cell has this number, as nobody remembers it
        return reply

    async def _execute(self, request: CellRequest, *, silent: bool) -> Reply:
        self._publisher = request.publisher
        if not silent and not request.session:
            self._last_publisher = request.publisher
        try:
            content = await page(self.executor, request.code) or await self._execution.run(request)
        finally:
            self._publisher = None
        return {"execution_count": self.execution_count, **content}

    def finish_metadata(
        self, parent: Any, metadata: dict[str, Any], reply_content: Reply
    ) -> dict[str, Any]:
        """Move what we tell of the command from the reply to where it belongs."""
        base: Any = super()
        finished: dict[str, Any] = base.finish_metadata(parent, metadata, reply_content)
        if facts := reply_content.pop("sandbook", None):
            finished["sandbook"] = facts
        return finished

    def _publisher_for(self, parent: Any, cell_id: str, record: CellRecord | None) -> Publisher:
        sandbox_id, count = self.executor.sandbox_id, self.execution_count
        name, link = log_name(sandbox_id, count), log_address(self.base_url, sandbox_id, count)
        request = Request(name, self.log_folder, link, count, cell_id)
        send = record.heard(self._sender(parent)) if record else send_nothing
        return Publisher(send, self.output_policy, request, self._shown_ids)

    def _sender(self, parent: Any) -> Send:
        """Bind what is sent to one request: it is not known in callbacks."""
        kernel: Any = self

        def send(kind: str, content: dict[str, Any]) -> None:
            topic = kernel._topic(kind)  # noqa: SLF001 -- our own, seen through Any
            kernel.session.send(kernel.iopub_socket, kind, content, parent, ident=topic)

        return send

    async def _on_main_loop(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Do something where the shells live; subshells and the control channel have threads."""
        if threading.current_thread() is threading.main_thread():
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def delete_subshell_request(self, socket: Any, ident: Any, parent: Any) -> None:
        """End the shell of a subshell with it, and what runs there. Called in the same thread."""
        if name := parent["content"].get("subshell_id"):
            self._loop.call_soon_threadsafe(self.executor.close_shell, name)
        base: Any = super()
        await base.delete_subshell_request(socket, ident, parent)

    async def action_request(self, stream: Any, ident: Any, parent: Any) -> None:
        """Take what an agent asks for. Called in the thread of the control channel."""
        control = asyncio.get_running_loop()
        kernel: Any = self

        def reply(content: dict[str, Any]) -> None:
            send = kernel.session.send
            control.call_soon_threadsafe(send, stream, "action_reply", content, parent, ident)

        publish = self._sender(parent)
        self._loop.call_soon_threadsafe(self._act, parent["content"], publish, reply)

    def _publish_status(self, status: str, channel: str, parent: Any = None) -> None:
        """Say nothing of agents: their `idle` would hide from servers that a cell is running."""
        kernel: Any = super()
        request = parent or kernel.get_parent(channel)
        if channel != "control" or request["header"].get("msg_type") != "action_request":
            kernel._publish_status(status, channel, parent)  # noqa: SLF001 -- our own

    def _act(self, content: dict[str, Any], publish: Send, reply: Callable[[Reply], None]) -> None:
        if self._agent_desk is None:
            # Imported late: most kernels never meet an agent.
            from sandbook_kernel.agents import make_desk  # noqa: PLC0415

            self._agent_desk = make_desk(self.executor, self._execution.python, self.journal)
        self._agent_desk.take(content, publish, reply)

    async def do_complete(self, code: str, cursor_pos: int) -> Reply:
        """Find what could stand at the cursor."""

        async def find() -> tuple[list[str], int]:
            completion = await complete(self.executor, code, cursor_pos)
            return completion.matches, completion.start

        try:
            matches, start = await self._on_main_loop(find())
        except SandboxError:
            matches, start = [], cursor_pos
        where = {"cursor_start": start, "cursor_end": cursor_pos}
        return {"status": "ok", "matches": matches, **where, "metadata": {}}

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
    ) -> Reply:
        """Tell what the word at the cursor is."""
        del omit_sections

        async def find() -> str:
            word = word_at(code, cursor_pos)
            return await explain(await self.executor.start(), word, whole=detail_level > 0)

        try:
            told = await self._on_main_loop(find())
        except SandboxError:
            told = ""
        data = {"text/plain": told} if told else {}
        return {"status": "ok", "found": bool(told), "data": data, "metadata": {}}

    async def do_is_complete(self, code: str) -> Reply:
        """Tell whether a console should run the code now, or let the person go on."""
        return await self._on_main_loop(completeness(self.executor, code))

    async def do_history(  # pyright: ignore[reportIncompatibleMethodOverride] -- called by name
        self,
        hist_access_type: str,
        output: bool,  # noqa: FBT001
        raw: bool,  # noqa: FBT001
        **of: Any,
    ) -> Reply:
        """Tell what was run, also before the last restart."""
        found = await self.history.find(hist_access_type, of, output=output, raw=raw)
        return {"status": "ok", "history": found}

    async def _close(self, *, restart: bool) -> None:
        await self._execution.close()
        await self.executor.close(restart=restart)

    async def do_shutdown(self, restart: bool) -> Reply:  # noqa: FBT001 -- ipykernel's signature
        """Give the sandbox back. Runs in the thread of the control channel."""
        await self._on_main_loop(self._close(restart=restart))
        self.history.close()
        self.journal.close()
        return {"status": "ok", "restart": restart}
