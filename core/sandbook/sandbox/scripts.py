"""The shell side of sandboxes: scripts that run inside them, kept as files beside this one."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

FIRST_HOLDER_S = 30
"""How long a new sandbox waits for its first holder: a loaded engine may need a while."""
GRACE_S = 6
"""How long a sandbox waits for the next holder when one vanished, for example by SIGKILL."""
ULIMIT = {"CORE": "-c", "NOFILE": "-n", "NPROC": "-u", "DATA": "-d"}
"""The names that bash has for limits of the kernel."""
KIB = 1 << 10
MARKER = "SANDBOOK_SANDBOX"
"""The variable that tells which sandbox a process belongs to."""


def container_argv(directory: str, **options: int | str) -> list[str]:
    """Give the command line of a container's first process; `container.sh` tells its options."""
    return [*_script("lease.sh", "container.sh"), directory, *_words(options)]


def hold_argv(directory: str) -> list[str]:
    """Give the command line that holds the lease inside a container."""
    return [*_script("hold.sh"), f"{directory}/lease"]


def keeper_argv(
    lease: str,
    program: Sequence[str],
    groups: Sequence[Path] = (),
    last: Sequence[str] = (),
    **options: int | str,
) -> list[str]:
    """Give the command line of a keeper; `keeper.sh` tells its options."""
    lists = {"group": groups, "last": last}
    each = (f"{name}={value}" for name, values in lists.items() for value in values)
    words = (*_words(options), *each)
    return [*_script("lease.sh", "keeper.sh"), lease, *words, "--", *program]


def namespaces_argv(directory: str, ready: int, rlimits: Mapping[str, int]) -> list[str]:
    """Give the command line of the first process of a sandbox of namespaces."""
    limits = [
        word
        for name, limit in rlimits.items()
        for word in (ULIMIT[name], str(limit // KIB if name == "DATA" else limit))
    ]
    return [*_script("namespaces.sh"), directory, str(ready), *limits]


def pump_argv(control: str) -> list[str]:
    """Give the command line that carries commands to a shell."""
    return [*_script("pump.sh"), control]


def _script(*names: str) -> list[str]:
    code = "\n".join(read_script("sandbook.sandbox", name) for name in names)
    return ["bash", "-c", code, "sandbook"]


def _words(options: Mapping[str, int | str]) -> list[str]:
    given: dict[str, int | str] = {"first": FIRST_HOLDER_S, "grace": GRACE_S, **options}
    return [f"{name}={value}" for name, value in given.items()]


@cache
def read_script(package: str, name: str) -> str:
    """Read a script that is kept beside the modules of a package."""
    return (files(package) / name).read_text(encoding="utf-8")
