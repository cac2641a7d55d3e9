"""An engine behind ssh, with a real sshd on this machine: far away for all we know."""

import asyncio
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from sandbook.errors import BackendUnavailableError, SandboxError
from sandbook.files.workspace import WorkspaceFiles
from sandbook.sandbox.docker import DockerBackend

pytestmark = pytest.mark.timeout(180)

HOST = "127.0.0.1"
SERVER = """\
ListenAddress {host}:{port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM yes
PermitRootLogin prohibit-password
PasswordAuthentication no
SetEnv PATH={path}
"""
CLIENT = """\
Host *
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  StrictHostKeyChecking yes
"""


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def processes():
    """Tell the parent, the state and the name of every process."""
    listed = subprocess.check_output(["ps", "-eo", "pid=,ppid=,stat=,comm="], text=True)
    return {int(row[0]): (int(row[1]), *row[2:]) for row in map(str.split, listed.splitlines())}


def ssh_of_ours():
    """List the ssh programs that this process started, those too that wait to be reaped."""
    return {pid for pid, row in processes().items() if row[0] == os.getpid() and "ssh" in row[2]}


class Far:
    """An sshd, and a program `ssh` that knows it and nobody else."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.url = f"ssh://{getpass.getuser()}@{HOST}:{self.port}"
        for name in ("host", "key"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(command, check=True)
        public = (folder / "host.pub").read_text()
        (folder / "known_hosts").write_text(f"[{HOST}]:{self.port} {public}")
        values = {"host": HOST, "port": self.port, "folder": folder, "path": os.environ["PATH"]}
        (folder / "server").write_text(SERVER.format(**values))
        (folder / "client").write_text(CLIENT.format(folder=folder))
        self.programs = folder / "bin"
        self.programs.mkdir()
        ssh = self.programs / "ssh"
        ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/client "$@"\n')
        ssh.chmod(0o755)

    def start(self):
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        with (self.folder / "log").open("ab") as log:
            command = [program, "-D", "-e", "-f", str(self.folder / "server")]
            self.process = subprocess.Popen(command, stderr=log)
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection((HOST, self.port), 1).close()
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    pytest.fail((self.folder / "log").read_text())
                time.sleep(0.05)
            else:
                return

    def stop(self):
        """End the sshd and all its connections."""
        family = [self.process.pid]
        parents = {pid: row[0] for pid, row in processes().items()}
        for pid in family:
            family += [child for child, parent in parents.items() if parent == pid]
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait(20)


@pytest.fixture
def far(tmp_path_factory, monkeypatch):
    made = Far(tmp_path_factory.mktemp("ssh"))
    monkeypatch.setenv("PATH", f"{made.programs}:{os.environ['PATH']}")
    monkeypatch.setenv("DOCKER_HOST", made.url)
    made.start()
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def no_ssh_stays():
    yield
    deadline = time.monotonic() + 15
    while ssh_of_ours() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not ssh_of_ours()


def volumes():
    command = ["docker", "volume", "ls", "-q"]
    environment = {**os.environ, "DOCKER_HOST": "", "DOCKER_CONTEXT": "default"}
    return subprocess.check_output(command, text=True, env=environment).split()


async def pieces_of(data):
    yield data


async def test_cells_files_and_numbers_go_through_ssh(far, owner, tmp_path):
    person = owner("docker")
    (tmp_path / "of-this-machine").touch()

    assert await person.run("ls; x=1; echo $x > file; cat file") == (0, "1\n")
    sandbox = person.executor.sandbox
    files = WorkspaceFiles(sandbox)
    await files.write("/workspace/sent", b"abc")
    assert await person.run("echo $x; cat sent; echo; seq 50000 | tail -1") == (
        0,
        "1\nabc\n50000\n",
    )
    read = await files.read("/workspace/sent")
    await files.close()
    stats = await sandbox.stats()
    name = f"sandbook-{sandbox.info.sandbox_id}"
    during = volumes()
    await person.executor.close(restart=False)

    assert read == b"abc"
    assert stats.memory_bytes > 0
    assert name in during
    assert name not in volumes()


async def test_an_interrupt_reaches_the_program_and_not_the_connection(far, owner):
    person = owner("docker", network="none")
    await person.run("x=1")
    running = asyncio.ensure_future(person.run("echo begun; sleep 60"))
    await asyncio.sleep(1)
    await person.executor.interrupt()

    assert (await running)[0] == 130
    assert await person.run("echo $x") == (0, "1\n")


@pytest.mark.parametrize("chosen", ["DOCKER_CONTEXT", "currentContext"])
async def test_a_context_of_the_docker_command_is_taken(far, chosen, monkeypatch, tmp_path, owner):
    monkeypatch.delenv("DOCKER_HOST")
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "config"))
    create = ["docker", "context", "create", "far", "--docker", f"host={far.url}"]
    subprocess.run(create, check=True, capture_output=True)
    if chosen == "DOCKER_CONTEXT":
        monkeypatch.setenv("DOCKER_CONTEXT", "far")
    else:
        subprocess.run(["docker", "context", "use", "far"], check=True, capture_output=True)

    person = owner("docker", network="none")

    assert await person.run("echo $((6 * 7))") == (0, "42\n")
    assert f"sandbook-{person.executor.info.sandbox_id}" in volumes()


async def test_a_context_that_does_not_exist_is_told_by_name(monkeypatch, tmp_path):
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("DOCKER_CONTEXT", "nowhere")

    with pytest.raises(BackendUnavailableError, match="'nowhere' does not exist"):
        await DockerBackend().check()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda far: far.stop() or far, "Connection refused"),
        (lambda far: (far.folder / "key.pub").write_text(""), "Permission denied"),
        (lambda far: (far.folder / "known_hosts").write_text(""), "Host key verification failed"),
    ],
    ids=["nobody listens", "wrong key", "unknown machine"],
)
async def test_why_ssh_does_not_connect_is_told_in_its_own_words(far, spoil, reason, owner):
    spoil(far)

    with pytest.raises(BackendUnavailableError, match=f"No Docker engine answers .*{reason}"):
        await owner("docker").run("echo no")


async def test_the_sdk_tells_it_in_the_same_words(far):
    backend = DockerBackend()
    await backend.call(lambda api: api.version())
    far.stop()

    with pytest.raises(BackendUnavailableError, match=r"No Docker engine answers .*refused"):
        await backend.call(lambda api: api.version())
    backend.close()


async def test_a_machine_that_says_nothing_is_given_up(far, monkeypatch):
    with socket.create_server((HOST, 0)) as silent:
        monkeypatch.setenv("DOCKER_HOST", f"ssh://{HOST}:{silent.getsockname()[1]}")

        with pytest.raises(BackendUnavailableError, match="timed out"):
            await DockerBackend().check()


async def test_without_the_program_ssh_that_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"ssh://{HOST}")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(BackendUnavailableError, match="ssh, which"):
        await DockerBackend().check()


async def test_a_connection_that_breaks_is_told_and_the_next_cell_works(far, owner):
    person = owner("docker", network="none")
    await person.run("cd /usr; echo kept > /workspace/file")
    far.stop()

    with pytest.raises(SandboxError) as lost:
        await person.run("echo no")
    with pytest.raises(BackendUnavailableError, match="Connection refused"):
        await person.run("echo no")
    far.start()

    assert "Traceback" not in str(lost.value)
    assert await person.run("pwd; cat /workspace/file") == (0, "/usr\nkept\n")
