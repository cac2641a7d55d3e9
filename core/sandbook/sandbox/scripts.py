"""The shell side of sandboxes: scripts that run inside them, kept as files beside this one."""

from functools import cache
from importlib.resources import files

FIRST_HOLDER_S = 30
"""How long a new sandbox waits for its first holder: a loaded engine may need a while."""
GRACE_S = 6
"""How long a sandbox waits for the next holder when one vanished, for example by SIGKILL."""
MARKER = "SANDBOOK_SANDBOX"
"""The variable that tells which sandbox a process belongs to."""


def keeper_argv(directory: str, **options: int | str) -> list[str]:
    """Give the command line of a sandbox's first process; `keeper.sh` tells its options."""
    given: dict[str, int | str] = {"first": FIRST_HOLDER_S, "grace": GRACE_S, **options}
    words = [f"{name}={value}" for name, value in given.items()]
    script = read_script("sandbook.sandbox", "keeper.sh")
    return ["bash", "-c", script, "sandbook", directory, *words]


def pump_argv(directory: str, control: str) -> list[str]:
    """Give the command line that holds the lease and carries commands to a shell."""
    script = read_script("sandbook.sandbox", "pump.sh")
    return ["bash", "-c", script, "sandbook", f"{directory}/lease", control]


@cache
def read_script(package: str, name: str) -> str:
    """Read a script that is kept beside the modules of a package."""
    return (files(package) / name).read_text(encoding="utf-8")
