"""%%python in real kernels: state, errors, pictures, interrupts."""

import asyncio

import pytest

from sandbook.actions import PythonAction
from sandbook.errors import InvalidActionError
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.magics import Context
from sandbook_kernel.magics.python import python
from tests.conftest import BACKENDS
from tests.kernel.client import execute, running_kernel, text_of

NOWHERE = Context(executor=None)
PICTURE = """%%python
from IPython.display import Image, display
import base64
print("before")
display(Image(data=base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)))
"""


async def test_options_are_read():
    assert await python(NOWHERE, MagicStep("python", "", "x")) == PythonAction("x")
    late = await python(NOWHERE, MagicStep("python", "--timeout 2", "x"))
    assert late.timeout_s == 2
    for arguments, body, told in (
        ("", None, "two signs"),
        ("--timeout 0", "x", "above 0"),
        ("--timeot 1", "x", "unrecognized"),
    ):
        with pytest.raises(InvalidActionError, match=told):
            await python(NOWHERE, MagicStep("python", arguments, body))


@pytest.mark.parametrize("backend", BACKENDS)
async def test_python_keeps_its_state_and_works_where_the_shell_is(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        await execute(client, "mkdir here && cd here")
        await execute(client, "%%python\nx = 41")
        _, messages = await execute(client, "%%python\nimport os\nprint(os.getcwd())\nx + 1")
        _, shown = await execute(client, PICTURE)

        assert text_of(messages).splitlines()[0].endswith("/here")
        assert text_of(messages).splitlines()[1] == "42"
        kinds = [kind for kind, _ in shown if kind in {"stream", "display_data"}]
        assert kinds[0] == "stream"
        assert kinds[-1] == "display_data"
        assert shown[-2][1]["data"]["image/png"].startswith("iVBOR")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_failure_fails_the_cell_and_nothing_else(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        await execute(client, "%%python\nx = 1")
        failed, _ = await execute(client, "%%python\nprint('so far')\n1 / 0")
        late, _ = await execute(client, "%%python --timeout 1\nimport time; time.sleep(60)")
        died, _ = await execute(client, "%%python\nos = __import__('os'); os._exit(1)")
        again, messages = await execute(client, "%%python\nprint('again')")

        assert (failed["status"], failed["ename"]) == ("error", "ZeroDivisionError")
        assert "division by zero" in failed["traceback"][0]
        assert (late["ename"], late["evalue"]) == ("Timeout", "stopped after 1 s")
        assert died["ename"] == "PythonDied"
        assert again["status"] == "ok"
        assert text_of(messages) == "again\n"


@pytest.mark.parametrize("backend", BACKENDS)
async def test_an_interrupt_ends_the_code_and_keeps_the_variables(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, "%%python\nx = 7")
        running = asyncio.ensure_future(
            execute(client, "%%python\nprint('on', flush=True)\nimport time\ntime.sleep(60)")
        )
        await asyncio.sleep(1)
        await manager.interrupt_kernel()
        reply, _ = await asyncio.wait_for(running, 30)
        _, messages = await execute(client, "%%python\nx")

        assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
        assert text_of(messages) == "7\n"
