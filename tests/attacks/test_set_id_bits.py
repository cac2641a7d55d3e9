"""Attack: a file of the shared folder becomes set-user-ID, so that every user of the host who runs
it has the rights of its owner, who may be root."""

import json
import platform
import stat

import pytest

from sandbook.files.workspace import WorkspaceFiles

ARCHIVE = (
    'import tarfile; plant = tarfile.TarInfo("plant"); plant.mode = 0o4755;'
    'tarfile.open("p.tar", "w").addfile(plant)'
)
COMMANDS = {
    "chmod, setuid": "cp /bin/true plant; chmod 4755 plant",
    "chmod, setgid": "cp /bin/true plant; chmod 2755 plant",
    "chmod, both": "cp /bin/true plant; chmod 6755 plant",
    "chmod, by letters": "cp /bin/true plant; chmod u+s,g+s plant",
    "chmod of a link": "cp /bin/true plant; ln -s plant link; chmod 4755 link",
    "install": "install -m 4755 /bin/true plant",
    "cp of a file that has it": "cp -p /usr/bin/passwd plant || cp -p /bin/su plant",
    "umask 0": "umask 0; python3 -c 'import os; os.open(\"plant\", os.O_CREAT, 0o4755)'",
    "hard link": "cp /bin/true other; ln other plant; chmod 4755 other",
    "in a folder": "mkdir -p a/b; cp /bin/true a/b/plant; chmod -R 4755 a",
    "tar": "cp /bin/true plant; tar --mode=4755 -cf t.tar plant; rm plant; tar -xpf t.tar",
    "an archive of Python": f"python3 -c '{ARCHIVE}'; tar -xpf p.tar",
}
CALL = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
path = ctypes.create_string_buffer(b"plant")
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)
places = {"path": path, "how": how, "fd": lambda: os.open("plant", os.O_CREAT | os.O_RDWR)}
for name, (number, *arguments) in json.loads(sys.argv[1]).items():
    os.umask(0)
    if name.startswith(("chmod", "fchmod")):
        os.close(places["fd"]())
    given = []
    for argument in arguments:
        found = places.get(argument, argument)
        found = found() if callable(found) else found
        given.append(ctypes.c_long(found) if isinstance(found, int) else found)
    made = libc.syscall(ctypes.c_long(number), *given)
    if name == "O_TMPFILE" and made >= 0:
        os.link(f"/proc/self/fd/{made}", "plant", follow_symlinks=True)
    if os.path.exists("plant"):
        print(name, oct(os.stat("plant").st_mode))
        if os.stat("plant").st_mode & 0o6000:
            sys.exit(f"{name} made a file with the bit")
        os.unlink("plant")
"""
O_CREAT, O_WRONLY, O_TMPFILE, AT_FDCWD, S_IFREG = 0o100, 1, 0o20200000, -100, 0o100000
CALLS = {
    "x86_64": {
        "chmod": [90, "path", 0o4755],
        "chmod, high bits": [90, "path", 0x7F00000000 | 0o4755],
        "fchmod": [91, "fd", 0o4755],
        "fchmod, setgid": [91, "fd", 0o2755],
        "fchmodat": [268, AT_FDCWD, "path", 0o4755],
        "fchmodat2": [452, AT_FDCWD, "path", 0o4755, 0],
        "open": [2, "path", O_CREAT | O_WRONLY, 0o4755],
        "creat": [85, "path", 0o4755],
        "openat": [257, AT_FDCWD, "path", O_CREAT | O_WRONLY, 0o4755],
        "openat2": [437, AT_FDCWD, "path", "how", 24],
        "O_TMPFILE": [257, AT_FDCWD, "path", O_TMPFILE | 2, 0o4755],
        "mknod": [133, "path", S_IFREG | 0o4755, 0],
        "mknodat": [259, AT_FDCWD, "path", S_IFREG | 0o4755, 0],
        "x32 chmod": [0x40000000 + 90, "path", 0o4755],
    },
    "aarch64": {
        "fchmod": [52, "fd", 0o4755],
        "fchmodat": [53, AT_FDCWD, "path", 0o4755],
        "fchmodat2": [452, AT_FDCWD, "path", 0o4755, 0],
        "openat": [56, AT_FDCWD, "path", O_CREAT | O_WRONLY, 0o4755],
        "openat2": [437, AT_FDCWD, "path", "how", 24],
        "mknodat": [33, AT_FDCWD, "path", S_IFREG | 0o4755, 0],
    },
}
AS_32_BIT = """
import ctypes, mmap, os, sys
os.close(os.open("plant", os.O_CREAT | os.O_RDWR))
low = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40,
    prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
