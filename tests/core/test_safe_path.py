import json
import subprocess
import sys
from pathlib import Path

import pytest

from sandbook.safe_path import RUN_MODULE, safe_command, safe_environment

KERNELSPEC = Path(__file__, "../../../kernel/sandbook_kernel/kernelspec/kernel.json").resolve()


@pytest.mark.parametrize(
    ("command", "safe"),
    [
        (["python", "-m", "kernel", "-f", "x"], ["python", "-c", RUN_MODULE, "kernel", "-f", "x"]),
        (["/a/python3.10", "-mkernel"], ["/a/python3.10", "-c", RUN_MODULE, "kernel"]),
        (
            ["python", "-X", "frozen_modules=off", "-I", "-m", "kernel"],
            ["python", "-X", "frozen_modules=off", "-I", "-c", RUN_MODULE, "kernel"],
        ),
        (["python", "-Bm", "kernel"], ["python", "-B", "-c", RUN_MODULE, "kernel"]),
        (["python", "-u", "-Imkernel"], ["python", "-u", "-I", "-c", RUN_MODULE, "kernel"]),
        (["python3.13t", "-m", "kernel"], ["python3.13t", "-c", RUN_MODULE, "kernel"]),
        (["pythonw", "-m", "kernel"], ["pythonw", "-c", RUN_MODULE, "kernel"]),
        (["python", "-Wm", "kernel.py"], ["python", "-Wm", "kernel.py"]),
        (["python", "kernel.py", "-m", "x"], ["python", "kernel.py", "-m", "x"]),
        (["R", "-m", "x"], ["R", "-m", "x"]),
        (["python", "-m"], ["python", "-m"]),
        ([], []),
    ],
)
def test_only_modules_of_python_are_started_in_another_way(command, safe):
    assert safe_command(command) == safe


def test_the_kernelspec_starts_our_kernel_so():
    argv = json.loads(KERNELSPEC.read_text())["argv"]

    assert argv == safe_command(["python", "-m", "sandbook_kernel", "-f", "{connection_file}"])


@pytest.mark.parametrize("pythonpath", ["", ".", ":", "{folder}"])
@pytest.mark.parametrize("how", [["-m", "platform"], ["-c", "import platform"]])
def test_nothing_of_the_current_folder_is_imported(tmp_path, how, pythonpath):
    for name in ("platform", "runpy", "importlib", "re", "collections"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')")

    done = subprocess.run(
        safe_command([sys.executable, *how]),
        cwd=tmp_path,
        env={"PYTHONPATH": pythonpath.format(folder=tmp_path)} if pythonpath != "." else {},
        check=True,
        capture_output=True,
    )

    assert not (tmp_path / "ran").exists(), done.stderr


@pytest.mark.parametrize(
    ("given", "kept"),
    [("", ""), (":/opt/lib", "/opt/lib"), ("/a:.:src::/b", "/a:/b"), ("../x", "")],
)
def test_the_environment_names_no_place_in_the_current_folder(given, kept):
    environment = {"PYTHONPATH": given, "HOME": "/root"}

    assert safe_environment(environment) == {"PYTHONPATH": kept, "HOME": "/root"}
    assert safe_environment({"HOME": "/root"}) == {"HOME": "/root"}


def test_a_module_is_run_as_python_runs_it(tmp_path):
    module = tmp_path / "elsewhere" / "shown.py"
    module.parent.mkdir()
    module.write_text("import sys; print(__name__, sys.argv)")

    done = subprocess.run(
        safe_command([sys.executable, "-m", "shown", "-f", "x"]),
        cwd=tmp_path,
        env={"PYTHONPATH": str(module.parent)},
        check=True,
        capture_output=True,
        text=True,
    )

    assert done.stdout.strip() == f"__main__ {[str(module), '-f', 'x']}"
