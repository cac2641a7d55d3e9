"""Images on a real engine: the shipped recipe, and pulls from a registry of our own."""

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import docker
import pytest

from sandbook.errors import ImageNotFoundError, SandboxStartError
from sandbook.sandbox import building
from sandbook.sandbox.images import build_image, ensure_image, is_present, pull_image

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]

SLEEP = f"sleep 4711{os.getpid()}"
"""What a build does for long; nobody else on this engine does it for just as long."""
SLOW = f"ARG BASE_IMAGE=sandbook/base\nFROM ${{BASE_IMAGE}}\nRUN echo begun; {SLEEP}\n"


@pytest.fixture
def api():
    client = docker.from_env()
    yield client.api
    client.close()


@pytest.fixture
def tag(api):
    """A name that the default recipe may have, and that nobody else uses."""
    name = f"sandbook/base:test-{uuid.uuid4().hex[:8]}"
    yield name
    if is_present(api, name):
        api.remove_image(name)


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """The real script with another Dockerfile."""
    shutil.copy(building.recipe_directory() / "build", tmp_path)
    monkeypatch.setattr(building, "recipe_directory", lambda: tmp_path)
    return tmp_path / "Dockerfile"


def without_docker_command(monkeypatch, folder):
    folder.mkdir()
    (folder / "bash").symlink_to(shutil.which("bash"))
    monkeypatch.setenv("PATH", str(folder))


def slow_containers(api):
    return [row["Id"] for row in api.containers(all=True) if SLEEP in row["Command"]]


def test_an_image_that_is_there_costs_nothing(api):
    seen = []

    ensure_image(api, "sandbook/base", seen.append)

    assert not seen


def test_the_default_image_is_built_from_the_shipped_recipe(api, tag):
    seen = []

    ensure_image(api, tag, seen.append)

    labels = api.inspect_image(tag)["Config"]["Labels"]
    assert len(labels["sandbook.recipe"]) == 16
    assert {progress.what for progress in seen} == {"build"}
    assert any(progress.text.startswith("Step 1/") for progress in seen)
    assert seen[-1].finished
    assert seen[-1].layers_done == seen[-1].layers_total > 5
    assert not any(progress.finished for progress in seen[:-1])


def test_building_again_is_quick_and_says_so(api, tag):
    build_image(api, tag, lambda _: None)
    seen = []

    build_image(api, tag, seen.append)

    assert any("up to date" in progress.text for progress in seen)


def test_without_the_docker_command_the_engine_builds(api, tag, tmp_path, monkeypatch):
    without_docker_command(monkeypatch, tmp_path / "bin")
    seen = []

    ensure_image(api, tag, seen.append)

    assert is_present(api, tag)
    assert seen[-1].finished
    assert seen[-1].layers_done == seen[-1].layers_total > 5


