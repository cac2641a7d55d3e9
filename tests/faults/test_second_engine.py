"""An engine of our own, reached over TCP with TLS: far away for all we know, ours to restart."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from sandbook.errors import (
    BackendUnavailableError,
    SandboxError,
    SandboxStartError,
    SessionLostError,
)
from sandbook.sandbox import building
from sandbook.sandbox import docker as backends
from sandbook.sandbox.network import isolate

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

HOST = "127.0.0.1"
BRIDGE = f"sbt{os.getpid()}"
"""With no bridge at all, an engine removes that of the others on the machine."""


def openssl(*arguments, cwd):
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True)


def make_certificates(folder):
    """Make an authority, and a certificate each for the engine and for us."""
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test",
            "-keyout", "ca-key.pem", "-out", "ca.pem", cwd=folder)  # fmt: skip
    for name in ("server", "client"):
        extensions = folder / f"{name}.ext"
        usage = "serverAuth" if name == "server" else "clientAuth"
        extensions.write_text(f"subjectAltName=IP:{HOST}\nextendedKeyUsage={usage}\n")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
                "-keyout", f"{name}-key.pem", "-out", f"{name}.csr", cwd=folder)  # fmt: skip
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca-key.pem",
                "-CAcreateserial", "-days", "2", "-extfile", str(extensions),
                "-out", f"{name}.pem", cwd=folder)  # fmt: skip
    shutil.copy(folder / "client.pem", folder / "cert.pem")
    shutil.copy(folder / "client-key.pem", folder / "key.pem")


class SecondEngine:
    """A dockerd with a data root of its own."""

    def __init__(self, folder, port):
        self.folder = folder
        self.port = port
        self.process = None

    def start(self):
        command = [
            *("dockerd", "-H", f"tcp://{HOST}:{self.port}", "-H", f"unix://{self.folder}/d.sock"),
            *("--tlsverify", "--tlscacert", f"{self.folder}/ca.pem"),
            *(
                "--tlscert",
                f"{self.folder}/server.pem",
                "--tlskey",
                f"{self.folder}/server-key.pem",
            ),
            *("--data-root", f"{self.folder}/data", "--exec-root", f"{self.folder}/exec"),
            *("--pidfile", f"{self.folder}/d.pid", "--bridge", BRIDGE, "--iptables=false"),
        ]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while self.docker("info", check=False).returncode != 0:
            if time.monotonic() > deadline or self.process.poll() is not None:
                pytest.fail((self.folder / "log").read_text()[-3000:])
            time.sleep(0.2)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def docker(self, *arguments, check=True, **options):
        command = ["docker", "-H", f"unix://{self.folder}/d.sock", *arguments]
        return subprocess.run(command, check=check, capture_output=True, **options)

    def load(self, image):
        saved = self.folder / "image.tar"
        subprocess.run(["docker", "save", "-o", str(saved), image], check=True)
        self.docker("load", "-i", str(saved))
        saved.unlink()


@pytest.fixture(scope="module")
def second_engine(tmp_path_factory):
    folder = Path(tmp_path_factory.mktemp("engine"))
    make_certificates(folder)
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    subprocess.run(["ip", "link", "add", BRIDGE, "type", "bridge"], check=True)
    subprocess.run(
        ["ip", "address", "add", f"198.18.{os.getpid() % 255}.1/24", "dev", BRIDGE], check=True
    )
    engine = SecondEngine(folder, port)
    try:
        engine.start()
        engine.load("sandbook/base")
        yield engine
        engine.stop()
    finally:
        subprocess.run(["ip", "link", "delete", BRIDGE], check=True)
    shutil.rmtree(folder / "data", ignore_errors=True)


@pytest.fixture
def far_away(second_engine, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", f"tcp://{HOST}:{second_engine.port}")
    monkeypatch.setenv("DOCKER_TLS_VERIFY", "1")
    monkeypatch.setenv("DOCKER_CERT_PATH", str(second_engine.folder))
    return second_engine


async def test_a_far_engine_gets_a_volume_that_goes_with_the_sandbox(far_away, owner, tmp_path):
    person = owner("docker", network="none")
    (tmp_path / "of-this-machine").touch()

    assert await person.run("ls; echo x > file; cat file") == (0, "x\n")
    stats = await person.executor.sandbox.stats()
    during = far_away.docker("volume", "ls", "-q", text=True).stdout.split()
    await person.executor.close(restart=False)
    after = far_away.docker("volume", "ls", "-q", text=True).stdout.split()

    assert stats.memory_bytes > 0
    assert during == [f"sandbook-{person.executor.sandbox_id}"]
    assert after == []


async def test_a_context_with_certificates_is_taken(far_away, owner, monkeypatch, tmp_path):
    folder = far_away.folder
    for variable in ("DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"):
        monkeypatch.delenv(variable)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "config"))
    endpoint = f"host=tcp://{HOST}:{far_away.port},ca={folder}/ca.pem"
    endpoint += f",cert={folder}/cert.pem,key={folder}/key.pem"
    create = ["docker", "context", "create", "safe", "--docker", endpoint]
    subprocess.run(create, check=True, capture_output=True)
    monkeypatch.setenv("DOCKER_CONTEXT", "safe")

    person = owner("docker", network="none")
    answer = await person.run("echo through TLS > file; cat file")
    sandbox = person.executor.sandbox
    told = [await sandbox.run("cat", "/workspace/file") for _ in range(10)]
    echo = await sandbox.run("sh", "-c", "cat; sleep 0.2; cat; echo end", data=b"12345678" * 10000)

    assert answer == (0, "through TLS\n")
    assert [one.output for one in told] == [b"through TLS\n"] * 10
    assert echo.output == b"12345678" * 10000 + b"end\n"


async def test_megabytes_come_whole_through_tls(far_away, owner):
    status, output = await owner("docker", network="none").run("seq 200000")

    assert (status, len(output)) == (0, 1_288_895)


@pytest.fixture
def fresh_engine(far_away, tmp_path, monkeypatch):
    """An engine that has an image of somebody's own, and not the default one."""
    recipe = tmp_path / "recipe"
    recipe.mkdir()
    shutil.copy(building.recipe_directory() / "build", recipe)
    monkeypatch.setattr(building, "recipe_directory", lambda: recipe)
    # Two engines of one machine may have the same id, and so the same name for the bridge of the
    # network `sandbook`: this one must leave that of the other alone.
    network = f"{BRIDGE}-isolated"
    monkeypatch.setattr(backends, "isolate", partial(isolate, name=network))
    far_away.docker("tag", "sandbook/base", "own/image")
    far_away.docker("rmi", "sandbook/base")
    yield far_away, recipe / "Dockerfile"
    far_away.docker("network", "rm", network, check=False)
    far_away.docker("tag", "own/image", "sandbook/base")


