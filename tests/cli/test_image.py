"""sandbook image on a real engine."""

import fcntl
import json
import signal
import uuid

import docker
import pexpect
import pytest

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]


@pytest.fixture
def tag():
    client = docker.from_env()
    name = f"sandbook/base:cli-{uuid.uuid4().hex[:8]}"
    yield name
    if client.images.list(name):
        client.images.remove(name)
    client.close()


def test_build_writes_plain_lines_where_there_is_no_terminal(sandbook, tag):
    done = sandbook("image", "build", "--tag", tag)

    assert done.code == 0
    assert "Step 1/" in done.err
    assert "\x1b" not in done.err
    assert done.err.splitlines()[-1] == f"Image {tag} is ready"
    assert tag in {row["image"] for row in json.loads(sandbook("image", "ls", "--json").out)}


def test_build_shows_a_bar_on_a_terminal(command, environment, tag):
    child = pexpect.spawn(
        command[0], [*command[1:], "image", "build", "--tag", tag], env=environment, timeout=300
    )

    child.expect(rb"\r\x1b\[K\[#+\.*\] +\d+% \d+/\d+ steps")
    child.expect_exact(f"Image {tag} is ready\r\n".encode())
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 0


def test_pull_of_an_image_that_is_nowhere_says_so_in_a_line(sandbook):
    done = sandbook("image", "pull", "127.0.0.1:9/no/such-image")

    assert done.code == 1
    assert "could not be pulled" in done.err.splitlines()[-1]


def test_ctrl_c_ends_quietly(command, environment, tag, tmp_path):
    """The lock of all builds is held, so that the build waits for as long as the test needs."""
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    with (folder / "images.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        arguments = [*command[1:], "image", "build", "--tag", tag]
        child = pexpect.spawn(
            command[0],
            arguments,
            env={**environment, "SANDBOOK_RUNTIME_DIR": str(folder)},
            timeout=30,
            # Whoever runs the tests in the background may have them ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        child.expect_exact("Waiting for another process")
        child.kill(signal.SIGINT)
        child.expect(pexpect.EOF)
        said = child.before
        child.close()

    assert child.exitstatus == 130
    assert b"Traceback" not in said


def test_ls_lists_what_was_made_here(sandbook):
    done = sandbook("image", "ls")

    head, *rows = done.out.splitlines()
    assert head.split() == ["IMAGE", "ID", "SIZE", "AGE", "RECIPE"]
    assert any(row.startswith("sandbook/base:latest ") for row in rows)
