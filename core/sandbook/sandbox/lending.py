"""Our own Python, for sandboxes of processes whose system has none that could run IPython."""

import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

INSIDE = "/opt/sandbook"
"""Where a sandbox with a system of its own finds it: the path outside is nobody's business."""


@dataclass(frozen=True, slots=True)
class LentPython:
    """An interpreter, and a folder of packages that it does not look into by itself."""

    interpreter: str = ""
    packages: str = ""


def own_python() -> LentPython:
    """Give what we run with, as it is."""
    return LentPython(sys.executable)


def mounted_python() -> LentPython:
    """Give what we run with, as a sandbox sees it that has the mounts."""
    home = Path(sys.base_prefix) if _is_in_usr(sys.base_prefix) else Path(INSIDE, "python")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return LentPython(str(home / "bin" / version), f"{INSIDE}/packages")


def mounts() -> list[tuple[str, str]]:
    """Say which folders are to be shown, and where: only what is installed, nobody's home."""
    shown = [(sysconfig.get_path("purelib"), f"{INSIDE}/packages")]
    if not _is_in_usr(sys.base_prefix):
        shown.append((sys.base_prefix, f"{INSIDE}/python"))
    return shown


def _is_in_usr(path: str) -> bool:
    return Path(path).is_relative_to("/usr")
