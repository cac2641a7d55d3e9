"""The sandboxes of this user, and how a person names one."""

import contextlib
from collections.abc import Generator, Iterable, Sequence

from traitlets.config import Config

from sandbook.sandbox.base import SandboxInfo
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.factory import SandboxFactory
from sandbook_cli.errors import CommandError
from sandbook_kernel.owner import make_factory


@contextlib.contextmanager
def open_factory() -> Generator[SandboxFactory, None, None]:
    """Give a factory for the time of one command."""
    factory = make_factory(Config())
    try:
        yield factory
    finally:
        factory.close()


@contextlib.contextmanager
def open_docker() -> Generator[DockerBackend, None, None]:
    """Give the docker backend for the time of one command."""
    with open_factory() as factory:
        backend = factory.of("docker")
        if not isinstance(backend, DockerBackend):
            raise CommandError("The name docker stands for another backend here.")
        yield backend


async def find_infos(factory: SandboxFactory, words: Iterable[str]) -> list[SandboxInfo]:
    """Find the sandboxes that are meant, each named by its id or by how its id begins.

    Raises:
        CommandError: A word fits none, or more than one.
    """
    known = await factory.list_all()
    found = {info.sandbox_id: info for info in (match_info(known, word) for word in words)}
    return list(found.values())


def match_info(known: Sequence[SandboxInfo], word: str) -> SandboxInfo:
    """Choose the one sandbox that a word means.

    Raises:
        CommandError: It fits none, or more than one.
    """
    fitting = [info for info in known if info.sandbox_id.startswith(word)]
    exact = [info for info in fitting if info.sandbox_id == word]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    if not fitting:
        raise CommandError(f"No sandbox has an id that begins with {word!r}. See: sandbook ps")
    ids = ", ".join(sorted(info.sandbox_id for info in fitting))
    raise CommandError(f"{word!r} fits {len(fitting)} sandboxes; give more of the id: {ids}")
