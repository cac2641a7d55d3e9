"""The command line as people use it: a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest


@dataclass
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def command():
    """The command line without its arguments."""
    return [sys.executable, "-W", "error", "-m", "sandbook_cli"]


@pytest.fixture
def environment(pytestconfig, tmp_path_factory):
    """Jupyter's folders are empty; the command is found before an install knows it, too."""
    folder = tmp_path_factory.mktemp("jupyter")
    found = os.environ.get("PYTHONPATH", "")
    return {
        **os.environ,
        "PYTHONPATH": f"{pytestconfig.rootpath / 'cli'}:{found}",
        "JUPYTER_DATA_DIR": str(folder),
    }


@pytest.fixture
def sandbook(command, environment):
    """Run `sandbook ARGUMENTS` to its end."""

    def run(*arguments, **variables):
        done = subprocess.run(
            [*command, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            env={**environment, **variables},
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def many(backend, tmp_path, jp_asyncio_loop):
    """Make sandboxes with ids of one's choice; all are removed in the end."""
    from sandbook.sandbox.base import SandboxRequest

    made = []

    def make(*ids):
        for sandbox_id in ids:
            made.append(sandbox_id)
            request = SandboxRequest(sandbox_id, tmp_path, notebook="many.ipynb")
            jp_asyncio_loop.run_until_complete(backend.create(request))

    yield make
    for sandbox_id in made:
        jp_asyncio_loop.run_until_complete(backend.remove(sandbox_id))


@pytest.fixture
def listed(backend, jp_asyncio_loop):
    """Tell the ids of the sandboxes that are there now, as the backend knows them."""

    def ids():
        infos = jp_asyncio_loop.run_until_complete(backend.list_all())
        return {info.sandbox_id for info in infos}

    return ids
