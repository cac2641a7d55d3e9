"""sandbook serve: one sandbox, one URL, one key; ended, it leaves nothing."""

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import httpx
import pytest

from sandbook_cli.commands.serve import Server
from tests.conftest import BACKENDS, sandbox_ids


def ask(url, key, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-Session-API-Key": key} if key else {}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=60) as answer:
        return json.loads(answer.read())


def refusal(url, key, body=None):
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(url, key, body)
    with refused.value as answer:
        return answer.code, json.loads(answer.read())


def act(told, name, **arguments):
    body = {"action": {"action": name, "args": arguments, "timeout": 30}}
    return ask(f"{told['base_url']}/execute_action", told["session_api_key"], body)


@pytest.fixture
def serve(monkeypatch, tmp_path_factory):
    settings = tmp_path_factory.mktemp("settings")
    (settings / "sandbook_config.py").write_text("c.LocalBackend.allow_agents = True")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(settings))
    running = []

    def start(*options, **more):
        command = [sys.executable, "-m", "sandbook_cli", "serve", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        running.append(process)
        line = process.stdout.readline()
        assert line, process.stderr.read().decode()
        return process, json.loads(line)

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_a_server_that_dies_while_it_makes_the_sandbox_is_told_in_a_line(serve, tmp_path):
    """The settings are Python: the kernel that reads them kills the server that started it."""
    killer = "import os, sys\nif '-f' in sys.argv: os.kill(os.getppid(), 9)\n"
    Path(os.environ["JUPYTER_CONFIG_DIR"], "sandbook_config.py").write_text(killer)

    with pytest.raises(AssertionError) as failed:
        serve("--backend", "bubblewrap", "--workspace", str(tmp_path))

    said = str(failed.value)
    assert "The server has ended. Its last words:" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_agent_needs_a_url_and_a_key(serve, backend, tmp_path):
    options = ("--backend", backend, "--key", "secret", "--workspace", str(tmp_path))
    process, told = serve(*options)
    shown = Path(f"/proc/{process.pid}/cmdline").read_bytes()
    ran = act(told, "run", command="echo hi >from-agent; cat from-agent; id -u")
    alive = ask(f"{told['base_url']}/alive", "secret")
    process.send_signal(signal.SIGTERM)

    assert process.wait(30) == 0
    assert told["session_api_key"] == "secret"
    assert shown.split(b"\0")[-5:-2] == [b"--key", b"xxxxxx", b"--workspace"]
    assert ran["content"].startswith("hi\n")
    assert alive == {"status": "ok"}
    assert (tmp_path / "from-agent").read_text() == "hi\n"
    assert told["base_url"].rpartition("/")[2] not in sandbox_ids()


def test_without_the_key_nothing_is_told(serve, tmp_path):
    _, told = serve("--backend", "docker", "--no-change-timeout", "1", "--user", "root")

    for key in ("", "wrong", told["session_api_key"][:-1]):
        for path in ("server_info", "execute_action", "list_files"):
            answer = refusal(
                f"{told['base_url']}/{path}", key, None if path == "server_info" else {}
            )
            assert answer == (403, {"detail": "Invalid API Key"})
    others = told["base_url"].rpartition("/")[0] + "/sandboxes"
    assert refusal(others, told["session_api_key"])[0] == 403
    silent = act(told, "run", command="id -u; sleep 5")
    assert "no new output after 1 seconds" in silent["extras"]["metadata"]["suffix"]
    assert silent["content"] == "0"


def test_key_and_patience_may_come_as_to_an_openhands_runtime(serve, monkeypatch, tmp_path):
    monkeypatch.setenv("SESSION_API_KEY", "from-outside")
    monkeypatch.setenv("NO_CHANGE_TIMEOUT_SECONDS", "1")

    _, told = serve("--backend", "local", "--workspace", str(tmp_path))

    assert told["session_api_key"] == "from-outside"
    silent = act(told, "run", command="echo key: $SESSION_API_KEY; sleep 5")
    assert "no new output after 1 seconds" in silent["extras"]["metadata"]["suffix"]
    assert silent["content"] == "key:"


@pytest.mark.parametrize("place", ["file", "/dev/fd/{}", "-"])
def test_a_key_may_come_from_a_file_or_a_descriptor(serve, tmp_path, place):
    (tmp_path / "file").write_text("from-a-file\n")
    with (tmp_path / "file").open() as file:
        path = str(tmp_path / "file") if place == "file" else place.format(file.fileno())
        options = ("--backend", "local", "--workspace", str(tmp_path), "--key-file", path)
        _, told = serve(*options, stdin=file, pass_fds=[file.fileno()])

    assert told["session_api_key"] == "from-a-file"
    assert ask(f"{told['base_url']}/alive", "from-a-file") == {"status": "ok"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--key-file", "/nowhere"], "cannot read '/nowhere': No such file"),
        (["--key-file", "/dev/null"], "begins with an empty line"),
        (["--key-file", "/bin/sh"], "holds no text"),
        (["--key-file", "/etc/passwd", "--key", "x"], "not allowed with"),
    ],
)
def test_a_key_that_cannot_be_is_refused(options, words):
    command = [sys.executable, "-m", "sandbook_cli", "serve", *options]

    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_named_user_is_what_an_agent_of_openhands_expects(serve, tmp_path):
    (tmp_path / "of-ours").write_text("before\n")

    _, told = serve("--backend", "docker", "--workspace", str(tmp_path), "--user", "openhands")

    def run(command):
        ran = act(told, "run", command=command)
        return ran["content"], ran["extras"]["metadata"]

    def python(code):
        return act(told, "run_ipython", code=code, include_extra=False)["content"]

    content, metadata = run("whoami; cd ~ && pwd; cd /workspace")
    assert content == "openhands\n/home/openhands"
    assert (metadata["username"], metadata["working_dir"]) == ("openhands", "/workspace")
    assert run("echo after >of-ours && mkdir new && stat -c %U . of-ours new")[0] == (
        "openhands\nopenhands\nopenhands"
    )
    assert run("sudo id -un; sudo chown -R openhands:root . && stat -c %U:%G .")[0] == (
        "root\nopenhands:root"
    )
    named = "git config --global user.name a && git config --global user.email a@b"
    assert run(f"{named} && git init -q && git add of-ours && git commit -qm one")[0] == ""
    assert "+after" in run("git log -p")[0]
    who = f"openhands {os.getuid() or 1000}"
    assert python("import os; print(os.environ['USER'], os.getuid())") == who
    act(told, "write", path="written", content="x")
    assert run("stat -c %U written; sudo install -m 600 /dev/null /root/secret")[0] == "openhands"
    for command in ("view", "str_replace", "create"):
        arguments = "old_str='', new_str='x', file_text='x'"
        code = f"print(file_editor('{command}', '/root/secret', {arguments}))"
        assert "Permission denied" in python(code)
    assert (tmp_path / "of-ours").read_text() == "after\n"


