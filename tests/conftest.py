"""What all tests share: real sandboxes on every backend, and a look at what they leave behind."""

import asyncio
import time
import uuid

import pytest
from hypothesis import settings

from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.factory import SandboxFactory

pytest_plugins = ["pytest_jupyter.jupyter_server"]

settings.register_profile("any machine", deadline=None)  # how long an example takes says nothing
settings.load_profile("any machine")

ISOLATED = ["docker", "bubblewrap"]
BACKENDS = [*ISOLATED, "local"]


def sandbox_ids():
    factory = SandboxFactory()
    found = {info.sandbox_id for info in asyncio.run(factory.list_all())}
    factory.close()
    return found


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_behind():
    before = sandbox_ids()

    yield

    deadline = time.monotonic() + 15
    while (left := sandbox_ids() - before) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not left


@pytest.fixture(params=BACKENDS)
def backend(request, jp_asyncio_loop):
    """Each backend in turn. A missing engine or bwrap is a failure, never a skip."""
    factory = SandboxFactory(backend=request.param)
    yield jp_asyncio_loop.run_until_complete(factory.choose())
    factory.close()


@pytest.fixture
def factory():
    made = SandboxFactory()
    yield made
    made.close()


@pytest.fixture
def sandbox_request(tmp_path):
    return SandboxRequest(str(uuid.uuid4()), tmp_path, notebook="test.ipynb")


@pytest.fixture
def sandbox(backend, sandbox_request, jp_asyncio_loop):
    made = jp_asyncio_loop.run_until_complete(backend.create(sandbox_request))
    yield made
    jp_asyncio_loop.run_until_complete(backend.remove(sandbox_request.sandbox_id))
