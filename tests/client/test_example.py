"""The example that a newcomer runs does what it says."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.conftest import ISOLATED


@pytest.fixture
def example(pytestconfig, tmp_path):
    def run(*arguments):
        done = subprocess.run(
            [
                sys.executable,
                "-W",
                "error",
                pytestconfig.rootpath / "examples/agent.py",
                *arguments,
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def look_at(said):
    assert said.index("step 0") < said.index("ZeroDivisionError") < said.index("It failed.")
    assert "+print(sum(range(10)) / 10)" in said
    assert "step 2\n4.5" in said
    assert "You said yes" in said
    assert "File not found: /workspace/demo/missing" in said
    result, trajectory = (Path(line.strip()) for line in said.splitlines()[-2:])
    assert result.read_text().endswith("4.5\n")
    notebook = json.loads(trajectory.read_text())
    nbformat.validate(notebook)
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert any("python3 program.py | tee result.txt" in source for source in sources)


@pytest.mark.parametrize("backend", ISOLATED)
def test_the_example_starts_a_server_of_its_own(example, backend):
    look_at(example("--backend", backend))


def test_the_example_uses_a_sandbox_that_is_there(example, made):
    look_at(example(made.base_url, made.key))
    made.run("rm -rf /workspace/demo")
