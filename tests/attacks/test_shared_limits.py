"""Attack: a sandbox uses up what all programs of its user share outside of it."""

import contextlib
import json
from pathlib import Path

import docker
import pytest

TAKE_ALL = """
import ctypes, json, os
libc, terminals, watchers = ctypes.CDLL(None), 0, 0
while libc.inotify_init() >= 0:
    watchers += 1
try:
    while True:
        os.openpty()
        terminals += 1
except OSError:
    print(json.dumps([watchers, terminals]))
"""


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_some_watchers_and_terminals_are_left_to_others(sandbox):
    told = await sandbox.run("python3", "-c", TAKE_ALL)
    watchers, terminals = json.loads(told.output)
    most = int(Path("/proc/sys/fs/inotify/max_user_instances").read_text("ascii"))

    assert 8 <= watchers <= most // 2
    assert 16 <= terminals <= 256


@pytest.mark.parametrize("backend", ["docker"], indirect=True)
async def test_the_log_of_a_container_does_not_fill_the_disk(sandbox):
    write = "head -c 20000000 /dev/zero | tr '\\0' x | fold -w 100 >/proc/1/fd/1"
    await sandbox.run("bash", "-c", write, root=True)

    with contextlib.closing(docker.from_env()) as engine:
        container = engine.containers.get(f"sandbook-{sandbox.info.sandbox_id}")
        assert len(container.logs()) < 3_000_000


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_private_keys_of_the_machine_are_not_shown(sandbox):
    """Where root has started Jupyter, files that only root may read can be read inside."""
    told = await sandbox.run("ls", "/etc/ssl", "/etc/pki/tls")

    assert b"private" not in told.output
    assert b"certs" in told.output
