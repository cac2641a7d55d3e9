"""What the attacks share: a sandbox on each backend that isolates."""

import pytest

from sandbook.sandbox.factory import SandboxFactory

ISOLATED = ["docker", "bubblewrap"]


@pytest.fixture(params=ISOLATED)
def backend(request, jp_asyncio_loop):
    """Each backend that promises isolation. A missing engine or bwrap is a failure."""
    factory = SandboxFactory(backend=request.param)
    yield jp_asyncio_loop.run_until_complete(factory.choose())
    factory.close()
