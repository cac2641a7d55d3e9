"""Notebooks run by Jupyter's own automation: nbclient, papermill, nbconvert."""

import subprocess
import sys

import nbformat
import papermill
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from tests.conftest import ISOLATED

KERNEL = {"kernelspec": {"name": "sandbook", "display_name": "Sandbook (Bash)", "language": "bash"}}


@pytest.fixture(params=ISOLATED)
def isolated(request, monkeypatch):
    monkeypatch.setenv("SANDBOOK_BACKEND", request.param)


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def client(isolated, tmp_path, workspace):
    """Makes a client for a notebook with the cells given."""

    def make(*cells, **options):
        return NotebookClient(
            notebook_of(*cells),
            kernel_name="sandbook",
            config=Config(KernelManager={"transport": "ipc", "ip": str(tmp_path / "kernel")}),
            timeout=60,
            resources={"metadata": {"path": str(workspace)}},
            **options,
        )

    return make


def notebook_of(*cells):
    made = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    return new_notebook(cells=made, metadata=KERNEL)


def text_of(cell):
    return "".join(output.get("text", "") for output in cell.outputs)


def errors_of(cell):
    return [each.evalue for each in cell.outputs if each.output_type == "error"]


def test_a_failure_stops_the_notebook(client):
    made = client("echo one", "ls /no/such/folder", "echo never")

    with pytest.raises(CellExecutionError, match="exit status 2") as caught:
        made.execute()

    first, second, third = made.nb.cells
    assert text_of(first) == "one\n"
    assert "No such file" in text_of(second)
    assert third.execution_count is None
    assert "Traceback" not in str(caught.value)


def test_with_allow_errors_the_notebook_goes_on_in_the_same_shell(client):
    made = client("x=kept; exit 3", "echo $x", allow_errors=True)
    made.execute()

    first, second = made.nb.cells
    assert errors_of(first) == ["exit status 3"]
    assert text_of(second) == "kept\n"


def test_a_cell_that_is_expected_to_fail_may(client):
    failing = new_code_cell("false", metadata={"tags": ["raises-exception"]})
    made = client(failing, "echo after")
    made.execute()

    assert errors_of(made.nb.cells[0]) == ["exit status 1"]
    assert text_of(made.nb.cells[1]) == "after\n"


def test_a_question_that_nobody_can_answer_is_an_error_and_no_hang(client):
    made = client("read -p 'name? ' x", "echo after", allow_errors=True)
    made.execute()

    assert len(errors_of(made.nb.cells[0])) == 1
    assert text_of(made.nb.cells[1]) == "after\n"


def test_the_reply_tells_how_the_cell_went(client):
    told = []

    def note(cell, cell_index, execute_reply):
        told.append(execute_reply["metadata"]["sandbook"])

    made = client("cd /tmp; printf 12345", "(exit 4)", allow_errors=True)
    made.on_cell_executed = note
    made.execute()

    first, second = told
    assert first["exit_code"] == 0
    assert first["cwd"] == "/tmp"
    assert first["bytes"] == 5
    assert first["duration"] > 0
    assert second["exit_code"] == 4
    assert second["pid"] == first["pid"] > 0


def test_papermill_sets_the_parameters_of_a_bash_notebook(isolated, tmp_path, workspace):
    parameters = new_code_cell("name=nobody\ncount=0", metadata={"tags": ["parameters"]})
    show = 'printf "%s|" "$name" $((count + 1)) "${list[@]}" "${flag}"'
    source, result = tmp_path / "in.ipynb", tmp_path / "out.ipynb"
    nbformat.write(notebook_of(parameters, show), source)

    papermill.execute_notebook(
        source,
        result,
        parameters={"name": "O'Hara & $HOME", "count": 41, "list": ["a b", "c"], "flag": True},
        cwd=workspace,
        progress_bar=False,
    )

    made = nbformat.read(result, as_version=4)
    assert text_of(made.cells[-1]) == "O'Hara & $HOME|42|a b|c|true|"


def test_papermill_stops_at_a_failure_and_says_which(isolated, tmp_path, workspace):
    source, result = tmp_path / "in.ipynb", tmp_path / "out.ipynb"
    nbformat.write(notebook_of("echo one", "exit 3", "echo never"), source)

    with pytest.raises(papermill.PapermillExecutionError, match="exit status 3"):
        papermill.execute_notebook(source, result, cwd=workspace, progress_bar=False)

    assert text_of(nbformat.read(result, as_version=4).cells[-1]) == ""


def test_nbconvert_makes_a_script_that_bash_runs(client, tmp_path):
    made = client("x=41", "echo $((x + 1))")
    made.execute()
    nbformat.write(made.nb, tmp_path / "steps.ipynb")

    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "script", tmp_path / "steps.ipynb"],
        check=True,
        capture_output=True,
    )
    ran = subprocess.run(
        ["bash", tmp_path / "steps.sh"], check=True, capture_output=True, text=True
    )

    assert ran.stdout == "42\n"
