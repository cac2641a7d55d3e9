"""What all tests share: real sandboxes on every backend, and a look at what they leave behind."""

import asyncio
import os
import re
import shutil
import tempfile
import time
import uuid

import pytest
from hypothesis import settings
from traitlets.config import Config
from xdist.scheduler import LoadScopeScheduling

from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.factory import SandboxFactory

# A realm of its own for each worker: sandboxes that others have open on this machine, the other
# workers among them, are not ours to see, and not ours to prune.
os.environ["SANDBOOK_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="sandbook-tests-")

pytest_plugins = ["pytest_jupyter.jupyter_server"]

settings.register_profile("any machine", deadline=None)  # how long an example takes says nothing
settings.load_profile("any machine")

ISOLATED = ["docker", "bubblewrap"]
BACKENDS = [*ISOLATED, "local"]


OFFLINE = Config({"DockerBackend": {"network": "none"}})
"""To isolate a network takes a third of a container's start; tests that need none do without."""

FIRST = [
    *("tests/ui", "tests/core/session", "tests/contract", "tests/faults", "tests/cli"),
    *("tests/client", "tests/build", "tests/e2e"),
]
"""Where the longest groups are: whoever begins with them does not wait for them at the end."""
CROWDED = ("tests/faults/test_crowds.py", "tests/contract/test_load.py")
"""What fills the machine: one after the other, when there is little else to do."""
SEPARATE = ("tests/ui/test_first_click.py", "tests/ui/test_viewer.py")
"""Of the tests with a browser, those that do not share a JupyterLab."""


class Groups(LoadScopeScheduling):
    """Gives each worker a module on one backend at a time, for that is what fixtures are made for.

    xdist's own `loadgroup` has no effect under pytest 9.2.
    """

    def _split_scope(self, nodeid):
        return group_of(nodeid)


def group_of(nodeid):
    """Name the tests that one worker runs, one after the other."""
    module, _, name = nodeid.partition("::")
    if module in CROWDED:
        return "crowded"
    if module.startswith("tests/ui/") and module not in SEPARATE:
        return "ui"
    backend = re.search(rf"\b({'|'.join(BACKENDS)})\b", name.partition("[")[2])
    return " ".join([module, *(backend.groups() if backend else ())])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return Groups(config, log)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: place_of(item.nodeid))


def place_of(nodeid):
    if nodeid.startswith(CROWDED):
        return len(FIRST) + 1
    return next((n for n, place in enumerate(FIRST) if nodeid.startswith(place)), len(FIRST))


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
    shutil.rmtree(os.environ["SANDBOOK_RUNTIME_DIR"])
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
