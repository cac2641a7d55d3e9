"""An agent at work over HTTP: what it did is a notebook, and the notebook makes the same files."""

import json
import subprocess
import sys
import urllib.request

import nbformat
import pytest

from tests.cli.test_serve import serve
from tests.conftest import BACKENDS

__all__ = ["serve"]

CODE = nbformat.v4.new_code_cell("echo here >made")
SCRIPT = '#!/bin/bash\necho it\\\'s "$1" # 100 %\n\ttabbed'


class Agent:
    """An agent with a URL and a key."""

    def __init__(self, told):
        self._url, self._key = told["base_url"], told["session_api_key"]

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-Session-API-Key": self._key}
        request = urllib.request.Request(f"{self._url}/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def act(self, name, limit=30, **arguments):
        action = {"action": name, "args": arguments, "timeout": limit}
        return json.loads(self.ask("execute_action", {"action": action}))

    def run(self, command, limit=30, **arguments):
        return self.act("run", limit, command=command, **arguments)

    def work(self):
        """Do a bit of everything that changes files, and some things that fail."""
        where = self.run("pwd")["content"]
        script = {"path": f"{where}/script.sh"}
        self.run("mkdir -p src && cd src && printf 'a\\nb\\n' >list")
        self.run("cat list; false")
        self.run("read -p 'name? ' n; echo \"hello $n\" >../name.txt")
        self.run("it's me ünd", is_input=True)
        self.run("echo begun >../begun; sleep 60; echo never >../never", limit=0.5)
        self.run("C-c", is_input=True)
        self.run("pwd; touch static", is_static=True, cwd=where)
        self.act("write", path="new/folder/w.txt", content="one\ntwo\nthree")
        self.act("write", path="new/folder/w.txt", content="TWO", start=1, end=2)
        self.act("edit", **script, command="create", file_text=SCRIPT)
        self.act("edit", **script, command="str_replace", old_str='"$1"', new_str="'$1'\n")
        self.act("edit", **script, command="insert", insert_line=1, new_str="# inserted")
        self.act("edit", **script, command="undo_edit")
        self.act("edit", **script, command="str_replace", old_str="is not there", new_str="x")
        self.act("edit", **script, command="create", file_text="is there already")
        self.act("read", path="list", start=1, end=2)
        self.act("read", path="nowhere")
        self.run("ls ?")
        self.run("one\ntwo")
        self.run("exit 3")


def files_in(folder):
    return {
        str(path.relative_to(folder)): (path.read_text(), oct(path.stat().st_mode))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_an_agent_did_can_be_done_again(serve, backend, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    options = ["--backend", backend, "--workspace", str(first), "--no-change-timeout", "1"]
    process, told = serve(*options)
    agent = Agent(told)
    agent.work()
    notebook = nbformat.reads(agent.ask("trajectory.ipynb"), 4)
    process.terminate()
    process.wait()
    nbformat.validate(notebook)
    sources = [cell.source for cell in notebook.cells]
    assert any(source.startswith("%%bash --input it\\'s") for source in sources)
    assert any(source.startswith("%%edit") and "# inserted" in source for source in sources)
    marked = [cell.source for cell in notebook.cells if "failed" in cell.metadata.get("tags", [])]
    assert "cat list; false" in marked
    assert all(
        "raises-exception" in cell.metadata.tags
        for cell in notebook.cells
        if "tags" in cell.metadata
    )
    assert {cell.metadata.sandbook.author for cell in notebook.cells} == {"Agent"}
    if backend == "local":  # its paths are those of this machine, and another place has others
        notebook = nbformat.reads(nbformat.writes(notebook).replace(str(first), str(second)), 4)
    nbformat.write(notebook, tmp_path / "trajectory.ipynb")

    again = subprocess.run(
        [
            *(sys.executable, "-m", "sandbook_cli", "replay", str(tmp_path / "trajectory.ipynb")),
            *("--backend", backend, "--workspace", str(second)),
            *("--output", str(tmp_path / "again.ipynb")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "All is as it was."), again
    assert files_in(first) == files_in(second)
    assert files_in(first)["name.txt"][0] == "hello it's me ünd\n"
    assert "never" not in files_in(first)
    nbformat.validate(nbformat.read(tmp_path / "again.ipynb", 4))


def test_a_replay_says_what_differs(tmp_path):
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("echo 1", outputs=[_said("1\n")]),
            nbformat.v4.new_code_cell("echo 2", outputs=[_said("two\n")]),
            nbformat.v4.new_code_cell("false"),
            nbformat.v4.new_markdown_cell("nothing to run"),
        ]
    )
    nbformat.write(notebook, tmp_path / "x.ipynb")

    told = replay(tmp_path / "x.ipynb", "--backend", "bubblewrap")

    assert told.returncode == 1
    assert "-two\n    +2\n" in told.stdout
    assert "now it fails: exit status 1" in told.stdout
    assert told.stdout.endswith("2 cells differ.\n")


def test_a_replay_makes_its_folder_or_says_why_not(tmp_path):
    nbformat.write(nbformat.v4.new_notebook(cells=[CODE]), tmp_path / "x.ipynb")
    (tmp_path / "file").write_text("in the way")

    made = replay(tmp_path / "x.ipynb", "--backend", "bubblewrap", "--workspace", tmp_path / "a/b")
    refused = replay(tmp_path / "x.ipynb", "--workspace", tmp_path / "file")
    below = replay(tmp_path / "x.ipynb", "--workspace", tmp_path / "file" / "below")

    assert (tmp_path / "a/b/made").read_text() == "here\n", made
    assert (refused.returncode, "File exists" in refused.stderr) == (1, True), refused
    assert (below.returncode, "Not a directory" in below.stderr) == (1, True), below
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "There is no file"), ("{", "is no notebook"), ("{}", "is no notebook")],
)
def test_what_is_no_notebook_is_told(tmp_path, content, words):
    if content is not None:
        (tmp_path / "x.ipynb").write_text(content)

    told = replay(tmp_path / "x.ipynb")

    assert told.returncode == 1
    assert words in told.stderr
    assert "Traceback" not in told.stderr


def replay(*arguments):
    command = [sys.executable, "-m", "sandbook_cli", "replay", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _said(text):
    return nbformat.v4.new_output("stream", name="stdout", text=text)
