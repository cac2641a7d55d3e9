"""Records that another version of Sandbook has written."""

import json
from pathlib import Path

import pytest

from sandbook.sandbox.runtime_folder import runtime_folder


@pytest.fixture
def record(sandbox):
    """The file of a sandbox that runs."""
    return runtime_folder() / f"{sandbox.info.sandbox_id}.json"


def rewrite(path, change):
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


@pytest.mark.parametrize("backend", ["bubblewrap", "local"], indirect=True)
async def test_a_field_of_a_newer_version_is_ignored(backend, sandbox, record):
    def change(value):
        value["colour"] = "green"
        value["info"]["flavour"] = {"of": "a newer version"}
        value["info"]["limits"]["bandwidth"] = 5

    rewrite(record, change)

    found = await backend.find(sandbox.info.sandbox_id)
    await found.run("touch", f"{found.workspace}/made")
    listed = [info for info in await backend.list_all() if info == sandbox.info]

    assert found.info == sandbox.info
    assert listed
    assert record.exists()
    assert Path(sandbox.info.workspace, "made").exists()


@pytest.mark.parametrize("backend", ["bubblewrap", "local"], indirect=True)
async def test_a_field_that_an_older_version_did_not_know_has_its_default(backend, sandbox, record):
    def change(value):
        for name in ("limits", "max_life_s", "user", "sudo", "notebook", "image"):
            del value["info"][name]

    rewrite(record, change)

    info = (await backend.find(sandbox.info.sandbox_id)).info

    assert (info.notebook, info.max_life_s, info.user, info.sudo) == ("", 0, "", False)
    assert info.workspace == sandbox.info.workspace
    assert Path(record).exists()


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_what_older_versions_do_not_know_is_not_written(sandbox, record):
    assert "kept" not in json.loads(record.read_text())["info"]
