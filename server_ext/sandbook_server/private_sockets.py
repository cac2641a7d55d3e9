"""Where our kernels are reached: sockets in a folder of this user, instead of TCP.

Every user of a machine can connect to its TCP ports. Messages to a kernel are signed, so nobody can
send any, but what a kernel publishes, code and outputs, is sent to whoever connects.
"""

import ipaddress
import shutil
import tempfile
from pathlib import Path
from typing import Any

from sandbook.sandbox.runtime_folder import ensure_private

MODULE = "sandbook_kernel"
LONGEST_FOLDER = 70
"""The name of a socket may have 107 bytes."""
SHORT_FOLDER = "/tmp"  # noqa: S108 -- the folder made in it is nobody else's


class PrivateSockets:
    """The sockets of one kernel. They keep their names when it is restarted."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def use(self, manager: Any) -> None:
        """Have a kernel of ours listen here, unless somebody has chosen how it is reached."""
        if self._folder is None and _is_ours(manager) and _is_default(manager):
            base = tempfile.gettempdir()
            base = base if len(base) <= LONGEST_FOLDER else SHORT_FOLDER
            self._folder = Path(tempfile.mkdtemp(prefix="sandbook-kernel-", dir=base))
            manager.transport, manager.ip = "ipc", str(self._folder / "socket")
        elif self._folder is not None:
            ensure_private(self._folder)

    def remove(self) -> None:
        """Remove them: the kernel has ended."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _is_ours(manager: Any) -> bool:
    return MODULE in manager.kernel_spec.argv


def _is_default(manager: Any) -> bool:
    """Say whether nobody has chosen ports, another machine's address or encryption."""
    encryption = getattr(manager, "transport_encryption", "disabled")
    is_free = manager.transport == "tcp" and not any(manager.ports) and encryption == "disabled"
    return is_free and _is_loopback(manager.ip)


def _is_loopback(ip: str) -> bool:
    try:
        return ipaddress.ip_address(ip).is_loopback
    except ValueError:
        return ip == "localhost"
