"""GET /sandbook/sandboxes on a real server with real kernels."""

import asyncio
import json
import shutil
import sys
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