def test_two_callers_at_once_build_once(api, tag):
    seen = {"first": [], "second": []}
    clients = {name: docker.from_env() for name in seen}
    threads = [
        threading.Thread(target=ensure_image, args=(clients[name].api, tag, seen[name].append))
        for name in seen
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for client in clients.values():
        client.close()

    assert is_present(api, tag)
    built = [name for name, events in seen.items() if any("Building" in e.text for e in events)]
    assert len(built) == 1


def test_a_failing_build_tells_the_last_lines(api, tag, recipe):
    recipe.write_text("ARG BASE_IMAGE=sandbook/base\nFROM ${BASE_IMAGE}\nRUN echo so sad; exit 7\n")

    with pytest.raises(SandboxStartError, match=r"(?s)Could not build.*so sad.*code: 7"):
        ensure_image(api, tag, lambda _: None)

    assert not is_present(api, tag)


def test_a_failing_build_without_the_command_says_what_would_help(
    api, tag, recipe, tmp_path, monkeypatch
):
    recipe.write_text("FROM sandbook/base\nRUN exit 7\n")
    without_docker_command(monkeypatch, tmp_path / "bin")

    with pytest.raises(SandboxStartError, match=r"(?s)code: 7.*apt-get install docker.io"):
        ensure_image(api, tag, lambda _: None)


@pytest.mark.parametrize("has_command", [True, False])
def test_a_stopped_build_leaves_nothing(api, tag, recipe, tmp_path, monkeypatch, has_command):
    recipe.write_text(SLOW)
    if not has_command:
        without_docker_command(monkeypatch, tmp_path / "bin")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(building.tempfile, "tempdir", str(scratch))
    stop, at_work = threading.Event(), []

    def stop_when_it_has_begun(progress):
        if progress.text == "begun":
            at_work.extend(slow_containers(api))
            at_work.extend(scratch.glob("*/certificates"))
            stop.set()

    with pytest.raises(SandboxStartError, match="Stopped"):
        build_image(api, tag, stop_when_it_has_begun, stop)

    assert len(at_work) == 2
    deadline = time.monotonic() + 20
    while slow_containers(api) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not slow_containers(api)
    assert list(scratch.iterdir()) == []


def test_an_error_of_the_listener_ends_the_build(api, tag, recipe):
    recipe.write_text(SLOW)

    def leave(progress):
        if progress.text == "begun":
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        build_image(api, tag, leave)

    assert not is_present(api, tag)


@pytest.fixture
def registry():
    """A registry with one image of two layers; the engine trusts localhost without TLS."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Registry)
    server.blobs = {}
    layers, digests = zip(*(_layer(name) for name in ("one", "two")), strict=True)
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": digests},
    }
    kind = "application/vnd.docker.distribution.manifest.v2+json"
    manifest = {
        "schemaVersion": 2,
        "mediaType": kind,
        "config": _stored(server, "application/vnd.docker.container.image.v1+json", config),
        "layers": [
            _stored(server, "application/vnd.docker.image.rootfs.diff.tar.gzip", layer)
            for layer in layers
        ],
    }
    server.manifest = (kind, json.dumps(manifest).encode())
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def _layer(name):
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = 1 << 20
        archive.addfile(member, io.BytesIO(uuid.uuid4().bytes * (1 << 16)))
    plain = target.getvalue()
    return gzip.compress(plain), f"sha256:{hashlib.sha256(plain).hexdigest()}"


def _stored(server, kind, content):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    server.blobs[digest] = data
    return {"mediaType": kind, "size": len(data), "digest": digest}


class _Registry(BaseHTTPRequestHandler):
    def do_GET(self):
        kind, data = "application/octet-stream", None
        if self.path == "/v2/":
            data = b"{}"
        elif "/sandbook-test/manifests/" in self.path:
            kind, data = self.server.manifest
        elif "/blobs/" in self.path:
            data = self.server.blobs.get(self.path.rpartition("/")[2])
        self.send_response(200 if data else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data or b"")))
        if data:
            self.send_header("Docker-Content-Digest", f"sha256:{hashlib.sha256(data).hexdigest()}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data or b"")

    do_HEAD = do_GET  # noqa: N815 -- named by the library

    def log_message(self, *_):
        pass


def test_another_image_is_pulled_with_progress(api, registry):
    image = f"{registry}/sandbook-test"
    seen = []

    ensure_image(api, image, seen.append)

    present = is_present(api, image)
    api.remove_image(image)
    assert present
    assert {progress.what for progress in seen} == {"pull"}
    assert seen[-1].finished
    assert (seen[-1].layers_done, seen[-1].layers_total) == (2, 2)


def test_an_image_that_no_registry_has_is_not_found(api, registry):
    image = f"{registry}/no-such-image"

    with pytest.raises(ImageNotFoundError, match=f"docker pull {image}") as caught:
        ensure_image(api, image, lambda _: None)

    assert caught.value.image == image
    assert caught.value.reason


def test_a_registry_that_cannot_be_reached_is_told(api):
    with pytest.raises(ImageNotFoundError, match="could not be pulled"):
        pull_image(api, "127.0.0.1:9/nothing/here", lambda _: None)