address = ctypes.addressof(ctypes.c_char.from_buffer(low))
if address >> 32:
    sys.exit("the page is not where 32-bit code could reach it")
low[256:262] = b"plant\\0"
# mov eax, number; mov ebx, path; mov ecx, mode; int 0x80; ret; ebx belongs to the caller
code = b"\\x53\\xb8" + (15).to_bytes(4, "little") + b"\\xbb" + (address + 256).to_bytes(4, "little")
code += b"\\xb9" + (0o4755).to_bytes(4, "little") + b"\\xcd\\x80\\x5b\\xc3"
low[: len(code)] = code
print(ctypes.CFUNCTYPE(ctypes.c_int)(address)())
"""


def bits_in(folder):
    """Find all set-user-ID and set-group-ID files that the host sees."""
    seen = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [path.name for path in seen if path.lstat().st_mode & 0o6000]


def users(sandbox):
    return [False, True] if sandbox.info.backend == "docker" else [False]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
async def test_no_command_plants_the_bit(sandbox, tmp_path, command):
    for root in users(sandbox):
        script = f"rm -rf plant other link a *.tar; {command}"
        await sandbox.run("sh", "-c", f"cd /workspace && {script}", root=root)

        assert bits_in(tmp_path) == []


async def test_no_system_call_plants_the_bit(sandbox, tmp_path):
    calls = json.dumps(CALLS[platform.machine()])
    for root in users(sandbox):
        script = 'cd /workspace && exec python3 -c "$0" "$1"'
        told = await sandbox.run("sh", "-c", script, CALL, calls, root=root)

        assert told.exit_code == 0, (told.output, told.errors)
        assert b"chmod 0o100" in told.output  # the calls were made: the file had its plain mode
        assert bits_in(tmp_path) == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86 has a second way to call")
async def test_no_call_of_32_bit_programs_plants_the_bit(sandbox, tmp_path):
    for root in users(sandbox):
        script = 'cd /workspace && rm -f plant; exec python3 -c "$0"'
        told = await sandbox.run("sh", "-c", script, AS_32_BIT, root=root)

        assert told.exit_code == 0, told.errors
        assert told.output.strip() in {b"-1", b"-38"}  # not permitted, or no such way to call
        assert bits_in(tmp_path) == []


async def test_ordinary_modes_work(sandbox, tmp_path):
    script = "cd /workspace && touch f && chmod 751 f && mkdir -m 1777 d && install -m 640 f g"
    told = await sandbox.run("sh", "-c", f"{script} && cp -a d e && mkfifo p && chmod +x g")

    assert told.exit_code == 0, told.errors
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert (modes["f"], modes["d"], modes["e"], modes["g"]) == (0o751, 0o1777, 0o1777, 0o751)


async def test_a_file_that_has_the_bit_can_be_edited_and_loses_it(sandbox, tmp_path):
    script = tmp_path / "script"
    script.write_text("old")
    script.chmod(0o6755)

    files = WorkspaceFiles(sandbox)
    await files.write("/workspace/script", b"new")
    await files.close()

    assert script.read_text() == "new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o755


@pytest.mark.online
@pytest.mark.parametrize("backend", ["docker"], indirect=True)
async def test_packages_with_such_files_can_be_installed(sandbox):
    """In one the bit is in the archive; in the other, its script sets it."""
    script = "apt-get update -q && apt-get install -q -y --no-install-recommends libutempter0 cron"
    told = await sandbox.run("sh", "-c", script, root=True)
    find = "find / -xdev -perm /6000 -newer /etc/apt/apt.conf.d/99sandbook -type f"
    planted = await sandbox.run("sh", "-c", find, root=True)

    assert told.exit_code == 0, told.output[-2000:] + told.errors[-2000:]
    assert planted.output == b""
    assert (await sandbox.run("test", "-x", "/usr/bin/crontab")).exit_code == 0
