"""What the documents say is what the code does."""

import subprocess
import sys


def test_the_list_of_settings_is_what_the_script_would_write_now(pytestconfig, tmp_path):
    root = pytestconfig.rootpath
    written = tmp_path / "config.md"

    subprocess.run([sys.executable, root / "scripts/config-docs.py", written], check=True)

    assert (root / "docs/config.md").read_text() == written.read_text()
