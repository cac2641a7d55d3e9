"""sandbook kernelspec in folders of its own."""

import json
import sys
from pathlib import Path

import pytest

from sandbook.safe_path import safe_command


@pytest.fixture
def installed(environment):
    """Read the kernel.json of a kernel that was installed for this user."""

    def read(name):
        folder = Path(environment["JUPYTER_DATA_DIR"], "kernels", name)
        return json.loads((folder / "kernel.json").read_text())

    return read


def test_a_kernel_per_image(sandbook, installed, environment):
    options = ("--image", "python:3.12", "--backend", "docker", "--memory", "512", "--cpus", "0.5")

    done = sandbook("kernelspec", "install", "--name", "py312", *options)

    spec = installed("py312")
    assert done.code == 0, done.err
    assert spec["display_name"] == "Sandbook (python:3.12)"
    assert spec["argv"][:4] == safe_command([sys.executable, "-m", "sandbook_kernel"])
    assert spec["env"]["SANDBOOK_BACKEND"] == "docker"
    assert spec["env"]["SANDBOOK_IMAGE"] == "python:3.12"
    assert json.loads(spec["env"]["SANDBOOK_KERNEL_CONFIG"]) == {
        "DockerBackend": {"memory_mb": 512, "cpus": 0.5}
    }
    assert (Path(environment["JUPYTER_DATA_DIR"]) / "kernels/py312/logo-svg.svg").is_file()


def test_a_network_goes_to_the_backend_that_knows_it(sandbook, installed):
    sandbook("kernelspec", "install", "--name", "b", "--backend", "bubblewrap", "--network", "host")

    assert json.loads(installed("b")["env"]["SANDBOOK_KERNEL_CONFIG"]) == {
        "BubblewrapBackend": {"network": "host"}
    }


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a b", "-x", "ü"])
def test_a_name_that_is_no_folder_of_its_own_changes_nothing(sandbook, environment, name):
    kept = Path(environment["JUPYTER_DATA_DIR"], "kernels", "other", "kernel.json")
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")

    done = sandbook("kernelspec", "install", f"--name={name}")

    assert done.code == 2
    assert "is no name of a kernel" in done.err
    assert [path.name for path in kept.parent.parent.iterdir()] == ["other"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--backend", "local", "--image", "x"], "has no setting 'image'"),
        (["--backend", "local", "--cpus", "2"], "has no setting 'cpus'"),
        (["--backend", "docker", "--memory", "1"], "memory_mb"),
        (["--backend", "bubblewrap", "--network", "moon"], "network"),
        (["--cpus", "nan"], "cpus"),
        (["--cpus", "-1"], "cpus"),
        (["--memory", "-4"], "memory_mb"),
    ],
)
def test_what_no_backend_would_take_is_refused(sandbook, options, reason):
    done = sandbook("kernelspec", "install", "--name", "wrong", *options)

    assert done.code == 1
    assert reason in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("name", ["sandbook", "python3"])
def test_a_name_that_is_taken_is_refused(sandbook, name):
    done = sandbook("kernelspec", "install", "--name", name)

    assert done.code == 1
    assert done.err.startswith("sandbook: ")
    assert done.err.count("\n") == 1


def test_list_and_remove(sandbook):
    sandbook("kernelspec", "install", "--name", "small", "--display-name", "Small", "--cpus", "1")

    rows = {row["name"]: row for row in json.loads(sandbook("kernelspec", "list", "--json").out)}
    removed = sandbook("kernelspec", "remove", "small")

    assert rows["small"]["display_name"] == "Small"
    assert "sandbook" in rows
    assert "python3" not in rows
    assert removed.code == 0
    assert "small" not in sandbook("kernelspec", "list").out


@pytest.mark.parametrize("name", ["sandbook", "python3", "nothing"])
def test_only_kernels_of_ones_own_are_removed(sandbook, name):
    done = sandbook("kernelspec", "remove", name)

    assert done.code == 1
    assert "sandbook" in sandbook("kernelspec", "list").out


def test_a_prefix_may_be_given(sandbook, tmp_path):
    done = sandbook("kernelspec", "install", "--name", "there", "--prefix", str(tmp_path))

    assert done.code == 0
    assert (tmp_path / "share/jupyter/kernels/there/kernel.json").is_file()
