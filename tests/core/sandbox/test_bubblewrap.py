"""What only the bubblewrap backend has: sizes of folders, limits with and without groups."""

import asyncio
import errno
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from traitlets import TraitError

from sandbook.errors import BackendUnavailableError
from sandbook.sandbox import cgroups
from sandbook.sandbox.bubblewrap import BubblewrapBackend
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.syscall_filter import syscall_filter

AS_NOBODY = r"""
set -e
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
for ((n = 0; n < $1; n++)); do kept+=("${@:2+n:1}"); done
shift $(($1 + 1))
if ! "${nobody[@]}" test -x "$1"; then
  aside=$(mktemp -d) && mount -t tmpfs none "$aside"
  for n in "${!kept[@]}"; do mkdir "$aside/$n" && mount --bind "${kept[n]}" "$aside/$n"; done
  for path in "${kept[@]}"; do top=${path#/} && tops+=("/${top%%/*}"); done
  for top in $(printf '%s\n' "${tops[@]}" | sort -u); do
    "${nobody[@]}" test -x "$top" || mount -t tmpfs -o mode=755 none "$top"
  done
  for n in "${!kept[@]}"; do mkdir -p "${kept[n]}" && mount --bind "$aside/$n" "${kept[n]}"; done
fi
exec "${nobody[@]}" "$@"
"""
"""In a mount namespace of its own, where everybody may see our Python, becomes nobody."""

PROGRAM = """
import asyncio, json, os, sys, tempfile
from pathlib import Path
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.bubblewrap import BubblewrapBackend

async def main(commands):
    backend = BubblewrapBackend(memory_mb=128, pids=40, open_files=300)
    await backend.check()
    with tempfile.TemporaryDirectory() as workspace:
        sandbox = await backend.create(SandboxRequest(f"limits-{os.getpid()}", Path(workspace)))
        done = [await sandbox.run("bash", "-c", f"{{ {one}; }} 2>&1") for one in commands]
        await backend.remove(sandbox.info.sandbox_id)
    said = [one.output.decode() for one in done]
    print(json.dumps([os.getuid(), str(sandbox.info.limits), *said]))

asyncio.run(main(json.loads(sys.argv[1])))
"""


