"""One sandbox per backend and module; each case has a shell of its own in it."""

import pytest

from tests.conftest import BACKENDS
from tests.core.session.harness import Machine


@pytest.fixture(scope="module", params=BACKENDS)
def machine(request, tmp_path_factory):
    made = Machine(request.param, tmp_path_factory.mktemp("workspace"))
    yield made
    made.close()