def test_an_upload_replaces_what_sudo_could_replace(serve, tmp_path):
    _, told = serve("--backend", "docker", "--workspace", str(tmp_path), "--user", "openhands")
    closed = "sudo mkdir -p theirs; echo old | sudo tee a theirs/b; sudo chmod 700 theirs"
    assert act(told, "run", command=f"{closed} && sudo chmod 600 a")["content"] == "old"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("theirs/b", "new\n")
        packed.writestr("theirs/mine/c", "new\n")

    def upload(name, data, destination):
        answer = httpx.post(
            f"{told['base_url']}/upload_file",
            params={"destination": destination},
            files={"file": (name, data)},
            headers={"X-Session-API-Key": told["session_api_key"]},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text

    upload("a", b"new\n", "/workspace")
    upload("d", b"new\n", "/workspace/on/the/way")
    upload("all.zip", archive.getvalue(), "/workspace")

    look = "sudo stat -c '%U %a %n' a on on/the on/the/way on/the/way/d theirs/b theirs/mine/c"
    assert act(told, "run", command=look)["content"].splitlines() == [
        "root 600 a",
        "openhands 755 on",
        "openhands 755 on/the",
        "openhands 755 on/the/way",
        "openhands 644 on/the/way/d",
        "openhands 600 theirs/b",
        "openhands 600 theirs/mine/c",
    ]
    read = "sudo cat a on/the/way/d theirs/b theirs/mine/c"
    assert act(told, "run", command=read)["content"].split() == ["new"] * 4


def test_with_bubblewrap_a_named_user_has_no_sudo(serve, tmp_path):
    options = ("--backend", "bubblewrap", "--workspace", str(tmp_path), "--user", "openhands")

    _, told = serve(*options)

    ran = act(told, "run", command="whoami; cd && pwd; sudo -n true >/dev/null 2>&1 || echo none")
    assert ran["content"] == "openhands\n/home/openhands\nnone"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--workspace", "/nowhere"], "There is no folder"),
        (["--user", "A B"], "'A B' is no name of a user"),
        (["--user", "root", "--backend", "bubblewrap"], "has no root and no sudo"),
        (["--user", "somebody", "--backend", "local"], "and not as 'somebody'"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(options, words):
    command = [sys.executable, "-m", "sandbook_cli", "serve", *options]

    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert words in ended.stderr
    assert not ended.stdout


async def test_a_port_that_hangs_up_has_not_answered_yet(tmp_path):
    at_once = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with at_once:
        port = at_once.sockets[0].getsockname()[1]
        server = Server("127.0.0.1", port, tmp_path)
        with pytest.raises(ConnectionError):
            await server.ask("GET", "sandbook/sandboxes")
        await server.stop()
