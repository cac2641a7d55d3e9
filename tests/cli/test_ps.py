"""sandbook ps on every backend."""

import json
from dataclasses import asdict

from sandbook_cli.table import format_table


def test_the_table_shows_a_sandbox(sandbook, sandbox, backend, sandbox_request):
    done = sandbook("ps")

    head, *rows = done.out.splitlines()
    (row,) = [row for row in rows if row.startswith(sandbox_request.sandbox_id[:12])]
    assert head.split() == ["ID", "BACKEND", "IMAGE", "STATE", "NOTEBOOK", "UPTIME", "LIMITS"]
    assert row.split()[1] == backend.name
    assert "running" in row
    assert "test.ipynb" in row


def test_json_tells_all(sandbook, sandbox, backend, sandbox_request):
    found = {row["sandbox_id"]: row for row in json.loads(sandbook("ps", "--json").out)}

    row = found[sandbox_request.sandbox_id]
    assert (row["backend"], row["state"]) == (backend.name, "running")
    assert row["workspace"] == str(sandbox_request.workspace)
    assert 0 <= row["uptime_s"] < 60
    assert row["limits"] == asdict(sandbox.info.limits)


def test_quiet_gives_ids_for_other_commands(sandbook, sandbox, sandbox_request):
    assert sandbox_request.sandbox_id in sandbook("ps", "--quiet").out.splitlines()


def test_without_an_engine_the_others_are_listed(sandbook):
    done = sandbook("ps", DOCKER_HOST="unix:///nothing/here.sock")

    assert done.code == 0


def test_a_name_does_nothing_to_the_terminal():
    table = format_table(["NOTEBOOK"], [["a\x1b]0;evil\x07\n.ipynb"], ["b.ipynb"]])

    assert table.splitlines() == ["NOTEBOOK", "'a\\x1b]0;evil\\x07\\n.ipynb'", "b.ipynb"]
