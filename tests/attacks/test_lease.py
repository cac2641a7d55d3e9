"""Attack: a program in a sandbox keeps the sandbox alive after its kernel was killed, by holding
the lease itself, by lengthening the time of grace, or by stopping who waits for the end."""

import subprocess
import sys
import time
import uuid

import pytest

from tests.conftest import sandbox_ids

KERNEL = """
import asyncio, sys
from pathlib import Path
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.bubblewrap import BubblewrapBackend
from sandbook.sandbox.docker import DockerBackend
from sandbook.session.bash import BashSession

async def main(backend, sandbox_id, folder, attack):
    name, _, user = backend.partition(" as ")
    backend = DockerBackend(user=user) if name == "docker" else BubblewrapBackend()
    sandbox = await backend.create(SandboxRequest(sandbox_id, Path(folder)))
    session = BashSession(sandbox)
    await session.start()
    result = await asyncio.wait_for(session.run(attack, sys.stderr.buffer.write), 20)
    print("attacked", flush=True)
    await asyncio.sleep(60)

asyncio.run(main(*sys.argv[1:]))
"""
ATTACK = r"""
attack() {
  trap '' HUP INT TERM PIPE
  while read -r fifo; do exec {fd}<>"$fifo" && printf 'hold\ngrace 9999\n' >&$fd; done < <(
    find -L /dev/shm /run /tmp /proc/[0-9]*/fd -maxdepth 4 -type p
  )
  for process in /proc/[0-9]*; do
    process=${process#/proc/}
    [[ $process == @($BASHPID|$PPID|$$) ]] || kill -STOP "$process"
  done
  while :; do read -r -t 5; done <> <(:)
}
attack </dev/null >/dev/null 2>&1 & disown
sleep 1
"""


@pytest.mark.parametrize("backend", ["docker as ann", "docker as root", "bubblewrap"])
def test_a_sandbox_ends_with_its_kernel_whatever_runs_inside(backend, tmp_path):
    sandbox_id = str(uuid.uuid4())
    command = [sys.executable, "-c", KERNEL, backend, sandbox_id, str(tmp_path), ATTACK]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as kernel:
        line = kernel.stdout.readline()
        before = sandbox_ids()
        kernel.kill()

    assert (line, sandbox_id in before) == (b"attacked\n", True)
    deadline = time.monotonic() + 30
    while sandbox_id in sandbox_ids() and time.monotonic() < deadline:
        time.sleep(0.3)
    assert sandbox_id not in sandbox_ids()
