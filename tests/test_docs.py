"""What the documents say is what the code does."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("name", ["config", "api"])
def test_a_reference_is_what_its_script_would_write_now(name, pytestconfig, tmp_path):
    root = pytestconfig.rootpath
    written = tmp_path / f"{name}.md"

    subprocess.run([sys.executable, root / f"scripts/{name}-docs.py", written], check=True)

    assert (root / f"docs/{name}.md").read_text() == written.read_text()
