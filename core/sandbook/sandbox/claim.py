"""Who owns a sandbox: a locked file tells that its owner lives, whatever may end him."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from sandbook.errors import SandboxStartError
from sandbook.sandbox.runtime_folder import open_lock, runtime_folder

SUFFIX = ".owner"
FORGOTTEN_S = 7 * 24 * 3600
"""How long it is remembered that there was a sandbox whose owner was killed."""


class Claim:
    """Held by an owner as long as it lives; the file stays for the next owner after a restart."""

    def __init__(self, sandbox_id: str) -> None:
        self._name = sandbox_id + SUFFIX
        self._descriptor = -1
        with contextlib.suppress(SandboxStartError):  # then nobody can know, which does no harm
            self._descriptor = open_lock(self._name)
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        _forget_old()

    def release(self, *, forget: bool) -> None:
        """Let go, because the owner ends; `forget` it where no other follows."""
        if forget:
            (runtime_folder() / self._name).unlink(missing_ok=True)
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def had_owner(sandbox_id: str) -> bool:
    """Say whether there was such a sandbox, whose owner is expected to come back or was killed."""
    return (runtime_folder() / (sandbox_id + SUFFIX)).exists()


def has_owner(sandbox_id: str) -> bool:
    """Say whether the owner of a sandbox lives."""
    return had_owner(sandbox_id) and _is_locked(sandbox_id + SUFFIX)


def _is_locked(name: str) -> bool:
    descriptor = open_lock(name)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _forget_old() -> None:
    with contextlib.suppress(OSError, SandboxStartError):  # another owner does the same
        for path in _old():
            if not _is_locked(path.name):
                path.unlink(missing_ok=True)


def _old() -> Iterator[Path]:
    now = time.time()
    for path in runtime_folder().glob(f"*{SUFFIX}"):
        if now - path.stat().st_mtime > FORGOTTEN_S:
            yield path
