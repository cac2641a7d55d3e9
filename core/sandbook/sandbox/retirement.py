"""A program, not a module: ends the container of a kernel that is gone.

    python -m sandbook.sandbox.retirement SANDBOX LIFETIME <ORDER

The keeper of a sandbox runs it, in the environment of the kernel, where nobody holds the lease any
more: most often for nothing, since the container has ended with its own lease. What the sandbox
has left behind at the last moment is then moved aside, as the guard was ordered.
"""

import asyncio
import contextlib
import sys

from sandbook.errors import BackendUnavailableError, SandboxError
from sandbook.sandbox.container import container_name
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.guard import carry_out

TRIES, EVERY_S = 10, 3.0
"""An engine may be busy, or just start again."""


async def main(sandbox_id: str, lifetime: str) -> None:
    """Try until the engine has answered, and nothing is left."""
    backend = DockerBackend(lifetime=lifetime)
    for _ in range(TRIES):
        with contextlib.suppress(SandboxError):
            await backend.retire(sandbox_id)
            if await _is_done(backend, sandbox_id):
                break
        await asyncio.sleep(EVERY_S)
    backend.close()


async def _is_done(backend: DockerBackend, sandbox_id: str) -> bool:
    """Say whether nothing is left: a volume is in use while its container is on its way out."""
    path = f"/volumes/{container_name(sandbox_id)}"
    try:
        await backend.ask(lambda engine: engine.get(path))
    except BackendUnavailableError:
        return False
    except SandboxError:  # there is none
        return True
    return backend.lifetime != "kernel"


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
    carry_out(sys.stdin.buffer.read())
