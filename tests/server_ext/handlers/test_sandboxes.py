"""GET /sandbook/sandboxes on a real server with real kernels."""

import asyncio
import json
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from tornado.httpclient import HTTPClientError

from tests.conftest import ISOLATED


@pytest.fixture(autouse=True)
def kernelspec(jp_environ, jp_data_dir):
    """The test server looks for kernels in an empty folder of its own."""
    installed = Path(sys.prefix, "share/jupyter/kernels/sandbook")
    shutil.copytree(installed, jp_data_dir / "kernels" / "sandbook")


async def listed(jp_fetch):
    response = await jp_fetch("sandbook", "sandboxes")
    return json.loads(response.body)


async def until(jp_fetch, kernel_id, state):
    """Wait until the sandbox of a kernel is in a state; `None` is for one that is gone."""
    for _ in range(200):
        rows = {row["kernel_id"]: row for row in await listed(jp_fetch)}
        row = rows.get(kernel_id)
        if (row and row["state"]) == state:
            return row
        await asyncio.sleep(0.1)
    return pytest.fail(f"{kernel_id} was never {state}")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_kernels_sandbox_is_listed_while_it_lives(backend, jp_fetch, monkeypatch):
    monkeypatch.setenv("SANDBOOK_BACKEND", backend)
    body = json.dumps({"name": "sandbook"})
    kernel = json.loads((await jp_fetch("api", "kernels", method="POST", body=body)).body)

    row = await until(jp_fetch, kernel["id"], "running")
    await jp_fetch("api", "kernels", kernel["id"], method="DELETE")
    await until(jp_fetch, kernel["id"], None)

    assert row["id"] == row["kernel_id"] == kernel["id"]
    assert (row["backend"], row["state"]) == (backend, "running")
    assert row["image"] == ("sandbook/base" if backend == "docker" else None)
    assert row["started_at"].endswith("+00:00")
    assert set(row["limits"]) == {"memory_mb", "cpus", "pids", "process_memory_mb"}


@pytest.mark.parametrize("headers", [{"Authorization": ""}, {"Authorization": "token wrong"}])
async def test_without_the_token_nothing_is_told(headers, jp_fetch):
    with pytest.raises(HTTPClientError) as caught:
        await jp_fetch("sandbook", "sandboxes", headers=headers)

    assert caught.value.code == 403


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder where temporary files are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


async def make(jp_fetch, **wish):
    response = await jp_fetch("sandbook", "sandboxes", method="POST", body=json.dumps(wish))
    return json.loads(response.body)


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_sandbox_that_cannot_be_made_leaves_nothing(
    backend, jp_fetch, jp_data_dir, temporary
):
    spec = jp_data_dir / "kernels" / "sandbook" / "kernel.json"
    spec.write_text(json.dumps({**json.loads(spec.read_text()), "argv": ["/no/such/program"]}))

    with pytest.raises(HTTPClientError) as caught:
        await make(jp_fetch, backend=backend)

    assert caught.value.code == 500
    assert list(temporary.glob("sandbook-*")) == []


@pytest.mark.parametrize("backend", ISOLATED)
async def test_what_belongs_to_a_sandbox_goes_when_its_kernel_is_ended_by_others(
    backend, jp_fetch, jp_serverapp, temporary
):
    made = await make(jp_fetch, backend=backend, timeout=3600)
    key = {"X-Session-API-Key": made["session_api_key"], "Authorization": ""}
    assert (await jp_fetch("sandbook", made["id"], "server_info", headers=key)).code == 200
    assert len(list(temporary.glob("sandbook-*"))) == 1

    await jp_fetch("api", "kernels", made["id"], method="DELETE")

    with pytest.raises(HTTPClientError) as caught:
        await jp_fetch("sandbook", made["id"], "server_info", headers=key)
    assert caught.value.code == 403
    settings = jp_serverapp.web_app.settings
    kept = (settings["sandbook_keys"]._keys, settings["sandbook_idling"]._tasks)
    for _ in range(200):
        if not any((*kept, settings["sandbook_links"]._links, list(temporary.glob("sandbook-*")))):
            break
        await asyncio.sleep(0.05)
    else:
        pytest.fail(f"something was left: {kept}, {list(temporary.iterdir())}")
