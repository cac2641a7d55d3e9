"""One sandbox per backend and module; each case has a shell of its own in it.

`local` has the same terminal as `bubblewrap`, from the same code: it is tried with the hostile
cells that depend on that, and with the soak test.
"""

import pytest

from tests.conftest import ISOLATED
from tests.core.session.harness import Machine


@pytest.fixture(scope="module", params=ISOLATED)
def machine(request, tmp_path_factory):
    made = Machine(request.param, tmp_path_factory.mktemp("workspace"))
    yield made
    made.close()