async def test_an_image_of_ones_own_is_enough_on_a_fresh_engine(fresh_engine, owner):
    engine, recipe = fresh_engine
    recipe.write_text("ARG BASE_IMAGE=own/image\nFROM ${BASE_IMAGE}\n")
    seen = []
    person = owner("docker", image="own/image")
    person.executor.on_progress = seen.append

    assert await person.run("echo hi") == (0, "hi\n")
    assert person.executor.info.image == "own/image"
    assert {progress.what for progress in seen} == {"build"}
    assert engine.docker("image", "inspect", "sandbook/base").returncode == 0


async def test_a_helper_image_that_cannot_be_built_is_told_with_what_to_do(fresh_engine, owner):
    _, recipe = fresh_engine
    recipe.write_text("ARG BASE_IMAGE=own/image\nFROM ${BASE_IMAGE}\nRUN echo broken; false\n")

    with pytest.raises(SandboxStartError, match="sandbook image build") as refused:
        await owner("docker", image="own/image").run("echo no")

    assert "broken" in str(refused.value)
    assert "scripts/" not in str(refused.value)
    assert await owner("docker", image="own/image", network="none").run("echo hi") == (0, "hi\n")


async def test_a_restarted_engine_is_told_and_the_next_cell_works(far_away, owner):
    person = owner("docker", network="none")
    await person.run("x=1")
    running = asyncio.ensure_future(person.run("sleep 60"))
    await asyncio.sleep(0.5)

    await asyncio.to_thread(far_away.stop)
    with pytest.raises((SessionLostError, BackendUnavailableError)) as lost:
        await running
    with pytest.raises(SandboxError) as refused:
        await person.run("echo too early")
    await asyncio.to_thread(far_away.start)

    assert "No Docker engine answers" in str(refused.value)
    assert "Traceback" not in str(lost.value)
    assert await person.run("echo ${x-gone}") == (0, "gone\n")
