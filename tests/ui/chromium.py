"""Chromium that does not notice when the network of this machine changes.

It drops its connections (ERR_NETWORK_CHANGED) whenever an interface comes or goes, as with every
container on this machine. It goes on without notice where the kernel gives it no netlink socket.
"""

import os
import platform
import shutil
import struct
import sys
from socket import AF_NETLINK

from sandbook.sandbox.enter import PR_SET_NO_NEW_PRIVS, libc, refuse_calls

SOCKET = {"x86_64": 41, "aarch64": 198}[platform.machine()]
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
CALL, FIRST_ARGUMENT = 0, 16
ALLOW, REFUSE = 0x7FFF0000, 0x00050001
FILTER = (
    (LOAD, 0, 0, CALL),
    (IF_EQUAL, 0, 3, SOCKET),
    (LOAD, 0, 0, FIRST_ARGUMENT),
    (IF_EQUAL, 0, 1, AF_NETLINK),
    (RETURN, 0, 0, REFUSE),
    (RETURN, 0, 0, ALLOW),
)


if __name__ == "__main__":
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    refuse_calls(b"".join(struct.pack("HBBI", *line) for line in FILTER))
    os.execv(shutil.which("chromium"), ["chromium", *sys.argv[1:]])  # noqa: S606
