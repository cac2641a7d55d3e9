"""A kernel of one's own on a real server: whose settings hold."""

import asyncio
import json

import docker
import pytest

from sandbook.config import CONFIG_VARIABLE, TRAIT_OF_VARIABLE


@pytest.fixture
def jp_server_config():
    return {
        "ServerApp": {
            "jpserver_extensions": {"sandbook_server": True, "jupyter_server_terminals": False},
        },
        "DockerBackend": {"memory_mb": 300, "pids": 90, "network": "none"},
    }


@pytest.fixture(autouse=True)
def environment(environment, monkeypatch, jp_environ, jp_data_dir):
    for variable in TRAIT_OF_VARIABLE:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(CONFIG_VARIABLE, "{}")
    return {**environment, "JUPYTER_DATA_DIR": str(jp_data_dir)}


async def host_config(jp_fetch, kernel_id):
    """Wait for the container of a kernel, and give its limits."""
    client = docker.from_env()
    try:
        for _ in range(300):
            rows = json.loads((await jp_fetch("sandbook", "sandboxes")).body)
            if any(row["kernel_id"] == kernel_id for row in rows):
                return client.api.inspect_container(f"sandbook-{kernel_id}")["HostConfig"]
            await asyncio.sleep(0.1)
    finally:
        client.close()
    return pytest.fail("the sandbox never was there")


async def test_each_setting_of_the_kernel_goes_before_that_of_the_server(sandbook, jp_fetch):
    done = sandbook(
        "kernelspec", "install", "--name", "more", "--backend", "docker", "--memory", "400"
    )
    body = json.dumps({"name": "more"})
    kernel = json.loads((await jp_fetch("api", "kernels", method="POST", body=body)).body)

    host = await host_config(jp_fetch, kernel["id"])
    await jp_fetch("api", "kernels", kernel["id"], method="DELETE")

    assert done.code == 0, done.err
    assert host["Memory"] == 400 << 20
    assert (host["PidsLimit"], host["NetworkMode"]) == (90, "none")
