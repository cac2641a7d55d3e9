"""Jupyter's own tests of what a kernel must do, all of them, in real sandboxes.

The classes are taken from the package by name, for pytest would collect them here as well.
"""

import os
import tempfile
from pathlib import Path

import jupyter_kernel_test
import pytest
from jupyter_client.manager import KernelManager, start_new_kernel

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="


class InSandbox:
    """Starts the kernel with this backend, in a folder and with a history of its own."""

    backend = ""
    kernel_name = "sandbook"

    @classmethod
    def place(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        folder = Path(temporary.name)
        (folder / "workspace").mkdir()
        variables = {"SANDBOOK_BACKEND": cls.backend, "JUPYTER_DATA_DIR": str(folder / "data")}
        return {"cwd": str(folder / "workspace"), "env": {**os.environ, **variables}}


class Contract(InSandbox):
    """A sample for every test, so that none is skipped."""

    language_name = "bash"
    file_extension = ".sh"
    code_hello_world = "echo 'hello, world'"
    code_stderr = "exit 0"
    code_generate_error = "false"
    code_page_something = "ls?"
    code_inspect_sample = "ls"
    code_clear_output = "echo gone; clear_output"
    completion_samples = [
        {"text": "ech", "matches": ["echo"]},
        {"text": "cat /proc/upti", "matches": ["/proc/uptime"]},
        {"text": "echo $HOSTTY", "matches": ["$HOSTTYPE"]},
        {"text": "%lsmag", "matches": ["%lsmagic"]},
        {"text": "no_such_command_at_all", "matches": []},
    ]
    complete_code_samples = [
        "ls",
        "for i in 1 2; do echo $i; done",
        "cat <<E\nhi\nE",
        "%sandbox",
        "",
    ]
    incomplete_code_samples = ["for i in 1 2; do", "echo 'open", "cat <<E\nhi", "ls \\", "{"]
    invalid_code_samples = ["done", "echo )", "if then fi"]
    code_execute_result = [
        {"code": "display -r text/plain <<<42", "result": "42"},
        {"code": "display -r text/html <<<'<b>hi</b>'", "mime": "text/html"},
        {"code": "printf '[1]' | display -r application/json", "mime": "application/json"},
    ]
    code_display_data = [
        {"code": "display text/html <<<'<b>hi</b>'", "mime": "text/html"},
        {"code": "display text/markdown <<<'# hi'", "mime": "text/html"},
        {"code": "display -i dot image/svg+xml <<<'<svg/>'", "mime": "text/html"},
        {"code": f"base64 -d <<<{DOT} >dot.png; display dot.png", "mime": "image/png"},
        {"code": f"base64 -d <<<{DOT} | display", "mime": "image/png"},
        {"code": f"printf '\\e]1337;File=inline=1:{DOT}\\a'", "mime": "image/png"},
    ]
    code_history_pattern = "display -r *42*"
    supported_history_operations = ("tail", "range", "search")

    @classmethod
    def setUpClass(cls):
        cls.km, cls.kc = start_new_kernel(kernel_name=cls.kernel_name, **cls.place())


class Welcome(InSandbox):
    support_iopub_welcome = True

    @classmethod
    def setUpClass(cls):
        cls.km = KernelManager(kernel_name=cls.kernel_name)
        cls.km.start_kernel(**cls.place())
        cls.kc = cls.km.client()


@pytest.mark.docker
class TestContractInDocker(Contract, jupyter_kernel_test.KernelTests):
    backend = "docker"


class TestContractInBubblewrap(Contract, jupyter_kernel_test.KernelTests):
    backend = "bubblewrap"


@pytest.mark.docker
class TestWelcomeInDocker(Welcome, jupyter_kernel_test.IopubWelcomeTests):
    backend = "docker"


class TestWelcomeInBubblewrap(Welcome, jupyter_kernel_test.IopubWelcomeTests):
    backend = "bubblewrap"
