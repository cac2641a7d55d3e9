"""What the system call filter refuses, and that ordinary life goes on, in real containers."""

import errno
import json
import platform

import docker
import pytest

from sandbook.sandbox import seccomp
from sandbook.sandbox.container import CAPABILITIES

REFUSED = (errno.EPERM, errno.ENOSYS)
NUMBERS = {
    # name: (number on x86_64, number on aarch64, arguments that name nothing dangerous)
    "add_key": (248, 217, 0, 0, 0, 0, 0),
    "bpf": (321, 280, 0, 0, 0),
    "chroot": (161, 51, 0),
    "clone into a new user namespace": (56, 220, 0x10000011, 0, 0, 0, 0),
    "clone3": (435, 435, 0, 0),
    "finit_module": (313, 273, -1, 0, 0),
    "fsopen": (430, 430, 0, 0),
    "init_module": (175, 105, 0, 0, 0),
    "io_uring_enter": (426, 426, -1, 0, 0, 0, 0),
    "io_uring_register": (427, 427, -1, 0, 0, 0),
    "io_uring_setup": (425, 425, 1, 0),
    "kexec_load": (246, 104, 0, 0, 0, 0),
    "keyctl": (250, 219, 0, -3, 0),
    "mount": (165, 40, 0, 0, 0, 0, 0),
    "open_by_handle_at": (304, 265, -1, 0, 0),
    "open_tree": (428, 428, -1, 0, 0),
    "perf_event_open": (298, 241, 0, 0, -1, -1, 0),
    "personality without random addresses": (135, 92, 0x40000),
    "pidfd_getfd": (438, 438, -1, 0, 0),
    "pivot_root": (155, 41, 0, 0),
    "request_key": (249, 218, 0, 0, 0, 0),
    "setns": (308, 268, -1, 0),
    "settimeofday": (164, 170, 0, 0),
    "socket for ciphers": (41, 198, 38, 5, 0),
    "socket for packets": (41, 198, 17, 3, 0),
    "socket to the hypervisor": (41, 198, 40, 1, 0),
    "swapon": (167, 224, 0, 0),
    "syslog": (103, 116, 3, 0, 0),
    "unshare into a new user namespace": (272, 97, 0x10000000),
    "unshare without any flag": (272, 97, 0),
    "userfaultfd": (323, 282, 0),
}
CALL = """
import ctypes, json, os, sys
call = ctypes.CDLL(None, use_errno=True).syscall
said = {}
for name, (number, *arguments) in json.loads(sys.argv[1]).items():
    ctypes.set_errno(0)
    answer = call(number, *(ctypes.c_long(argument) for argument in arguments))
    if name.startswith("clone") and answer == 0:
        os._exit(0)
    said[name] = ctypes.get_errno() if answer == -1 else -1
print(json.dumps(said))
"""
CALL_AS_32_BIT = """
import ctypes, json, mmap
MAP_32BIT = 0x40
low = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_32BIT)
low.write(b"".join(word.to_bytes(4, "little") for word in (40, 1, 0)))  # socket(AF_VSOCK, ...)
block = ctypes.addressof(ctypes.c_char.from_buffer(low))
said = []
for number, first, second in ((102, 0, 0), (102, 1, block), (425, 0, 0)):  # socketcall, io_uring
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    words = [number, first, second]
    into = (b"\\xb8", b"\\xbb", b"\\xb9")  # eax, ebx, ecx
    load = b"".join(op + word.to_bytes(4, "little") for op, word in zip(into, words))
    code.write(b"\\x53" + load + b"\\xcd\\x80\\x5b\\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    said.append(-ctypes.CFUNCTYPE(ctypes.c_int)(address)())
print(json.dumps(said))
"""
FLOCK = """
import fcntl, tempfile
with tempfile.TemporaryFile() as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
"""
INOTIFY = """
import ctypes, os, select, tempfile
libc, folder = ctypes.CDLL(None), tempfile.mkdtemp()
watch = libc.inotify_init1(0)
assert libc.inotify_add_watch(watch, folder.encode(), 0x100) > 0
poll = select.epoll()
poll.register(watch, select.EPOLLIN)
open(folder + "/new", "w").close()
assert poll.poll(5) and b"new" in os.read(watch, 4096)
"""
DESCRIPTORS = """
import ctypes, os, signal, struct
libc = ctypes.CDLL(None, use_errno=True)
event = os.eventfd(1)
assert os.eventfd_read(event) == 1
timer = libc.timerfd_create(1, 0)
assert libc.timerfd_settime(timer, 0, struct.pack("4q", 0, 0, 0, 1000), None) == 0
assert struct.unpack("q", os.read(timer, 8)) == (1,)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
signals = libc.signalfd(-1, (1 << signal.SIGUSR1 - 1).to_bytes(128, "little"), 0)
assert signals >= 0, os.strerror(ctypes.get_errno())
os.kill(os.getpid(), signal.SIGUSR1)
assert os.read(signals, 128)[0] == signal.SIGUSR1
"""
COPIES = """
import os, tempfile
with tempfile.TemporaryFile() as one, tempfile.TemporaryFile() as two:
    one.write(b"text" * 1000)
    one.flush()
    assert os.sendfile(two.fileno(), one.fileno(), 0, 4000) == 4000
    assert os.copy_file_range(one.fileno(), two.fileno(), 4000, 0, 0) == 4000
    os.posix_fallocate(two.fileno(), 0, 8192)
"""
MEMORY = """
import ctypes, mmap
libc, pages = ctypes.CDLL(None), mmap.mmap(-1, 8192)
address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(pages)))
assert libc.mprotect(address, 4096, mmap.PROT_READ) == 0
assert libc.madvise(address, 4096, 4) == 0 and libc.mlock(address, 4096) == 0
"""
PROCESSES = """
import multiprocessing, subprocess, threading
from multiprocessing import shared_memory
def work(number):
    with lock:
        return number * number
lock = multiprocessing.Semaphore(2)
threads = [threading.Thread(target=lambda: subprocess.run(["true"], check=True)) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
with multiprocessing.Pool(4) as pool:
    assert sum(pool.map(work, range(10))) == 285
memory = shared_memory.SharedMemory(create=True, size=100)
memory.close()
memory.unlink()
"""
SOCKETS = """
import asyncio, socket, tempfile
async def main():
    async def serve(reader, writer):
        writer.write(await reader.readline())
        writer.close()
    path = tempfile.mkdtemp() + "/socket"
    for server in [await asyncio.start_unix_server(serve, path),
                   await asyncio.start_server(serve, "127.0.0.1", 0)]:
        name = server.sockets[0].getsockname()
        local = name == path
        reader, writer = await (
            asyncio.open_unix_connection(path) if local else asyncio.open_connection(*name)
        )
        writer.write(b"hello\\n")
        assert await reader.readline() == b"hello\\n"
        writer.close()
        server.close()
asyncio.run(main())
"""
TRACE = """
import ctypes, os, signal
libc = ctypes.CDLL(None)
child = os.fork()
if not child:
    libc.ptrace(0, 0, 0, 0)
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(7)
assert os.WIFSTOPPED(os.waitpid(child, 0)[1])
assert libc.ptrace(7, child, 0, 0) == 0
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
SCRIPTS = {
    "locks": FLOCK,
    "inotify and epoll": INOTIFY,
    "timerfd, eventfd, signalfd": DESCRIPTORS,
    "sendfile, copy_file_range": COPIES,
    "mmap, mprotect, mlock": MEMORY,
    "threads, subprocess, multiprocessing": PROCESSES,
    "sockets": SOCKETS,
    "a debugger": TRACE,
}
ARCHIVE = "$(grep -rhoPm1 '^(URIs:|deb ).*?\\Khttps?://[^ ]+' /etc/apt/ | head -1)"
COMMANDS = {
    "git": "git init -q . && echo one >file && git add file && git -c user.name=me -c "
    "user.email=me@here commit -qm first && git gc -q && git log --oneline",
    "tar and dd": "dd if=/dev/zero of=big bs=1M count=4 conv=fsync && tar cz big | tar tz",
    "pipes": "mkfifo pipe && (seq 100000 >pipe &) && sort --parallel=2 -n pipe | grep 100000",
    "jobs": "seq 8 | xargs -P4 -n1 timeout 5 nice echo && setsid true && ls -la /proc/self/fd",
    "permissions": "touch file && chmod 1755 file && ln -s file link && cp -a link copy && df .",
    "http": f"curl --fail --silent --show-error --head {ARCHIVE}/",
    "https": f'curl --silent --show-error --head "$(sed s/http:/https:/ <<<{ARCHIVE})"',
}


@pytest.fixture(scope="module")
def engine():
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture(scope="module")
def machine(engine):
    made = engine.containers.run(
        "sandbook/base",
        entrypoint=["sleep", "300"],
        command=[],
        detach=True,
        init=True,
        cap_drop=["ALL"],
        cap_add=CAPABILITIES,
        pids_limit=512,
        security_opt=["no-new-privileges", f"seccomp={seccomp.profile()}"],
    )
    yield made
    made.remove(force=True)


def run(machine, argv, user):
    code, output = machine.exec_run(argv, user=user, workdir="/tmp", environment={"HOME": "/tmp"})
    assert code == 0, output.decode()
    return output.decode()


@pytest.mark.parametrize("user", ["0", "1000"])
def test_calls_that_lead_out_are_refused(machine, user):
    column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    calls = {name: (row[column], *row[2:]) for name, row in NUMBERS.items()}

    said = json.loads(run(machine, ["python3", "-c", CALL, json.dumps(calls)], user))

    assert said.keys() == NUMBERS.keys()
    assert not {name: code for name, code in said.items() if code not in REFUSED}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86 has this second door")
@pytest.mark.parametrize("user", ["0", "1000"])
def test_the_door_for_32_bit_programs_is_no_way_around(machine, user):
    said = json.loads(run(machine, ["python3", "-c", CALL_AS_32_BIT], user))

    assert set(said) <= set(REFUSED)


@pytest.mark.parametrize("user", ["0", "1000"])
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_what_programs_ordinarily_do_works(machine, script, user):
    run(machine, ["python3", "-c", script], user)


@pytest.mark.parametrize("user", ["0", "1000"])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_what_people_ordinarily_type_works(machine, command, user):
    script = f"set -e -o pipefail; cd $(mktemp -d); {command}"

    run(machine, ["bash", "-c", script], user)


def test_root_installs_packages(machine):
    script = (
        "apt-get -qq update && apt-get -qq install --no-install-recommends tree && tree --version"
    )

    said = run(machine, ["bash", "-c", script], "0")

    assert "tree v" in said


def test_every_process_of_the_sandbox_is_filtered(machine):
    modes = run(machine, ["bash", "-c", "grep -h ^Seccomp: /proc/[0-9]*/status"], "0")

    assert {line.split()[1] for line in modes.splitlines()} == {"2"}


def test_the_profile_is_one_line_that_names_each_call_once():
    told = json.loads(seccomp.profile())
    names = [name for rule in told["syscalls"] if "args" not in rule for name in rule["names"]]

    assert "\n" not in seccomp.profile()
    assert len(names) == len(set(names))
    assert told["defaultAction"] == "SCMP_ACT_ERRNO"
    assert not [name for name in names if name.startswith("io_uring")]
