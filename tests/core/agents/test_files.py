"""read, write and edit, as the original answers them, less its defects."""

import base64

import pytest

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def test_lines_are_written_and_read(client):
    async def text(**arguments):
        return (await client.send("read", path="d1/a.txt", **arguments))["content"]

    written = await client.send("write", path="d1/a.txt", content="l1\nl2\nl3")
    path = written["extras"]["path"]

    assert path.endswith("/d1/a.txt")
    assert written["message"] == f"I wrote to the file {path}."
    assert await text() == "l1\nl2\nl3\n"
    for (start, end), lines in {
        (0, 1): "l1\n",
        (1, 2): "l2\n",
        (1, -1): "l2\nl3\n",
        (2, 3): "l2\nl3\n",
        (0, 0): "l1\n",
        (5, 9): "l2\nl3\n",
        (2, 2): "l2\n",
        (0, 10): "l1\nl2\nl3\n",
    }.items():
        assert await text(start=start, end=end) == lines
    await client.send("write", path="d1/a.txt", content="X\nY", start=1, end=2)
    assert await text() == "l1\nX\nY\nl3\n"
    await client.send("write", path="d1/a.txt", content="Z", start=2)
    assert await text() == "l1\nX\nZ\n"
    await client.send("write", path="d1/a.txt", content="whole\n")
    assert await text() == "whole\n\n"
    assert (await client.run("stat -c %a d1/a.txt"))["content"] == "664"


async def test_paths_are_taken_from_where_the_shell_is(client):
    await client.run("mkdir -p deep && cd deep && echo there >x && printf 'a\\0b' >bin.dat")

    missing = await client.send("read", path="nope.txt")
    folder = await client.send("read", path="/usr")
    unwritable = await client.send("write", path="/usr", content="x")
    binary = await client.send("read", path="bin.dat")

    assert (await client.send("read", path="x"))["content"] == "there\n"
    where = (await client.run("pwd"))["content"]
    assert missing == {
        "message": f"File not found: {where}/nope.txt. Your current working directory is {where}.",
        "observation": "error",
        "content": f"File not found: {where}/nope.txt. Your current working directory is {where}.",
        "extras": {"error_id": ""},
    }
    assert folder["content"] == "Path is a directory: /usr. You can only read files"
    assert unwritable["content"] == "Path is a directory: /usr. You can only write to files"
    assert binary["content"] == "ERROR_BINARY_FILE"


async def test_media_come_as_data(client):
    files = await client.executor.files()
    await files.write("p.png", PNG)
    await files.write("d.pdf", b"%PDF-1.4\n")

    for path, head in {"p.png": "data:image/png;", "d.pdf": "data:application/pdf;"}.items():
        content = (await client.send("read", path=path))["content"]
        assert content.startswith(head + "base64,")
        assert base64.b64decode(content.partition(",")[2]) == await files.read(path)


async def test_the_editor_says_what_agents_know(client):
    where = (await client.run("pwd"))["content"]
    path = f"{where}/e.txt"

    async def edit(command, **arguments):
        return await client.send("edit", path=path, command=command, **arguments)

    created = await edit("create", file_text="one\ntwo\nthree\n")
    assert created == {
        "message": f"I edited the file {path}.",
        "observation": "edit",
        "content": f"File created successfully at: {path}",
        "extras": {
            "path": path,
            "prev_exist": False,
            "old_content": None,
            "new_content": None,
            "impl_source": "oh_aci",
            "diff": f"--- {path}\n+++ {path}\n@@ -0,0 +1,3 @@\n+one\n+two\n+three",
            "_diff_cache": None,
        },
    }
    replaced = await edit("str_replace", old_str="two", new_str="2")
    assert replaced["content"].startswith(f"The file {path} has been edited.")
    assert replaced["extras"]["diff"].endswith("@@ -2 +2 @@\n-two\n+2")
    inserted = await edit("insert", insert_line=1, new_str="x")
    assert "     2\tx\n     3\t2\n" in inserted["content"]
    undone = await edit("undo_edit")
    assert undone["content"].startswith(f"Last edit to {path} undone successfully.")
    assert (await client.run("cat e.txt"))["content"] == "one\n2\nthree"
    viewed = await client.send("read", path=path, impl_source="oh_aci", view_range=[1, 2])
    assert viewed["content"].endswith("     1\tone\n     2\t2\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "e.txt", "command": "view"}, "The path should be an absolute path"),
        ({"path": "/nope", "command": "view"}, "The path /nope does not exist."),
        ({"path": "/usr", "command": "str_replace"}, "is a directory and only the `view`"),
        ({"path": "/usr", "command": "create", "file_text": ""}, "File already exists at: /usr"),
        ({"path": "/nope/x", "command": "create", "file_text": ""}, "No such file or directory"),
        ({"path": "/etc/hostname", "command": "shout"}, "Unrecognized command shout."),
        ({"path": "/etc/passwd", "command": "insert", "new_str": "x"}, "`insert_line` is required"),
    ],
)
@pytest.mark.parametrize("client", ["local"], indirect=True)
async def test_the_editor_refuses(client, arguments, words):
    answer = await client.send("edit", **arguments)

    assert answer["observation"] == "edit"
    assert answer["content"].startswith("ERROR:\n")
    assert words in answer["content"]
    assert answer["extras"]["diff"] == ""
