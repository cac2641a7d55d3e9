"""Attack: a program in a sandbox keeps the sandbox alive after its kernel was killed, by holding
the lease itself, by lengthening the time of grace, or by stopping who waits for the end."""

import platform
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
    command = [sys.executable, "-u", "-c", KERNEL, backend, sandbox_id, str(tmp_path), ATTACK]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as kernel:
        line = kernel.stdout.readline()
        before = sandbox_ids()
        kernel.kill()

    assert (line, sandbox_id in before) == (b"attacked\n", True)
    assert until_gone(sandbox_id)


def until_gone(sandbox_id):
    deadline = time.monotonic() + 30
    while sandbox_id in sandbox_ids() and time.monotonic() < deadline:
        time.sleep(0.3)
    return sandbox_id not in sandbox_ids()


OUTLIVE = r"""
import ctypes, os, struct, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
ATTACH, GETREGS, SETREGS, CONT, DETACH, PRCTL, SET_PDEATHSIG = 16, 12, 13, 7, 17, 157, 1
memory = open("/proc/1/maps").read().split()
if libc.ptrace(ATTACH, 1, None, None):
    raise SystemExit("not attached")
os.waitpid(1, 0x40000000)
registers = (ctypes.c_ulonglong * 27)()
libc.ptrace(GETREGS, 1, None, ctypes.byref(registers))
start = next(int(line.split("-")[0], 16) for line in open("/proc/1/maps") if "libc" in line)
text = next(line for line in open("/proc/1/maps") if "libc" in line and "r-xp" in line).split("-")
with open("/proc/1/mem", "rb") as file:
    file.seek(int(text[0], 16))
    place = int(text[0], 16) + file.read(1 << 20).index(bytes([0x0F, 0x05]))
changed = (ctypes.c_ulonglong * 27)(*registers)
changed[10], changed[14], changed[13], changed[16] = PRCTL, SET_PDEATHSIG, 0, place
changed[15] = 2**64 - 1
libc.ptrace(SETREGS, 1, None, ctypes.byref(changed))
libc.ptrace(9, 1, None, None)
os.waitpid(1, 0x40000000)
libc.ptrace(GETREGS, 1, None, ctypes.byref(changed))
print("prctl gave", changed[10])
libc.ptrace(SETREGS, 1, None, ctypes.byref(registers))
libc.ptrace(DETACH, 1, None, None)
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="it is written in machine code")
def test_the_first_process_cannot_be_made_to_outlive_its_keeper(tmp_path):
    """A program of the same user traces it, and has it forget that it dies with its parent."""
    sandbox_id = str(uuid.uuid4())
    (tmp_path / "attack.py").write_text(OUTLIVE)
    attack = "python3 /workspace/attack.py"
    command = [sys.executable, "-u", "-c", KERNEL, "bubblewrap", sandbox_id, str(tmp_path), attack]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as kernel:
        kernel.stdout.readline()
        kernel.kill()
        told = kernel.stderr.read()

    assert b"prctl gave 0" in told or b"not attached" in told
    assert until_gone(sandbox_id)
