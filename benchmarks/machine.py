"""What was measured on, and with which versions."""

import os
import platform
import re
import subprocess
from importlib.metadata import version

from sandbook.sandbox.address import address_from_environment
from sandbook.sandbox.engine import Engine, EngineError

OURS = ("sandbook", "ipykernel", "jupyter_client", "pyzmq")


def describe(peers: dict[str, str]) -> dict[str, object]:
    """Tell of the machine, of us and of the peers."""
    return {
        "cpus": len(os.sched_getaffinity(0)),
        "system": _system(),
        "versions": {
            "Python": platform.python_version(),
            **{name: version(name) for name in OURS},
            "bash": _first_version("bash", "--version"),
            "bubblewrap": _first_version("bwrap", "--version"),
            "Docker engine": _engine(),
        },
        "peers": peers,
    }


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, Linux {platform.release()}, {platform.machine()}"


def _first_version(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "none"
    found = re.search(r"\d+(\.\d+)+", done.stdout)
    return found[0] if found else "unknown"


def _engine() -> str:
    try:
        return Engine(address_from_environment(), timeout_s=5).get("/version")["Version"]
    except (OSError, EngineError, KeyError):
        return "none"
