"""Write docs/config.md from the settings themselves; `config-docs.py PATH` writes elsewhere."""

import inspect
import math
import sys
from collections.abc import Iterator
from pathlib import Path

from traitlets import TraitType
from traitlets.config import Configurable

from sandbook.config import TRAIT_OF_VARIABLE
from sandbook.configurables import CONFIGURABLES

TARGET = Path(__file__).parents[1] / "docs" / "config.md"
INTRODUCTION = """\
<!-- Written by scripts/config-docs.py from the code: change the code, then run it. -->

# Settings

Every setting belongs to a class and has a default that works. To change one, write it in Jupyter's
own way, for example to give each sandbox 4 GiB of memory:

- in `jupyter_server_config.py`: `c.DockerBackend.memory_mb = 4096`
- on the command line of a server: `jupyter lab --DockerBackend.memory_mb=4096`
- in `sandbook_config.py`, which kernels read that no server starts: as in the first line
- in `sandbook_config.json`: `{"DockerBackend": {"memory_mb": 4096}}`
- on the command line of the kernel, in its kernelspec: `--DockerBackend.memory_mb=4096`

The files lie in the folders that `jupyter --paths` lists under `config`. A server passes the
settings of the classes below on to the kernels that it starts, in the variable `SANDBOOK_CONFIG`,
and nothing else of its configuration. It reads them when it starts; new ones need a restart.

Where a setting is given more than once, the last of these wins:

1. `sandbook_config.py`, then `sandbook_config.json`; the first folder on the path has the last word
2. what the server was told: its own files, then its command line
3. what `sandbook kernelspec install` was told, in the variable `SANDBOOK_KERNEL_CONFIG`
4. the environment variables below, those that the kernel was started with
5. the command line of the kernel

A value that cannot be is refused by name: a server does not start with it, and a kernel without a
server answers every cell with the reason. A name that no class knows is a warning in the log.

`python -m sandbook_kernel --help-all` prints the settings in a terminal.
"""


def kind_of(trait: TraitType) -> str:
    """Say in words what a trait takes."""
    parts = [trait.info()]
    for bound, word in (("min", "more"), ("max", "less")):
        limit = getattr(trait, bound, None)
        if limit is not None and math.isfinite(limit):
            parts.append(f"{limit} or {word}")
    return ", ".join(parts)


def described(owner: type[Configurable], trait: TraitType) -> Iterator[str]:
    """Write one setting."""
    yield f"### `c.{owner.__name__}.{trait.name}`\n"
    yield f"{inspect.cleandoc(trait.help)}\n"
    yield f"- Type: {kind_of(trait)}"
    yield f"- Default: `{trait.default_value_repr()}`"
    for variable, place in TRAIT_OF_VARIABLE.items():
        if place == (owner.__name__, trait.name):
            yield f"- Environment variable: `{variable}`"
    yield ""


def document() -> Iterator[str]:
    """Write all, class by class."""
    yield INTRODUCTION
    for owner in CONFIGURABLES:
        own = owner.class_own_traits(config=True)
        if own:
            yield f"## {owner.__name__}\n"
            yield f"{inspect.getdoc(owner)}\n"
        for base in owner.__mro__[1:]:
            if own and base in CONFIGURABLES:
                yield f"The settings of {base.__name__} can be given for this class alone, too.\n"
        for trait in own.values():
            yield from described(owner, trait)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else TARGET
    target.write_text("\n".join(document()).rstrip() + "\n", "utf-8")
