"""GET /sandbook/<kernel_id>/alive and server_info: whether an agent can begin; how busy we are."""

import json
import time

import psutil
from jupyter_server.auth.decorator import allow_unauthenticated, authorized
from tornado import web

from sandbook.errors import SandboxNotFoundError
from sandbook_server.handlers.base import AUTH_RESOURCE
from sandbook_server.handlers.openhands import OpenHandsHandler
from sandbook_server.kernel_link import KernelLinks

STARTED = time.time()


class AliveHandler(OpenHandsHandler):
    """Says whether there is a kernel that would take an action; also to probes without a key."""

    _track_activity = False

    @allow_unauthenticated
    def get(self, kernel_id: str) -> None:
        """Answer a word."""
        if kernel_id not in self.settings["kernel_manager"]:
            raise SandboxNotFoundError(kernel_id) if self.current_user else web.HTTPError(404)
        self.finish(json.dumps({"status": "ok"}))


class ServerInfoHandler(OpenHandsHandler):
    """Says how long we run, and what we use."""

    _track_activity = False

    @web.authenticated
    @authorized("read", AUTH_RESOURCE)
    async def get(self, kernel_id: str) -> None:
        """Answer the numbers of this server; those of a sandbox are elsewhere."""
        links: KernelLinks = self.settings["sandbook_links"]
        link = await links.to(kernel_id)
        now = time.time()
        process = psutil.Process()
        with process.oneshot():
            memory = process.memory_info()
            resources = {
                "cpu_percent": process.cpu_percent(),
                "memory": {
                    "rss": memory.rss,
                    "vms": memory.vms,
                    "percent": process.memory_percent(),
                },
                "disk": psutil.disk_usage("/")._asdict(),
                "io": _io(process),
            }
        told = {"uptime": now - STARTED, "idle_time": now - (link.used_at or STARTED)}
        self.finish(json.dumps({**told, "resources": resources}))


def _io(process: psutil.Process) -> dict[str, int]:
    try:
        counted = process.io_counters()
    except (psutil.Error, OSError):
        return {"read_bytes": 0, "write_bytes": 0}
    return {"read_bytes": counted.read_bytes, "write_bytes": counted.write_bytes}
