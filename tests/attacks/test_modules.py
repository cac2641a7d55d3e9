"""Attack: a cell writes Python modules into the shared folder, and a program of the host that
starts in that folder imports them: a kernel, of whatever kind, or `sandbook serve`."""

import contextlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_client.manager import AsyncKernelManager

NAMES = sorted(
    name
    for name in sys.stdlib_module_names | {module.name for module in pkgutil.iter_modules()}
    if name not in sys.builtin_module_names and not name.startswith("_")
)
"""Everything that a program of ours could import by this name, and much more."""


@pytest.fixture
def planted(sandbox, tmp_path, jp_asyncio_loop):
    """The shared folder, with a module of every name in it; each would leave a file."""
    script = 'cd /workspace; for name; do echo "open(\\"$name.ran\\", \\"w\\")" >"$name.py"; done'
    argv = ("sh", "-c", script, "sh", *NAMES)
    told = jp_asyncio_loop.run_until_complete(sandbox.run(*argv))
    assert told.exit_code == 0, told.errors
    assert (tmp_path / "uuid.py").exists()
    return tmp_path


def those_that_ran(folder):
    return sorted(path.name for path in folder.glob("*.ran"))


@contextlib.asynccontextmanager
async def kernel_in(folder, name, **options):
    manager = AsyncKernelManager(kernel_name=name, **options)
    await manager.start_kernel(
        cwd=str(folder), env={**os.environ, "SANDBOOK_BACKEND": "bubblewrap"}
    )
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)
        yield client
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


async def test_our_kernel_imports_none(planted):
    async with kernel_in(planted, "sandbook") as client:
        for code in ("echo hi", "%view .", "display text/html <<<'<b>x</b>'", "%sandbox"):
            await client.execute_interactive(code, timeout=60, output_hook=lambda _: None)
        await client.complete("ech", reply=True, timeout=60)

    assert those_that_ran(planted) == []


def test_serve_imports_none(planted):
    options = ["--backend", "bubblewrap", "--workspace", str(planted)]
    with subprocess.Popen(
        [str(Path(sys.executable).with_name("sandbook")), "serve", *options],
        cwd=planted,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        told = json.loads(process.stdout.readline())
        process.terminate()

    assert told["base_url"]
    assert those_that_ran(planted) == []


class TestAServer:
    """A Jupyter server with Sandbook starts kernels of other kinds in such a folder."""

    @pytest.fixture
    def jp_server_config(self):
        return {"ServerApp": {"jpserver_extensions": {"sandbook_server": True}}}

    @pytest.fixture
    def kernels(self, jp_serverapp, jp_asyncio_loop):
        manager = jp_serverapp.kernel_manager
        yield manager
        jp_asyncio_loop.run_until_complete(manager.shutdown_all())

    async def _run(self, kernels, folder, code):
        kernel_id = await kernels.start_kernel(kernel_name="python3", cwd=str(folder))
        client = kernels.get_kernel(kernel_id).client()
        client.start_channels()
        await client.wait_for_ready(timeout=60)
        shown = []
        await client.execute_interactive(
            code, timeout=60, output_hook=lambda message: shown.append(message["content"])
        )
        client.stop_channels()
        return "".join(content.get("text", "") for content in shown)

    async def test_starts_a_python_kernel_that_imports_none(self, kernels, planted):
        await kernels.start_kernel(kernel_name="python3", cwd=str(planted))
        (kernel_id,) = kernels.list_kernel_ids()
        client = kernels.get_kernel(kernel_id).client()
        client.start_channels()
        await client.wait_for_ready(timeout=60)
        client.stop_channels()

        assert those_that_ran(planted) == []

    async def test_leaves_it_its_own_imports_and_programs(self, kernels, tmp_path):
        (tmp_path / "helper.py").write_text("answer = 42")
        (tmp_path / "program.py").write_text("import helper; print(helper.answer + 1)")

        code = "import helper, subprocess, sys; print(helper.answer, flush=True)\n"
        code += "print(subprocess.check_output([sys.executable, 'program.py'], text=True))\n"
        code += "print(subprocess.check_output([sys.executable, '-c', 'import helper'], text=True))"

        assert (await self._run(kernels, tmp_path, code)).split() == ["42", "43"]
