"""The whole output of a cell, over HTTP."""

import os
from pathlib import Path

import pytest
from jupyter_core.paths import jupyter_data_dir

from sandbook.output_logs import LOGS, create_log, log_name


@pytest.fixture
def jp_server_config():
    return {"ServerApp": {"jpserver_extensions": {"sandbook_server": True}}}


@pytest.fixture
def fetch(jp_fetch):
    async def get(*parts):
        return await jp_fetch("sandbook", *parts, raise_error=False)

    return get


def path_of(sandbox_id, number):
    return Path(jupyter_data_dir(), "sandbook", LOGS, log_name(sandbox_id, number))


async def test_a_log_is_text_of_which_no_browser_makes_more(fetch):
    said = b"<script>alert(1)</script>\n\xff" * 100_000
    file = create_log(path_of("3f2a", 7))
    os.write(file, said)
    os.close(file)

    answer = await fetch("3f2a", "logs", "7")

    assert (answer.code, answer.body) == (200, said)
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("what", ["nothing", "link", "hard link", "folder", "pipe"])
async def test_what_is_no_log_of_ours_is_not_given(fetch, tmp_path, what):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    path = path_of("3f2a", 7)
    path.parent.mkdir(parents=True)
    match what:
        case "link":
            path.symlink_to(secret)
        case "hard link":
            path.hardlink_to(secret)
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)

    answer = await fetch("3f2a", "logs", "7")

    assert answer.code == 404
    assert b"No log of cell 7" in answer.body


async def test_no_name_leads_out_of_the_folder(fetch):
    secret = path_of("3f2a", 7).parent.parent / "secret-7.log"
    secret.parent.mkdir(parents=True)
    secret.write_text("secret")
    (secret.parent / LOGS).mkdir()

    answer = await fetch("..%2Fsecret", "logs", "7")

    assert answer.code == 404
    assert b"secret" not in answer.body
