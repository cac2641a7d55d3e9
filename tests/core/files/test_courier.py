"""The language of the side program, without one."""

from datetime import datetime, timezone

import pytest

from sandbook.errors import SideLostError
from sandbook.files.courier import Ending
from sandbook.files.workspace import WorkspaceFiles
from sandbook.sandbox.base import SandboxInfo


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_an_end_is_found_however_it_comes(size):
    content = b"a\0b\0nonc\0nonce\1\0\0"
    stream = content + b"\0nonce\0it went wrong\0"
    ending = Ending(b"nonce")

    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    found = b"".join(map(ending.feed, pieces))

    assert (found, ending.is_complete, ending.fault) == (content, True, "it went wrong")


def test_nothing_waits_that_cannot_be_an_end():
    assert Ending(b"nonce").feed(b".") == b"."


async def test_a_request_to_a_program_that_lies_is_an_error():
    class Lying:
        workspace = "/"
        info = SandboxInfo("x", "docker", "container", "running", datetime.now(timezone.utc))

        async def open_side(self, *argv, root=False):
            return self

        is_quiet = True

        async def write(self, data):
            pass

        async def read(self):
            return b""

        async def close(self):
            pass

    with pytest.raises(SideLostError, match="Lost the sandbox"):
        await WorkspaceFiles(Lying()).read("/x")
