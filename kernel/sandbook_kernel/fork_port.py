"""Keeps ipykernel from opening a TCP port that takes messages from anybody on this machine."""

import contextlib
from collections.abc import Generator
from typing import Any

from ipykernel import kernelapp


@contextlib.contextmanager
def without_fork_port() -> Generator[None, None, None]:
    """Let ipykernel make its thread for iopub without a pipe for forked processes.

    There is no setting for it. We fork none, and catch no output of this process.
    """
    module: Any = kernelapp
    made = module.IOPubThread

    def without_pipe(*given: object, **options: object) -> object:
        return made(*given, **{**options, "pipe": False})

    module.IOPubThread = without_pipe
    try:
        yield
    finally:
        module.IOPubThread = made
