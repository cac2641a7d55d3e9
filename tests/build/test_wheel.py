"""The wheel, built and installed where nothing else is."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def distribution(pytestconfig, tmp_path_factory):
    """Build sdist and wheel from a copy of what is committed and what is built."""
    source = tmp_path_factory.mktemp("source") / "sandbook"
    ignored = shutil.ignore_patterns(
        ".venv", ".git", "node_modules", ".build", "dist", "__pycache__"
    )
    shutil.copytree(pytestconfig.rootpath, source, ignore=ignored)
    built = pytestconfig.rootpath / "labextension" / "dist"
    shutil.copytree(built, source / "labextension" / "dist")
    target = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", str(target), str(source))
    return target


@pytest.fixture(scope="module")
def environment(distribution, tmp_path_factory):
    """An empty environment with the wheel, and no Node on PATH."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    run(sys.executable, "-m", "venv", str(folder))
    (wheel,) = distribution.glob("*.whl")
    run(str(folder / "bin/pip"), "install", "--quiet", f"{wheel}[lab]")
    return folder


@pytest.fixture
def jupyter(environment, tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    variables = {**os.environ, "PATH": f"{environment}/bin:{tools}", "HOME": str(tmp_path)}
    variables.pop("VIRTUAL_ENV", None)
    assert shutil.which("node", path=variables["PATH"]) is None

    def jupyter(*arguments):
        return run(str(environment / "bin/jupyter"), *arguments, env=variables)

    return jupyter


def test_the_kernelspec_is_found(jupyter, environment):
    assert f"sandbook    {environment}/share/jupyter/kernels/sandbook" in jupyter(
        "kernelspec", "list"
    )


def test_the_server_extension_is_enabled_and_valid(jupyter):
    listed = jupyter("server", "extension", "list")

    assert "sandbook_server" in listed
    assert "enabled" in listed.split("sandbook_server", 1)[1]
    assert "OK" in listed.rsplit("sandbook_server", 1)[1].splitlines()[0]


def test_the_lab_extension_is_enabled_and_valid(jupyter):
    (line,) = [
        line for line in jupyter("labextension", "list").splitlines() if "sandbook-lab" in line
    ]

    assert "enabled" in line
    assert "OK" in line


def test_the_wheel_carries_the_scripts_that_run_in_sandboxes(distribution):
    (wheel,) = distribution.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    assert len(names) == len(set(names))
    for script in ("sandbox/keeper.sh", "sandbox/pump.sh", "session/rc/session.sh"):
        assert f"sandbook/{script}" in names


def test_the_source_distribution_needs_no_node_either(distribution):
    (sdist,) = distribution.glob("*.tar.gz")

    assert "labextension/dist/static/style.js" in run("tar", "tzf", str(sdist))
