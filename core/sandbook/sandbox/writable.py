"""Whether the user of a sandbox can write to its workspace, and what to do if not."""

import asyncio
import os
import pwd
import shlex
import stat
from pathlib import Path

from sandbook.sandbox.base import Sandbox

NOT_WRITABLE = (
    "Nothing can be written to the workspace, for {folder} belongs to {owner}: a sandbox of "
    "{backend} has the rights of {user} and of nobody else, not even as root. To write to it, run "
    "`chown -R {user} {quoted}` outside of the sandbox, or use docker: SANDBOOK_BACKEND=docker."
)


async def warn_unless_writable(sandbox: Sandbox) -> list[str]:
    """Say that the workspace cannot be written to, where that is so."""
    folder = Path(sandbox.info.workspace)
    try:
        found = await asyncio.to_thread(folder.stat)
    except OSError:  # it was removed; cells tell it themselves
        return []
    if found.st_uid == os.geteuid() and found.st_mode & stat.S_IWUSR:
        return []  # nearly always, and it costs nothing to know
    if (await sandbox.run("test", "-w", sandbox.workspace)).exit_code == 0:
        return []
    names = {
        "quoted": shlex.quote(str(folder)),
        "owner": _name(found.st_uid),
        "user": _name(os.geteuid()),
    }
    return [NOT_WRITABLE.format(folder=folder, backend=sandbox.info.backend, **names)]


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
