"""Python code in the sandbox's own IPython."""

import asyncio

import pytest

PICTURE = """
import base64, zlib
from IPython.display import Image, display
display(Image(data=base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)))
"""


async def python(client, code, timeout=60, **arguments):
    return await client.send(
        "run_ipython", timeout, code=code, **{"include_extra": False, **arguments}
    )


async def test_state_is_kept_and_output_is_complete(client):
    assert (await python(client, "x = 41"))["content"] == (
        "[Code executed successfully with no output]"
    )
    for number in range(20):
        assert (await python(client, f"print({number}); x + 1"))["content"] == f"{number}\n42"
    failed = await python(client, "1 / 0")
    assert failed["content"].endswith("ZeroDivisionError: division by zero")
    assert "\x1b" not in failed["content"]
    assert failed["success"] is True


async def test_it_runs_where_the_shell_is(client):
    await client.run("mkdir -p 'a b' && cd 'a b'")

    answer = await python(client, "import os; print(os.getcwd())", include_extra=True)

    where, line, interpreter = answer["content"].split("\n")
    assert where.endswith("/a b")
    assert line == f"[Jupyter current working directory: {where}]"
    assert interpreter.startswith("[Jupyter Python interpreter: /")


async def test_it_is_where_the_shell_is_also_where_code_has_gone_elsewhere(client):
    await client.run("mkdir -p here")
    await client.run("cd here")

    await python(client, "import os; os.chdir('/usr')")
    answer = await python(client, "import os; print(os.getcwd())")

    assert answer["content"].endswith("/here")


BEGIN = "open('begun', 'w').close(); import time; time.sleep(100)"
PHASES = {
    "the program is started": lambda python: python._starting,
    "the program starts": lambda python: python._side,
    "the kernel starts": lambda python: python.interpreter,
}


@pytest.mark.parametrize("phase", PHASES)
async def test_an_interrupt_before_the_code_begins_is_not_lost(client, tmp_path, phase):
    await client.run("true")
    running = asyncio.ensure_future(python(client, BEGIN))
    while not PHASES[phase](client.python):
        await asyncio.wait([running], timeout=0.001)

    await client.python.interrupt()
    answer = await asyncio.wait_for(running, 30)

    assert "KeyboardInterrupt" in answer["content"]
    assert not (tmp_path / "begun").exists()
    assert (await python(client, "40 + 2"))["content"] == "42"


async def test_an_interrupt_of_what_runs_is_also_for_what_waits(client, tmp_path):
    first = asyncio.ensure_future(python(client, "import time; time.sleep(100)"))
    second = asyncio.ensure_future(python(client, BEGIN))
    await asyncio.wait([first, second], timeout=1)

    await client.python.interrupt()
    answers = await asyncio.wait_for(asyncio.gather(first, second), 60)

    assert ["KeyboardInterrupt" in answer["content"] for answer in answers] == [True, True]
    assert not (tmp_path / "begun").exists()


async def test_pictures_come_as_data(client):
    answer = await python(client, PICTURE)

    assert answer["extras"]["image_urls"][0].startswith("data:image/png;base64,iVBOR")
    assert answer["extras"]["code"] == PICTURE


async def test_a_timeout_interrupts_and_keeps_the_state(client):
    await python(client, "x = 1")

    late = await python(client, "print('begun', flush=True); import time; time.sleep(100)", 1)

    assert late["content"] == "begun\n[Execution timed out (1.0 seconds).]"
    assert (await python(client, "x"))["content"] == "1"


async def test_a_process_that_dies_is_replaced(client):
    died = await python(client, "import os; os._exit(3)")

    assert "[The Python process died." in died["content"]
    assert (await python(client, "print('again')"))["content"] == "again"


async def test_input_fails_at_once(client):
    answer = await python(client, "input('name? ')")

    assert "StdinNotImplementedError" in answer["content"]


async def test_cells_run_one_after_the_other(client):
    await python(client, "n = 0")

    await asyncio.gather(*(python(client, "n += 1") for _ in range(5)))

    assert (await python(client, "n"))["content"] == "5"