def run_as_nobody(folder, *commands):
    """Run side commands in a sandbox of somebody who has no rights at all on this machine."""
    folder.chmod(0o777)
    paths = [str(Path(place)) for place in (sys.base_prefix, sys.prefix, *sys.path) if place]
    kept = sorted({path for path in paths if Path(path).is_dir()}, key=len)
    program = [sys.executable, "-c", PROGRAM, json.dumps(commands)]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TMPDIR": str(folder),
        "SANDBOOK_RUNTIME_DIR": str(folder / "runtime"),
    }
    if os.getuid() == 0:
        outer = ["unshare", "--mount", "bash", "-c", AS_NOBODY, "bash"]
        program = [*outer, str(len(kept)), *kept, *program]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def open_folder():
    """Make a folder that everybody can reach; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_without_control_groups_each_process_has_its_limits(open_folder):
    uid, limits, data, processes, files, core, alive = run_as_nobody(
        open_folder,
        "python3 -c 'x = bytearray(200 << 20)'",
        "for i in {1..60}; do sleep 3 & done; wait",
        "python3 -c 'x = [open(\"/dev/null\") for _ in range(400)]'",
        "ulimit -c",
        "echo alive",
    )

    assert uid != 0
    assert limits == "128 MiB memory per process, 40 processes"
    assert "MemoryError" in data
    assert "Resource temporarily unavailable" in processes
    assert "Too many open files" in files
    assert (core, alive) == ("0\n", "alive\n")


@pytest.fixture
def backend():
    made = BubblewrapBackend(memory_mb=128, tmp_mb=8, home_mb=8, shm_mb=8)
    yield made
    made.close()


@pytest.fixture
def say(sandbox):
    async def say(command):
        result = await sandbox.run("bash", "-c", f"{{ {command}; }} 2>&1")
        return result.exit_code, result.output.decode()

    return say


@pytest.mark.parametrize("folder", ["/tmp", "/var/tmp", "/home/sandbox", "/dev/shm"])
async def test_every_folder_in_memory_has_a_size(folder, say):
    status, said = await say(f"head -c 9M /dev/zero >{folder}/big")

    assert status == 1
    assert "No space left on device" in said
    assert await say(f"rm {folder}/big; echo x >{folder}/x; cat {folder}/x") == (0, "x\n")


@pytest.mark.parametrize("folder", ["/", "/dev", "/etc", "/home", "/run", "/usr", "/var"])
async def test_there_is_no_other_place_to_fill(folder, say):
    status, said = await say(f"touch {folder}/big")

    assert (status, "Read-only file system" in said) == (1, True)


@pytest.mark.parametrize("memory_mb", [64, 100, 4096])
def test_all_folders_together_are_smaller_than_the_memory(memory_mb):
    backend = BubblewrapBackend(memory_mb=memory_mb, tmp_mb=9999, home_mb=9999, shm_mb=9999)

    assert sum(backend._sizes().values()) < memory_mb


@pytest.mark.parametrize(
    "command",
    [
        "unshare --user true",
        "unshare --user --map-root-user mount -t tmpfs none /mnt",
        "python3 -c 'import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0'",
    ],
)
async def test_nobody_becomes_root_in_a_namespace_of_his_own(command, say):
    assert (await say(command))[0] != 0


async def test_nobody_comes_in_before_the_wall_stands(
    backend, sandbox_request, tmp_path, monkeypatch
):
    """bwrap names its process while that one still has the files of the host."""
    programs, door = tmp_path / "programs", tmp_path / "door"
    programs.mkdir()
    os.mkfifo(door)
    slow = programs / "bwrap"
    slow.write_text(f'#!/bin/sh\nexec {shutil.which("bwrap")} --block-fd 9 "$@" 9<>{door}\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")

    making = asyncio.ensure_future(backend.create(sandbox_request))
    await asyncio.sleep(0.5)
    was_early = making.done()
    door.write_bytes(b"go")
    sandbox = await making
    told = await sandbox.run("ls", "/")
    await backend.remove(sandbox_request.sandbox_id)

    assert not was_early
    assert "workspace" in told.output.decode()


CALL = """python3 -c '
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
failed = libc.syscall(*map(ctypes.c_long, [{}, 0, 0, 0, 0, 0])) < 0
print(ctypes.get_errno() if failed else "done")
'"""
CALLS = {
    "x86_64": {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
               "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "keyctl": 250,
               "x32": 0x40000000 + 39},
    "aarch64": {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
                "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "keyctl": 219},
}[platform.machine()]  # fmt: skip


@pytest.mark.parametrize("number", CALLS.values(), ids=CALLS)
async def test_calls_that_lead_out_are_refused(number, say):
    assert await say(CALL.format(number)) == (0, f"{errno.EPERM}\n")


@pytest.mark.parametrize("family", [17, 29, 31, 38, 40, 44])
async def test_sockets_that_belong_to_no_network_are_refused(family, say):
    make = f"import socket; socket.socket({family}, socket.SOCK_STREAM)"

    assert "Operation not permitted" in (await say(f"python3 -c '{make}' 2>&1"))[1]


async def test_usual_sockets_are_made(say):
    make = "import socket as s; [s.socket(f, s.SOCK_DGRAM) for f in (1, 2, 10)]; s.socket(16, 3)"

    assert await say(f"python3 -c '{make}' 2>&1") == (0, "")


async def test_every_process_of_the_sandbox_is_filtered(sandbox, say):
    _, said = await say("grep -h Seccomp: /proc/[0-9]*/status | sort -u")

    assert said.split() == ["Seccomp:", "2"]


def test_a_machine_whose_numbers_are_unknown_has_no_filter():
    assert syscall_filter("riscv64") == b""


async def test_control_groups_limit_all_processes_together(sandbox, say):
    if os.getuid() != 0:
        pytest.fail("control groups need root")
    group = cgroups.find_group(f"sandbook-{sandbox.info.sandbox_id}")
    read = {path.name: path.read_text().strip() for f in group.folders for path in f.glob("*max*")}
    read |= {p.name: p.read_text().strip() for f in group.folders for p in f.glob("*.limit_in*")}

    assert sandbox.info.limits == Limits(128, 2.0, 512)
    assert str(128 << 20) in {read.get("memory.max"), read.get("memory.limit_in_bytes")}
    assert read.get("memory.memsw.limit_in_bytes", str(128 << 20)) == str(128 << 20)
    assert read.get("memory.swap.max", "0") == "0"
    assert read["pids.max"] == "512"


async def test_a_new_sandbox_of_the_same_name_has_the_same_limits(
    backend, sandbox, sandbox_request
):
    await backend.remove(sandbox_request.sandbox_id)

    again = await backend.create(sandbox_request)

    assert again.info.limits == sandbox.info.limits


async def test_without_control_groups_only_what_holds_is_told(
    backend, sandbox_request, monkeypatch, tmp_path
):
    monkeypatch.setattr(cgroups, "ROOT", tmp_path / "nothing")

    sandbox = await backend.create(sandbox_request)
    result = await sandbox.run("python3", "-c", "x = bytearray(200 << 20)")
    await backend.remove(sandbox_request.sandbox_id)

    pids = None if os.getuid() == 0 else 512
    assert sandbox.info.limits == Limits(pids=pids, process_memory_mb=128)
    assert b"MemoryError" in result.errors


async def test_a_bwrap_that_is_too_old_is_told(monkeypatch, tmp_path):
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho 'bwrap: Unknown option --disable-userns' >&2; exit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    with pytest.raises(BackendUnavailableError, match=r"too old.*0\.8 or newer"):
        await BubblewrapBackend().check()


@pytest.mark.parametrize("trait", ["tmp_mb", "home_mb", "shm_mb", "open_files", "memory_mb"])
def test_a_size_too_small_is_refused_by_name(trait):
    with pytest.raises(TraitError, match=trait):
        BubblewrapBackend(**{trait: 0})


WITH_LOW_DESCRIPTORS = """
import asyncio, os, sys
from pathlib import Path
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.bubblewrap import BubblewrapBackend

async def main(folder):
    while os.open("/dev/null", os.O_RDONLY) < 30:
        pass
    backend = BubblewrapBackend()
    os.closerange(3, 10)  # the event loop has its own above them
    try:
        sandbox = await backend.create(SandboxRequest("low-descriptors", Path(folder)))
        print((await sandbox.run("getent", "passwd", "1000")).output.decode())
    finally:
        await backend.remove("low-descriptors")

filled = [os.dup(0) for _ in range(7)]
asyncio.run(main(sys.argv[1]))
"""


def test_it_starts_whichever_descriptors_are_free(tmp_path):
    """The keeper uses the lowest numbers itself."""
    command = [sys.executable, "-c", WITH_LOW_DESCRIPTORS, tmp_path]
    told = subprocess.run(command, capture_output=True, text=True, check=False, close_fds=True)

    assert told.stdout.startswith("sandbox:"), told.stderr


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_a_process_may_have_any_name(sandbox):
    name = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'\\xff) S'); time.sleep(30)"
    await sandbox.run("bash", "-c", f'setsid python3 -c "{name}" </dev/null >/dev/null 2>&1 &')
    await asyncio.sleep(0.5)

    assert (await sandbox.stats()).pids >= 1
