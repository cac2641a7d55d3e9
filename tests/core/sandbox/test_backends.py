"""The contract of all backends; `backend` and `sandbox` are parametrised in tests/conftest.py."""

import asyncio
import dataclasses
import io
import os
import signal
import subprocess
import tarfile
import time
from pathlib import Path

import pytest
from traitlets import TraitError

from sandbook.errors import SandboxNotFoundError, SessionLostError
from sandbook.sandbox.base import SandboxRequest
from sandbook.session.bash import BashSession
from sandbook.session.shell import Shell


def of_run(name):
    """Make an id of a name that no other run of the tests uses at this moment."""
    return f"{name}-{os.getpid()}"


async def eventually(condition, seconds=12):
    """Wait until a coroutine function gives something true."""
    for _ in range(int(seconds / 0.1)):
        if await condition():
            return True
        await asyncio.sleep(0.1)
    return False


async def test_a_new_sandbox_is_listed_and_found(backend, sandbox, sandbox_request):
    listed = {info.sandbox_id: info for info in await backend.list_all()}

    info = listed[sandbox_request.sandbox_id]
    assert (info.backend, info.state, info.notebook) == (backend.name, "running", "test.ipynb")
    assert info.isolation == backend.isolation
    assert (await backend.find(sandbox_request.sandbox_id)).info == info


async def test_an_unknown_id_is_not_found(backend):
    with pytest.raises(SandboxNotFoundError, match="Run any cell"):
        await backend.find("no-such-id")


async def test_removing_takes_it_away_and_may_be_done_twice(backend, sandbox_request):
    await backend.create(sandbox_request)

    await backend.remove(sandbox_request.sandbox_id)
    await backend.remove(sandbox_request.sandbox_id)

    async def is_gone():
        return sandbox_request.sandbox_id not in {i.sandbox_id for i in await backend.list_all()}

    assert await eventually(is_gone)


async def test_the_workspace_is_shared_with_this_machine(sandbox, tmp_path):
    session = BashSession(sandbox)
    await session.start()
    (tmp_path / "from-outside").write_text("in\n")

    output = bytearray()
    await session.run("cat from-outside; echo out > from-inside", output.extend)
    session.close()

    assert output == b"in\n"
    assert (tmp_path / "from-inside").read_text() == "out\n"


