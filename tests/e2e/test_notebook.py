"""Notebooks executed by nbclient, as automation does it."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from sandbook.sandbox.local import is_container
from tests.conftest import ISOLATED


@pytest.fixture
def execute(tmp_path, monkeypatch):
    config = Config(KernelManager={"transport": "ipc", "ip": str(tmp_path / "kernel")})
    workspace = tmp_path / "workspace"
    workspace.mkdir()

    def execute(notebook, **environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        client = NotebookClient(
            notebook,
            kernel_name="sandbook",
            config=config,
            timeout=60,
            resources={"metadata": {"path": str(workspace)}},
        )
        client.execute()
        return [
            "".join(output.get("text", "") for output in cell.outputs)
            for cell in client.nb.cells
            if cell.cell_type == "code"
        ]

    return execute


@pytest.mark.parametrize("backend", ISOLATED)
def test_a_notebook_runs_and_not_on_this_machine(backend, execute):
    cells = [
        "cat /proc/1/cgroup; tr '\\0' '\\n' </proc/1/cmdline",
        "hostname",
        "ls /",
        "echo $((6 * 7))",
    ]
    notebook = new_notebook(cells=[new_code_cell(code) for code in cells])

    first_process, hostname, root, answer = execute(notebook, SANDBOOK_BACKEND=backend)

    assert (
        ("docker" in first_process)
        if backend == "docker"
        else ("/dev/shm/sandbook" in first_process)
    )
    assert hostname == "sandbox\n" != f"{os.uname().nodename}\n"
    assert "workspace" in root.split()
    assert set(root.split()) != {path.name for path in Path("/").iterdir()}
    assert answer == "42\n"


def test_the_quickstart_runs(execute, pytestconfig):
    notebook = nbformat.read(pytestconfig.rootpath / "examples/quickstart.ipynb", as_version=4)

    outputs = execute(notebook)

    assert "Hello from sandbox, reader\n" in outputs[2]


def test_a_failing_cell_stops_the_notebook(execute):
    notebook = new_notebook(cells=[new_code_cell("exit 3"), new_code_cell("echo never")])

    with pytest.raises(CellExecutionError, match="exit status 3") as caught:
        execute(notebook, SANDBOOK_BACKEND="bubblewrap")

    assert "Traceback" not in str(caught.value)
    assert not notebook.cells[1].outputs


def test_without_engine_and_bwrap_the_first_cell_says_what_to_install(execute, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "bash").symlink_to("/bin/bash")
    notebook = new_notebook(cells=[new_code_cell("echo ran > proof; pwd")])
    if is_container():
        pytest.fail("run the tests on a machine: a container may rightly use the local backend")

    with pytest.raises(CellExecutionError) as caught:
        execute(notebook, PATH=str(programs), DOCKER_HOST=f"unix://{tmp_path}/nobody.sock")

    message = str(caught.value)
    assert "apt-get install docker.io" in message
    assert "apt-get install bubblewrap" in message
    assert "Traceback" not in message
    assert not (tmp_path / "workspace" / "proof").exists()
