"""Attack: another user of this machine looks for secrets where every user may look."""

import os
import pwd
from pathlib import Path

import pytest

from sandbook.sandbox.factory import SandboxFactory
from tests.conftest import BACKENDS

SECRET = "swordfish-4711"
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def as_a_stranger(look):
    """Let another user do something, in a process of his own; give back what he finds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
        found = look()
        os.write(writing, repr(found).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        found = told.read()
    assert os.waitpid(child, 0)[1] == 0
    return eval(found)  # noqa: S307 -- it is our own


def command_lines():
    """Read what every user may read about every process."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(file.read_bytes())
        except OSError:  # it has ended
            continue
    return found


class TestTheEnvironmentOfASandbox:
    @pytest.fixture(params=BACKENDS)
    def backend(self, request, jp_asyncio_loop):
        factory = SandboxFactory(backend=request.param)
        made = jp_asyncio_loop.run_until_complete(factory.choose())
        made.environment = {"TOKEN": SECRET}
        yield made
        factory.close()

    async def test_stands_in_no_command_line(self, sandbox):
        side = await sandbox.open_side("sh", "-c", 'echo "$TOKEN"; read -r line')
        said = await side.read()
        seen = command_lines()
        await side.close()

        assert said == SECRET.encode() + b"\n"
        assert any(b"read -r line" in line for line in seen)
        assert not [line for line in seen if SECRET.encode() in line]
