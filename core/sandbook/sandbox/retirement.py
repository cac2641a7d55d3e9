"""A program, not a module: ends the container of a kernel that is gone.

    python -m sandbook.sandbox.retirement SANDBOX LIFETIME

The keeper of a sandbox runs it, in the environment of the kernel, where nobody holds the lease any
more: most often for nothing, since the container has ended with its own lease.
"""

import asyncio
import sys

from sandbook.errors import SandboxError
from sandbook.sandbox.docker import DockerBackend

TRIES, EVERY_S = 10, 3.0
"""An engine may be busy, or just start again."""


async def main(sandbox_id: str, lifetime: str) -> None:
    """Try until the engine has answered."""
    backend = DockerBackend(lifetime=lifetime)
    for _ in range(TRIES):
        try:
            await backend.retire(sandbox_id)
        except SandboxError:
            await asyncio.sleep(EVERY_S)
        else:
            break
    backend.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