@pytest.mark.parametrize("name", ["a:b", "a:/etc", "-v x,y=z", "\"q' \n\\ü $HOME"])
async def test_a_folder_of_any_name_is_the_workspace(backend, sandbox_request, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir(parents=True)
    request = dataclasses.replace(sandbox_request, workspace=folder)
    sandbox = await backend.create(request)
    try:
        await sandbox.run("touch", f"{sandbox.workspace}/made")
    finally:
        await backend.remove(request.sandbox_id)

    assert (folder / "made").exists()


async def test_two_shells_of_a_sandbox_do_not_disturb_each_other(sandbox):
    first, second = BashSession(sandbox), BashSession(sandbox)
    await asyncio.gather(first.start(), second.start())

    await asyncio.gather(first.run("x=1", print), second.run("x=2", print))

    for session, expected in ((first, b"1\n"), (second, b"2\n")):
        output = bytearray()
        await session.run("echo $x", output.extend)
        assert output == expected
        session.close()


async def test_a_sandbox_that_nobody_holds_any_more_ends(backend, tmp_path):
    request = SandboxRequest(of_run("lease-test"), tmp_path)
    sandbox = await backend.create(request)
    session = BashSession(sandbox)
    await session.start()

    await sandbox.release(grace_s=1)
    session.close()

    async def is_gone():
        return of_run("lease-test") not in {info.sandbox_id for info in await backend.list_all()}

    assert await eventually(is_gone)


async def test_a_sandbox_waits_for_its_next_holder(backend, tmp_path):
    request = SandboxRequest(of_run("grace-test"), tmp_path)
    sandbox = await backend.create(request)
    first = BashSession(sandbox)
    await first.start()
    await first.run("echo kept > /tmp/grace-test", print)
    await sandbox.release(grace_s=30)
    first.close()
    await asyncio.sleep(1)

    second = BashSession(await backend.find(of_run("grace-test")))
    await second.start()
    output = bytearray()
    await second.run("cat /tmp/grace-test; rm /tmp/grace-test", output.extend)
    second.close()
    await backend.remove(of_run("grace-test"))

    assert output == b"kept\n"


async def pieces_of(data, size=1 << 16):
    for start in range(0, len(data), size):
        yield data[start : start + size]


def tar_with(name, content):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


async def test_a_side_command_has_its_own_input_output_and_exit_code(sandbox):
    result = await sandbox.run("bash", "-c", "cat; echo no >&2; exit 3", data=b"in\0put")

    assert (result.exit_code, result.output, result.errors) == (3, b"in\0put", b"no\n")


async def test_a_side_command_leaves_the_shell_alone(sandbox):
    shell = Shell(sandbox)
    await shell.session.start()
    running = asyncio.create_task(shell.run("sleep 2; echo done", print))

    beside = await sandbox.run("echo", "beside")

    assert beside.output == b"beside\n"
    assert not running.done()
    await shell.interrupt()
    await running
    shell.close()


async def test_a_side_program_stays_and_answers(sandbox):
    side = await sandbox.open_side("bash", "-c", "while read -r n; do echo $((n + 1)); done")

    for number in (1, 41):
        await side.write(b"%d\n" % number)
        assert await side.read() == b"%d\n" % (number + 1)

    assert side.is_quiet
    await side.close()
    assert not side.is_quiet


async def test_a_side_program_can_take_and_give_a_lot(sandbox):
    side = await sandbox.open_side("cat")
    data = os.urandom(3_000_000)
    writing = asyncio.ensure_future(side.write(data))

    taken = bytearray()
    while len(taken) < len(data):
        taken += await side.read()
    await writing
    await side.close()

    assert taken == data


async def test_a_side_program_that_ends_is_noticed(sandbox):
    side = await sandbox.open_side("bash", "-c", "echo bye; echo lost >&2")

    assert await side.read() == b"bye\n"
    assert await side.read() == b""
    await side.close()


async def test_hanging_up_ends_the_input_of_a_side_program(sandbox, tmp_path):
    side = await sandbox.open_side("bash", "-c", "cat; echo over >/tmp/side-over-$0", tmp_path.name)

    await side.close()

    async def is_over():
        told = await sandbox.run("cat", f"/tmp/side-over-{tmp_path.name}")
        return told.output == b"over\n"

    assert await eventually(is_over)
    await sandbox.run("rm", f"/tmp/side-over-{tmp_path.name}")


async def test_stats_see_what_the_shell_uses(sandbox):
    session = BashSession(sandbox)
    await session.start()
    await session.run("for ((i = 0; i < 200000; i++)); do :; done; sleep 60 & sleep 60 &", print)

    stats = await sandbox.stats()
    session.close()

    assert stats.cpu_s > 0.05
    assert stats.memory_bytes > 1_000_000
    assert stats.pids >= 3


async def test_a_paused_sandbox_stands_still_and_goes_on(backend, sandbox):
    session = BashSession(sandbox)
    await session.start()
    await session.run("(while :; do echo >> ticks; sleep 0.05; done) & disown", print)

    def size():
        path = Path(sandbox.info.workspace, "ticks")
        return path.stat().st_size if path.exists() else 0

    async def ticks():
        return size() > 0

    assert await eventually(ticks)
    await sandbox.pause()
    await asyncio.sleep(0.3)
    before = size()
    await asyncio.sleep(0.5)
    during = size()
    state = (await backend.find(sandbox.info.sandbox_id)).info.state
    await sandbox.resume()

    async def goes_on():
        return size() > during

    assert during == before
    assert await eventually(goes_on)
    assert state == "paused"
    assert (await backend.find(sandbox.info.sandbox_id)).info.state == "running"
    session.close()


CHAIN = """
import os, time
end = time.time() + 30
while time.time() < end:
    if os.fork():
        os._exit(0)
    with open("ticks", "a") as file:
        file.write("tick ")
    time.sleep(0.001)
"""


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_whoever_begins_process_after_process_stands_still_too(sandbox):
    ticks = Path(sandbox.info.workspace, "ticks")
    Path(sandbox.info.workspace, "chain.py").write_text(CHAIN)
    start = "cd /workspace; setsid python3 chain.py </dev/null >/dev/null 2>&1 &"
    await sandbox.run("bash", "-c", start)

    async def has_begun():
        return ticks.exists()

    assert await eventually(has_begun)
    for _ in range(3):
        await sandbox.pause()
        before = ticks.stat().st_size
        await asyncio.sleep(0.3)
        assert ticks.stat().st_size == before
        await sandbox.resume()


async def test_a_command_that_was_paused_goes_on_to_its_end(sandbox):
    session = BashSession(sandbox)
    await session.start()
    output = bytearray()
    command = "for i in {1..40}; do sleep 0.03; done; echo through"
    running = asyncio.ensure_future(session.run(command, output.extend))
    await session.begun()

    for _ in range(5):
        await sandbox.pause()
        await sandbox.resume()
    result = await running
    session.close()

    assert (result.exit_code, output.decode()) == (0, "through\n")


async def test_a_life_that_is_over_ends_the_sandbox(backend, tmp_path):
    backend.max_life_s = 5
    sandbox = await backend.create(SandboxRequest(of_run("life-test"), tmp_path))
    session = BashSession(sandbox)
    await session.start()

    assert 0 < sandbox.info.remaining_s <= 5
    with pytest.raises(SessionLostError):
        await session.run("sleep 20", print)

    async def is_gone():
        return of_run("life-test") not in {info.sandbox_id for info in await backend.list_all()}

    assert await eventually(is_gone)


async def test_the_terminal_can_be_resized(sandbox):
    session = BashSession(sandbox)
    await session.start()

    await session._stream.resize(30, 90)
    output = bytearray()
    await session.run("stty size", output.extend)
    session.close()

    assert output == b"30 90\n"


async def test_removing_ends_programs_in_the_background(backend, sandbox, sandbox_request):
    session = BashSession(sandbox)
    await session.start()
    mark = f"sleep 3{time.monotonic_ns()}"
    await session.run(f"nohup setsid {mark} >/dev/null 2>&1 & disown", print)

    await backend.remove(sandbox_request.sandbox_id)
    session.close()

    async def is_gone():
        command = ["ps", "-eo", "args"]
        listed = await asyncio.to_thread(subprocess.check_output, command, text=True)
        return mark not in listed

    assert await eventually(is_gone)


async def test_programs_hear_that_their_shell_hangs_up(backend, tmp_path):
    """Also where Jupyter was started with `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    sandbox = await backend.create(SandboxRequest(of_run("hang-up-test"), tmp_path))
    shell, other = BashSession(sandbox), BashSession(sandbox)
    await shell.start()
    await other.start()
    running = asyncio.ensure_future(shell.run("sleep 4711", lambda _: None))
    await shell.begun()

    async def is_there():
        return (await sandbox.run("pgrep", "-fx", "sleep 4711")).output

    assert await eventually(is_there)
    shell.close()

    async def is_gone():
        return not await is_there()

    assert await eventually(is_gone)
    await asyncio.gather(running, return_exceptions=True)
    other.close()
    await backend.remove(of_run("hang-up-test"))
    signal.signal(signal.SIGHUP, before)


async def test_variables_reach_every_program(backend, tmp_path):
    backend.environment = {"CITY": "Ulm am 'Fluss'"}
    sandbox = await backend.create(SandboxRequest(of_run("variables-test"), tmp_path))
    session = BashSession(sandbox)
    await session.start()
    heard = []

    await session.run('echo "$CITY"', heard.append)
    beside = await sandbox.run("bash", "-c", 'echo "$CITY"')
    session.close()
    await backend.remove(of_run("variables-test"))

    assert b"".join(heard) == beside.output == b"Ulm am 'Fluss'\n"


@pytest.mark.parametrize("wrong", [{"A=B": "x"}, {"": "x"}, {"1A": "x"}, {"A": "x\0y"}, {"A": 1}])
def test_variables_that_no_program_can_have_are_refused(backend, wrong):
    with pytest.raises(TraitError, match="environment"):
        backend.environment = wrong
