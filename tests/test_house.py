"""Rules of the house that no linter knows."""

import re
import subprocess

import pytest

MAX_LINES = 300
FORBIDDEN_NAMES = {"utils.py", "common.py", "helpers.py", "utils.ts", "helpers.ts"}


@pytest.fixture(scope="module")
def files(pytestconfig):
    root = pytestconfig.rootpath
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return [root / name for name in listed.stdout.splitlines() if (root / name).is_file()]


def test_no_module_is_longer_than_one_can_hold_in_mind(files):
    modules = [
        path for path in files if path.suffix in {".py", ".ts", ".tsx"} and "tests" not in str(path)
    ]

    long = {
        str(path): n for path in modules if (n := len(path.read_text().splitlines())) > MAX_LINES
    }

    assert modules
    assert not long


def test_every_file_says_by_its_name_what_it_is_for(files):
    assert not [path for path in files if path.name in FORBIDDEN_NAMES]


def test_the_lock_names_no_registry(files):
    (lock,) = [path for path in files if path.name == "package-lock.json"]

    assert '"resolved"' not in lock.read_text()


def test_no_path_of_one_machine_is_in_the_project(files):
    texts = {
        path: path.read_bytes().decode("utf-8", "replace")
        for path in files
        if path.name != "test_house.py"
    }

    assert not [
        path
        for path, text in texts.items()
        if re.search(r"/(root|home)/(\.pyenv|work)|/work/main", text)
    ]
