"""Sandboxes without a kernel, for what is measured below the kernel."""

import asyncio
import uuid
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.runner import Failure
from sandbook.errors import SandboxError
from sandbook.sandbox.base import Backend, SandboxRequest
from sandbook.sandbox.factory import SandboxFactory
from sandbook.session.bash import BashSession

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Held:
    """One sandbox with one session, and the event loop that both belong to."""

    sandbox_id: str
    session: BashSession
    loop: asyncio.AbstractEventLoop

    def wait_for(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run something to its end in the event loop, which otherwise stands still."""
        return self.loop.run_until_complete(work)


@contextmanager
def held_sandbox(backend_name: str, workspace: Path) -> Iterator[Held]:
    """Make a sandbox and a session, and remove them afterwards.

    Raises:
        Failure: This machine has no such sandboxes.
    """
    loop = asyncio.new_event_loop()
    factory = SandboxFactory(backend=backend_name)
    sandbox_id = str(uuid.uuid4())
    backend: Backend | None = None
    session: BashSession | None = None
    try:
        backend = loop.run_until_complete(factory.choose())
        session = loop.run_until_complete(_open(backend, sandbox_id, workspace))
        yield Held(sandbox_id, session, loop)
    except SandboxError as error:
        raise Failure(str(error).splitlines()[0][:100]) from error
    finally:
        loop.run_until_complete(_give_back(backend, sandbox_id, session))
        factory.close()
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


async def _open(backend: Backend, sandbox_id: str, workspace: Path) -> BashSession:
    session = BashSession(await backend.create(SandboxRequest(sandbox_id, workspace)))
    await session.start()
    return session


async def _give_back(backend: Backend | None, sandbox_id: str, session: BashSession | None) -> None:
    if session is not None:
        session.close()
    if backend is not None:
        await backend.remove(sandbox_id)
