"""Attack: a sandbox leaves templates and language servers in the folder that the server was started
in, where other packages of Jupyter look for them; both are programs."""

import json
import subprocess
import sys

import pytest
from nbformat.v4 import new_notebook, writes

from tests.contract.conftest import Server

TEMPLATE = '{{ lipsum.__globals__["os"].popen("touch RAN").read() }}'
SETTINGS = {
    "base_template": "base",
    "mimetypes": {"text/html": True},
    "preprocessors": {"0": {"type": "subprocess.Popen", "args": ["touch", "RAN"]}},
}
PLANT = """
mkdir -p lab node_modules/bash-language-server/out
echo '{template}' >lab/index.html.j2
echo '{settings}' >lab/conf.json
echo 'require("fs").writeFileSync("RAN", "")' >node_modules/bash-language-server/out/cli.js
"""


@pytest.fixture
def planted(sandbox, tmp_path, jp_asyncio_loop):
    script = PLANT.format(template=TEMPLATE, settings=json.dumps(SETTINGS))
    argv = ("sh", "-c", f"cd /workspace\n{script}")
    told = jp_asyncio_loop.run_until_complete(sandbox.run(*argv))
    assert told.exit_code == 0, told.errors
    (tmp_path / "n.ipynb").write_text(writes(new_notebook()))
    return tmp_path


@pytest.fixture
def server(planted, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(planted)
    made = Server(planted)
    yield made
    made.close()


def test_nbconvert_takes_no_template_from_there(server, planted):
    listed = server.client.get("/api/nbconvert")
    shown = server.client.get("/nbconvert/html/n.ipynb")

    assert (listed.status_code, shown.status_code) == (200, 200)
    assert "html" in listed.json()
    assert not (planted / "RAN").exists()


LANGUAGE_SERVERS = """
import sys
from types import SimpleNamespace
from jupyter_lsp.manager import LanguageServerManager
from sandbook_server.launch_folder import take_no_language_servers
manager = LanguageServerManager()
take_no_language_servers(manager)
manager.initialize()
print(*(word for server in manager.language_servers.values() for word in server["argv"]))
"""


def test_jupyter_lsp_takes_no_language_server_from_there(planted):
    told = subprocess.check_output(
        [sys.executable, "-I", "-c", LANGUAGE_SERVERS], cwd=planted, text=True
    )

    assert str(planted) not in told
