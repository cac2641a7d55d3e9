"""The configuration of a real server, and how it reaches the kernels that the server starts."""

import asyncio
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandbook.config import (
    CONFIG_VARIABLE,
    SERVER_VARIABLE,
    TRAIT_OF_VARIABLE,
    server_from_environment,
)


@pytest.fixture
def jp_server_config():
    return {
        "ServerApp": {
            "jpserver_extensions": {"sandbook_server": True, "jupyter_server_terminals": False},
        }
    }


@pytest.fixture
def inherited():
    return "{}"


@pytest.fixture(autouse=True)
def environment(inherited, monkeypatch):
    """Nothing of ours is set but what a test wants, and nothing stays."""
    for variable in TRAIT_OF_VARIABLE:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(CONFIG_VARIABLE, inherited)


@pytest.fixture
def kernelspec(jp_environ, jp_data_dir):
    installed = Path(sys.prefix, "share/jupyter/kernels/sandbook")
    shutil.copytree(installed, jp_data_dir / "kernels" / "sandbook")


@pytest.fixture
def configured(jp_config_dir):
    """Writes a configuration file before the server starts."""

    def write(name, *lines):
        jp_config_dir.mkdir(parents=True, exist_ok=True)
        (jp_config_dir / name).write_text("\n".join(lines))

    return write


def test_kernels_are_told_where_the_server_is(jp_serverapp):
    told = os.environ[SERVER_VARIABLE]

    assert server_from_environment(os.environ, os.getpid()) == jp_serverapp.base_url
    assert server_from_environment(os.environ, os.getppid()) == ""
    assert json.loads(told) == {"base_url": jp_serverapp.base_url, "pid": os.getpid()}


def handed_over():
    return json.loads(os.environ[CONFIG_VARIABLE])


class TestFromTheServersFile:
    @pytest.fixture(autouse=True)
    def file(self, configured):
        configured(
            "jupyter_server_config.py",
            "c.DockerBackend.memory_mb = 300",
            "c.SandboxFactory.backend = 'docker'",
            "c.IdentityProvider.token = 'secret'",
        )

    def test_our_settings_and_no_others_are_left_for_kernels(self, jp_serverapp):
        assert handed_over() == {
            "SandboxFactory": {"backend": "docker"},
            "DockerBackend": {"memory_mb": 300},
        }

    @pytest.mark.docker
    async def test_a_limit_is_the_limit_of_the_container(self, kernelspec, jp_fetch):
        body = json.dumps({"name": "sandbook"})
        kernel = json.loads((await jp_fetch("api", "kernels", method="POST", body=body)).body)

        row = await until_running(jp_fetch, kernel["id"])
        limit = memory_of(f"sandbook-{kernel['id']}")
        await jp_fetch("api", "kernels", kernel["id"], method="DELETE")

        assert row["limits"]["memory_mb"] == 300
        assert limit == 300 * 2**20


async def until_running(jp_fetch, kernel_id):
    for _ in range(200):
        rows = json.loads((await jp_fetch("sandbook", "sandboxes")).body)
        for row in rows:
            if (row["kernel_id"], row["state"]) == (kernel_id, "running"):
                return row
        await asyncio.sleep(0.1)
    return pytest.fail("the sandbox never ran")


def memory_of(container):
    client = importlib.import_module("docker").from_env()
    try:
        return client.api.inspect_container(container)["HostConfig"]["Memory"]
    finally:
        client.close()


class TestFromTheCommandLine:
    @pytest.fixture
    def jp_argv(self):
        return ["--DockerBackend.memory_mb=400", "--BubblewrapBackend.network=host"]

    def test_it_wins_over_both_files(self, configured, jp_configurable_serverapp, jp_argv):
        configured("jupyter_server_config.py", "c.DockerBackend.memory_mb = 300")
        configured(
            "sandbook_config.py", "c.DockerBackend.memory_mb = 200", "c.DockerBackend.pids = 90"
        )

        app = jp_configurable_serverapp(argv=jp_argv)

        docker = app.web_app.settings["sandbook_factory"].of("docker")
        assert (docker.memory_mb, docker.pids) == (400, 90)
        assert handed_over() == {
            "DockerBackend": {"memory_mb": 400, "pids": 90},
            "BubblewrapBackend": {"network": "host"},
        }


class TestFromVariables:
    def test_the_server_obeys_them_and_leaves_them_to_the_kernels(self, monkeypatch, request):
        monkeypatch.setenv("SANDBOOK_BACKEND", "local")

        app = request.getfixturevalue("jp_serverapp")

        assert app.web_app.settings["sandbook_factory"].backend == "local"
        assert handed_over() == {}


class TestOfAnotherServer:
    @pytest.fixture
    def inherited(self):
        return '{"DockerBackend": {"pids": 90}}'

    async def test_it_is_not_ours_and_is_put_back_in_the_end(self, inherited, jp_serverapp):
        during = handed_over()

        await jp_serverapp.cleanup_extensions()

        assert during == {}
        assert os.environ[CONFIG_VARIABLE] == inherited


def start_server(folder, *arguments):
    """Run `jupyter server` until it ends by itself."""
    return subprocess.run(
        [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", *arguments],
        env={**os.environ, "JUPYTER_CONFIG_DIR": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("name", ["jupyter_server_config.py", "sandbook_config.py"])
@pytest.mark.parametrize("value", ["1", "'lots'"])
def test_a_wrong_setting_stops_the_server_with_one_line(name, value, tmp_path):
    (tmp_path / name).write_text(f"c.DockerBackend.memory_mb = {value}")

    done = start_server(tmp_path)

    (line,) = [line for line in done.stderr.splitlines() if "memory_mb" in line]
    assert done.returncode == 1
    assert "Wrong configuration in DockerBackend.memory_mb: " in line
    assert "Traceback" not in done.stderr


def test_a_wrong_option_stops_the_server_too(tmp_path):
    done = start_server(tmp_path, "--SandboxFactory.backend=chroot")

    assert done.returncode == 1
    assert "Wrong configuration in SandboxFactory.backend: " in done.stderr


def test_an_unknown_name_is_a_warning_in_the_servers_log(tmp_path):
    (tmp_path / "sandbook_config.py").write_text("c.DockerBackend.memroy_mb = 512")

    # The wrong option is only there to end the server.
    done = start_server(tmp_path, "--BubblewrapBackend.network=some")

    (line,) = [line for line in done.stderr.splitlines() if "memroy_mb" in line]
    assert "not recognized by `DockerBackend`.  Did you mean `memory_mb`?" in line
