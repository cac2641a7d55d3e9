"""What the attacks share: a sandbox on each backend that isolates."""

import pytest

from sandbook.sandbox.factory import SandboxFactory
from tests.conftest import ISOLATED, OFFLINE


@pytest.fixture(params=ISOLATED)
def backend(request, jp_asyncio_loop):
    """Each backend that promises isolation. A missing engine or bwrap is a failure."""
    config = None if request.node.get_closest_marker("online") else OFFLINE
    factory = SandboxFactory(backend=request.param, config=config)
    yield jp_asyncio_loop.run_until_complete(factory.choose())
    factory.close()
