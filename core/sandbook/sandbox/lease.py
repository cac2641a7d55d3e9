"""The lease of a sandbox: a sandbox lives as long as somebody holds its lease.

The lease is a FIFO in the folder of this user, held by having it open for writing. The system
closes it for a holder that dies, whatever killed it. The keeper at the other end (`keeper.sh`) is a
process of this machine that no sandbox can reach, so nothing inside can outlive the last holder.
"""

import asyncio
import contextlib
import os
import stat
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from sandbook.errors import SandboxStartError
from sandbook.sandbox.runtime_folder import ensure_private, is_private, runtime_folder
from sandbook.sandbox.scripts import keeper_argv

NO_LEASE = (
    "Cannot make the named pipe {}. Set JUPYTER_RUNTIME_DIR to a folder of a local file system."
)
NO_KEEPER = "The sandbox did not let us in: its keeper is gone."


class Lease:
    """What one process knows of the lease of a sandbox: held by it, or not."""

    def __init__(self, sandbox_id: str) -> None:
        self.path = runtime_folder() / f"{sandbox_id}.lease"
        self._held: int | None = None

    async def keep(
        self,
        program: Sequence[str],
        *,
        groups: Sequence[Path] = (),
        last: Sequence[str] = (),
        order: int = DEVNULL,
        errors: IO[bytes] | int = DEVNULL,
        pass_fds: Sequence[int] = (),
        **options: int | str,
    ) -> int:
        """Start a keeper, and with it the program; give back the process number of the keeper.

        When nobody holds the lease and the program was ended for that, the keeper runs `last`, with
        `order` as its input.

        It outlives us: a kernel that ends takes its children along, and a restart must not end the
        sandbox.

        Raises:
            SandboxStartError: The lease cannot be made.
        """
        ensure_private(self.path.parent)
        process = await asyncio.create_subprocess_exec(
            *keeper_argv(str(self.path), program, groups, last, **options),
            stdin=order,
            stdout=PIPE,
            stderr=errors,
            pass_fds=pass_fds,
            cwd="/",
            start_new_session=True,
        )
        told, _ = await process.communicate()
        if not told:
            raise SandboxStartError(NO_LEASE.format(self.path))
        return int(told)

    @property
    def is_kept(self) -> bool:
        """Say whether a keeper waits."""
        with contextlib.suppress(SandboxStartError):
            os.close(self._open())
            return True
        return False

    def hold(self) -> None:
        """Take the lease, once.

        Raises:
            SandboxStartError: Nobody keeps the sandbox.
        """
        if self._held is None:
            held = self._open()
            try:
                os.write(held, b"hold\n")
            except OSError as error:
                os.close(held)
                raise SandboxStartError(NO_KEEPER) from error
            self._held = held

    def release(self, grace_s: float) -> None:
        """Let go; the sandbox ends if nobody takes the lease again in time."""
        held, self._held = self._held, None
        if held is not None:
            with contextlib.suppress(OSError):  # the keeper is gone
                os.write(held, b"grace %d\n" % grace_s)
            os.close(held)

    def give_up(self) -> None:
        """Tell the keeper, if there is one, that the sandbox has ended."""
        with contextlib.suppress(SandboxStartError, OSError):
            descriptor = self._open()
            try:
                os.write(descriptor, b"over\n")
            finally:
                os.close(descriptor)

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        if not is_private(self.path.parent):
            raise SandboxStartError(NO_KEEPER)
        try:
            descriptor = os.open(self.path, flags)
        except OSError as error:  # there is none, or nobody reads it
            raise SandboxStartError(NO_KEEPER) from error
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise SandboxStartError(NO_KEEPER)
        return descriptor
