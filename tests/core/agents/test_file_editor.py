"""`file_editor`, as Python code in a sandbox calls it."""

import base64
import json
import re
import subprocess
import sys

import pytest

from sandbook.agents.file_editor import file_editor
from sandbook.agents.luggage import packed
from tests.core.agents.test_python import python

MARKED = re.compile(r"<(oh_aci_output_[0-9a-f]{32})>\n(.*)\n</\1>")


def told(text):
    (answer,) = [json.loads(match[2]) for match in MARKED.finditer(text)]
    return answer


def edit(command, path, **arguments):
    return told(file_editor(command=command, path=str(path), **arguments))


def test_a_file_is_made_seen_edited_and_restored(tmp_path):
    path = tmp_path / "a.txt"

    made = edit("create", path, file_text="Line 1\nLine 2\n")
    seen = edit("view", path, view_range=[2, 2])
    edited = edit("str_replace", path, old_str="Line 2", new_str="New Line 2")
    undone = edit("undo_edit", path)

    assert made == {
        "output": f"File created successfully at: {path}",
        "error": None,
        "path": str(path),
        "prev_exist": False,
        "old_content": None,
        "new_content": "Line 1\nLine 2\n",
        "formatted_output_and_error": f"File created successfully at: {path}",
    }
    assert seen["output"].endswith("     2\tLine 2\n")
    assert (seen["old_content"], seen["new_content"]) == (None, None)
    assert edited["old_content"] == undone["new_content"] == "Line 1\nLine 2\n"
    assert edited["new_content"] == undone["old_content"] == "Line 1\nNew Line 2\n"
    assert undone["output"].startswith(f"Last edit to {path} undone successfully.")
    assert path.read_text() == "Line 1\nLine 2\n"


def test_what_goes_wrong_is_told(tmp_path):
    (tmp_path / "a.txt").write_text("x\nx\n")

    twice = edit("str_replace", tmp_path / "a.txt", old_str="x", new_str="y")
    missing = edit("view", tmp_path / "no")
    relative = edit("view", "a.txt")

    assert "Multiple occurrences of old_str `x` in lines [1, 2]" in twice["error"]
    assert twice["formatted_output_and_error"] == f"ERROR:\n{twice['error']}"
    assert (twice["output"], twice["new_content"]) == ("", None)
    assert "does not exist" in missing["error"]
    assert "should be an absolute path" in relative["error"]


def test_folders_links_and_pipes(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("in it\n")
    (tmp_path / ".hidden").touch()
    (tmp_path / "link").symlink_to("folder/file")
    (tmp_path / "broken").symlink_to("nowhere")
    subprocess.run(["mkfifo", tmp_path / "pipe"], check=True)

    listed = edit("view", tmp_path)["output"].splitlines()
    edit("str_replace", tmp_path / "link", old_str="in", new_str="out of")

    assert listed[1:-2] == [
        f"{tmp_path}/{name}" for name in ("", "broken", "folder/", "folder/file", "link", "pipe")
    ]
    assert listed[-1].startswith("1 hidden files/directories")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_text() == "out of it\n"
    assert "is a pipe, a socket or a device" in edit("view", tmp_path / "pipe")["error"]


def test_the_luggage_holds_all_that_it_needs(tmp_path):
    """A Python without any package of ours, or of anybody else, can use it."""
    (tmp_path / "luggage.zip").write_bytes(base64.b64decode(packed()))
    (tmp_path / "a.txt").write_bytes("größer\n".encode("latin-1"))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from sandbook.agents.file_editor import file_editor\n"
        "print(file_editor('view', sys.argv[2]))\n"
    )
    argv = [sys.executable, "-I", "-S", "-c", code, tmp_path / "luggage.zip", tmp_path / "a.txt"]

    ran = subprocess.run(argv, capture_output=True, text=True, check=True)

    assert "     1\tgrößer\n" in told(ran.stdout)["output"]


@pytest.mark.parametrize("client", ["docker", "local"], indirect=True)
async def test_python_code_of_agents_has_it(client):
    where = (await client.run("pwd"))["content"]
    for round_ in ("first", "second"):
        code = f"print(file_editor(command='create', path='{where}/{round_}', file_text='x'))"
        made = told((await python(client, code))["content"])
        assert made["output"] == f"File created successfully at: {where}/{round_}"
        await python(client, "import os; os._exit(3)")  # the next kernel has it, too
    seen = await python(client, "import sys; print([n for n in sys.modules if 'sandbook' in n])")
    assert seen["content"] == "[]"
    assert (await client.run("cat first second"))["content"] == "xx"
