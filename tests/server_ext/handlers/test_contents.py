"""Jupyter's contents API over the files of a sandbox, on every backend."""

import asyncio
import base64
import json

import nbformat
import pytest
from jupyter_server.services.contents.handlers import validate_model

from sandbook.errors import TooLargeError
from sandbook_server.partial_files import PartialFiles


@pytest.fixture
def folder(machine):
    """The folder of this test, as the API names it."""
    return machine.folder.strip("/")


@pytest.fixture
def contents(ask, folder):
    async def fetch(path="", **options):
        return await ask("contents", *folder.split("/"), *filter(None, path.split("/")), **options)

    return fetch


async def test_a_folder_is_listed_with_all_that_it_has(contents, machine, folder):
    await machine.bash(
        "mkdir sub; echo hi > a.txt; touch .hidden x.pyc; ln -s a.txt link; mkfifo p"
    )

    model = (await contents()).json

    validate_model(model, expect_content=True)
    entries = {entry["name"]: entry for entry in model["content"]}
    assert list(entries) == ["sub", ".hidden", "a.txt", "link", "x.pyc"]
    assert (model["type"], model["format"], model["path"]) == ("directory", "json", folder)
    assert entries["sub"]["type"] == "directory"
    assert entries["a.txt"]["path"] == f"{folder}/a.txt"
    assert (entries["a.txt"]["size"], entries["link"]["size"]) == (3, 3)
    assert entries["a.txt"]["mimetype"] == "text/plain"
    assert entries["a.txt"]["content"] is None
    for entry in entries.values():
        validate_model(entry)


async def test_the_root_of_the_drive_is_the_root_of_the_sandbox(ask):
    model = (await ask("contents")).json

    assert (model["name"], model["path"], model["type"]) == ("", "", "directory")
    assert {"etc", "usr"} <= {entry["name"] for entry in model["content"]}


async def test_text_bytes_and_notebooks_come_each_in_its_form(contents, machine):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("echo hi")])
    packed = base64.b64encode(nbformat.writes(notebook).encode()).decode()
    script = (
        rf"printf 'a\r\nb' > t.txt; printf '\377\0' > b.bin; echo {packed} | base64 -d > n.ipynb"
    )
    await machine.bash(script)

    text, data = (await contents("t.txt")).json, (await contents("b.bin")).json
    opened = (await contents("n.ipynb")).json
    as_file = (await contents("n.ipynb", params={"type": "file", "format": "base64"})).json

    assert (text["content"], text["format"], text["type"]) == ("a\r\nb", "text", "file")
    assert (data["content"], data["format"]) == (base64.b64encode(b"\xff\0").decode(), "base64")
    assert data["mimetype"] == "application/octet-stream"
    assert opened["content"]["cells"][0]["source"] == "echo hi"
    assert (opened["type"], opened["format"]) == ("notebook", "json")
    assert (as_file["type"], as_file["content"]) == ("file", packed)


async def test_content_is_left_out_and_a_hash_is_made_when_asked(contents, machine):
    await machine.bash("printf abc > t.txt")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    short = await contents("t.txt", params={"content": "0", "hash": "1"})
    full = await contents("t.txt", params={"hash": "1"})

    assert (short.json["content"], short.json["hash"]) == (None, digest)
    assert (full.json["content"], full.json["hash"]) == ("abc", digest)
    assert "Last-Modified" in short.headers


@pytest.mark.parametrize(
    ("path", "params", "status", "code"),
    [
        ("nothing", {}, 404, "path-not-found"),
        ("sub", {"type": "file"}, 400, "is-a-folder"),
        ("t.txt", {"type": "directory"}, 400, "not-a-folder"),
        ("b.bin", {"format": "text"}, 400, "invalid-request"),
        ("t.txt", {"type": "notebook"}, 400, "invalid-request"),
        ("pipe", {}, 400, "not-a-file"),
    ],
)
async def test_what_cannot_be_had_is_said(path, params, status, code, contents, machine):
    await machine.bash(r"mkdir sub; echo t > t.txt; printf '\377' > b.bin; mkfifo pipe")

    answer = await contents(path, params=params)

    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.json["message"] == answer.json["detail"]


async def test_saving_keeps_the_mode_and_is_seen_in_the_sandbox(contents, machine):
    await machine.bash("echo old > run.sh; chmod 750 run.sh")
    model = {"type": "file", "format": "text", "content": "näu\r\n"}

    answer = await contents("run.sh", method="PUT", body=model)
    made = await contents("new/deep.txt", method="PUT", body={**model, "content": "x"})

    validate_model(answer.json)
    assert (answer.status, made.status) == (200, 201)
    seen = await machine.bash("stat -c %a run.sh; cat run.sh new/deep.txt")
    assert seen.decode() == "750\nnäu\r\nx"


async def test_a_notebook_is_saved_without_marks_of_trust_and_has_a_checkpoint(contents, machine):
    cell = nbformat.v4.new_code_cell("1", metadata={"trusted": True})
    notebook = nbformat.v4.new_notebook(cells=[cell])

    saved = await contents(
        "n.ipynb", method="PUT", body={"type": "notebook", "content": notebook, "format": "json"}
    )
    opened = await contents("n.ipynb")
    kept = await contents("n.ipynb/checkpoints")

    assert saved.status == 201
    assert b"trusted" not in await machine.bash("cat n.ipynb")
    assert "trusted" not in opened.json["content"]["cells"][0]["metadata"]
    assert [each["id"] for each in kept.json] == ["checkpoint"]


async def test_a_large_file_comes_in_parts(contents, machine):
    parts = [(1, b"first "), (2, b"second "), (-1, b"last")]

    for chunk, data in parts:
        body = {
            "type": "file",
            "format": "base64",
            "content": base64.b64encode(data).decode(),
            "chunk": chunk,
        }
        answer = await contents("big.bin", method="PUT", body=body)
        validate_model(answer.json)

    assert await machine.bash("cat big.bin") == b"first second last"


def part(chunk, content, **more):
    return {"type": "file", "format": "text", "content": content, "chunk": chunk, **more}


async def test_nobody_sees_a_file_of_which_parts_are_missing(contents, machine):
    await machine.bash("echo old >big; chmod 751 big")

    for name in ("big", "new"):
        assert (await contents(name, method="PUT", body=part(1, "first "))).status in {200, 201}
        assert (await contents(name, method="PUT", body=part(2, "second "))).json["size"] == 13
    seen = await machine.bash("ls -A; cat big")
    begun_again = await contents("new", method="PUT", body=part(1, "again "))
    for name in ("big", "new"):
        last = await contents(name, method="PUT", body=part(-1, "last"))
        assert last.status in {200, 201}

    assert seen == b"big\nold\n"
    assert begun_again.json["size"] == 6
    assert await machine.bash("cat big new; stat -c ' %a' big") == (
        b"first second lastagain last 751\n"
    )


@pytest.mark.parametrize("chunk", [2, -1])
async def test_a_part_that_follows_none_is_refused(chunk, contents, machine):
    await machine.bash("echo old >big")

    answer = await contents("big", method="PUT", body=part(chunk, "x"))

    assert (answer.status, answer.json["code"]) == (400, "invalid-request")
    assert "from its beginning" in answer.json["message"]
    assert await machine.bash("ls -A; cat big") == b"big\nold\n"


async def test_only_a_file_comes_in_parts(contents, machine):
    answer = await contents("n.ipynb", method="PUT", body=part(1, "{}", type="notebook"))

    assert (answer.status, answer.json["code"]) == (400, "invalid-request")
    assert await machine.bash("ls -A") == b""


async def test_parts_of_which_no_more_come_are_dropped():
    parts = PartialFiles(10, given_up_s=0.05)
    await parts.take(None, "/x", 1, b"12345")
    (kept,) = parts._files.values()
    for _ in range(500):
        if kept.spool.closed:
            break
        await asyncio.sleep(0.01)

    assert kept.spool.closed
    assert parts._files == {}
    await parts.take(None, "/x", 1, b"12345")
    with pytest.raises(TooLargeError):
        await parts.take(None, "/x", 2, b"123456")
    assert parts._files == {}


async def test_new_things_get_free_names(contents, folder):
    bodies = [{"type": "file", "ext": ".txt"}, {"ext": ".txt"}, {"type": "directory"}, {}]

    names = [(await contents(method="POST", body=body)).json["name"] for body in bodies]
    notebook = await contents(method="POST", body={"type": "notebook"})

    assert names == ["untitled.txt", "untitled1.txt", "Untitled Folder", "untitled"]
    assert notebook.status == 201
    assert notebook.json["path"] == f"{folder}/Untitled.ipynb"
    assert notebook.headers["Location"].endswith(f"/contents/{folder}/Untitled.ipynb")


async def test_a_copy_has_the_same_bytes(contents, machine, folder):
    await machine.bash(r"printf '\377\n' > a.bin; chmod 711 a.bin; mkdir sub")

    beside = await contents(method="POST", body={"copy_from": f"{folder}/a.bin"})
    inside = await contents("sub", method="POST", body={"copy_from": f"{folder}/a.bin"})
    whole = await contents(method="POST", body={"copy_from": f"{folder}/sub"})

    assert (beside.json["name"], inside.json["name"]) == ("a-Copy1.bin", "a.bin")
    assert await machine.bash("cat a-Copy1.bin sub/a.bin") == b"\xff\n\xff\n"
    assert await machine.bash("stat -c %a a-Copy1.bin") == b"711\n"
    assert whole.status == 400


async def test_a_new_name_must_be_free(contents, machine, folder):
    await machine.bash("echo a > a; echo b > b")

    refused = await contents("a", method="PATCH", body={"path": f"{folder}/b"})
    moved = await contents("a", method="PATCH", body={"path": f"{folder}/c"})

    assert (refused.status, refused.json["code"]) == (409, "already-exists")
    assert (moved.status, moved.json["name"]) == (200, "c")
    assert await machine.bash("cat b c; ls") == b"b\na\nb\nc\n"


async def test_files_and_full_folders_are_removed_but_never_the_workspace(contents, machine, ask):
    await machine.bash("echo a > a; mkdir -p full/of; echo b > full/of/b")
    workspace = machine.sandbox.workspace.strip("/")

    gone = [(await contents(path, method="DELETE")).status for path in ("a", "full")]
    again = await contents("a", method="DELETE")
    kept = [
        (await ask("contents", *path.split("/"), method="DELETE")).status
        for path in (workspace, workspace + "/.")
    ]

    assert gone == [204, 204]
    assert again.status == 404
    assert kept == [400, 400]
    assert await machine.bash("ls -A") == b""


async def test_a_checkpoint_brings_a_file_back_and_litters_nothing(contents, machine, folder):
    await machine.bash("echo one > t.txt; chmod 640 t.txt")

    made = await contents("t.txt/checkpoints", method="POST")
    await machine.bash("echo two > t.txt")
    await contents("t.txt", method="PATCH", body={"path": f"{folder}/u.txt"})
    listed = await contents("u.txt/checkpoints")
    back = await contents("u.txt/checkpoints/checkpoint", method="POST")
    gone = await contents("u.txt/checkpoints/checkpoint", method="DELETE")
    again = await contents("u.txt/checkpoints/checkpoint", method="POST")

    assert (made.status, made.json["id"]) == (201, "checkpoint")
    assert listed.json == [made.json]
    assert (back.status, gone.status, again.status) == (204, 204, 404)
    assert await machine.bash("cat u.txt; stat -c %a u.txt; ls -A") == b"one\n640\nu.txt\n"


async def test_a_folder_may_be_called_checkpoints(contents, machine, folder):
    await machine.bash("mkdir -p checkpoints/checkpoints; echo one > checkpoints/model")
    save = {"type": "file", "format": "text", "content": "two\n"}

    listed = await contents("checkpoints")
    inner = await contents("checkpoints/checkpoints")
    kept = await contents("checkpoints/model/checkpoints", method="POST")
    read = await contents("checkpoints/model")
    saved = await contents("checkpoints/model", method="PUT", body=save)
    back = await contents("checkpoints/model/checkpoints/checkpoint", method="POST")
    new = await contents("checkpoints", method="POST", body={"type": "file"})
    moved = await contents("checkpoints", method="PATCH", body={"path": f"{folder}/runs"})
    gone = await contents("runs/checkpoints", method="DELETE")

    assert [entry["name"] for entry in listed.json["content"]] == ["checkpoints", "model"]
    assert (inner.json["type"], inner.json["content"]) == ("directory", [])
    assert (read.json["content"], read.json["path"]) == ("one\n", f"{folder}/checkpoints/model")
    assert [each.status for each in (kept, saved, back, new)] == [201, 200, 204, 201]
    assert new.json["path"] == f"{folder}/checkpoints/untitled"
    assert (moved.json["path"], gone.status) == (f"{folder}/runs", 204)
    assert (
        await machine.bash("ls -AR; cat runs/model")
        == b".:\nruns\n\n./runs:\nmodel\nuntitled\none\n"
    )


async def test_the_states_of_a_file_are_not_saved_over(contents, machine):
    await machine.bash("echo one > t.txt")
    save = {"type": "file", "format": "text", "content": "two"}

    answers = [
        await contents("t.txt/checkpoints", method="PUT", body=save),
        await contents("t.txt/checkpoints/checkpoint"),
    ]

    assert [answer.status for answer in answers] == [405, 405]


async def test_names_of_any_kind_go_there_and_back(contents, machine):
    names = ["a b", "q\"'", "n\nl", "%41", "é", "😀", "#x?y=1&z", "+plus", " lead"]
    for name in names:
        body = {"type": "file", "format": "text", "content": name}
        assert (await contents(name, method="PUT", body=body)).status == 201

    listed = [entry["name"] for entry in (await contents()).json["content"]]
    read = [(await contents(name)).json["content"] for name in names]

    assert sorted(listed) == sorted(names)
    assert read == names


async def test_a_name_that_is_not_utf_8_can_be_read(contents, machine):
    await machine.bash(r"echo bytes > $'\xff.txt'")

    listed = await contents()
    answer = await contents("\udcff.txt")

    assert [entry["name"] for entry in listed.json["content"]] == ["\udcff.txt"]
    assert answer.json["content"] == "bytes\n"


async def test_an_editor_is_told_what_it_may_write(contents, machine, ask):
    script = "echo a > mine; echo b > fixed; chmod 444 fixed; for f in mine fixed /usr/bin/env; do"
    seen = await machine.bash(f"{script} [ -w $f ]; echo $?; done")

    found = [
        await contents("mine"),
        await contents("fixed"),
        await ask("contents", "usr", "bin", "env", params={"content": "0"}),
    ]

    assert found[0].json["writable"] is True
    assert [int(not each.json["writable"]) for each in found] == list(map(int, seen.split()))


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"type": "file"},
        {"type": "file", "content": "x"},
        {"type": "file", "content": "x", "format": "base64"},
        {"type": "notebook", "content": {"cells": 3}},
        {"content": "x", "format": "json", "type": "file"},
    ],
)
async def test_a_body_that_cannot_be_saved_changes_nothing(body, contents, machine):
    await machine.bash("echo a > t.txt")

    answer = await contents("t.txt", method="PUT", body=json.dumps(body))

    assert answer.status == 400
    assert await machine.bash("cat t.txt") == b"a\n"


async def test_an_unknown_sandbox_is_said_to_be_unknown(ask):
    for name in ("00000000-0000-0000-0000-000000000000", ".*", "..", "a/b"):
        answer = await ask("contents", sandbox=name)

        assert (answer.status, answer.json["code"]) == (404, "sandbox-not-found")


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("PUT", {"type": []}),
        ("PUT", {"type": "file", "format": {}, "content": "x"}),
        ("PUT", {"type": "file", "format": "text", "content": "x", "chunk": "1"}),
        ("PUT", {"type": "file", "format": "text", "content": "x", "chunk": 0}),
        ("PUT", {"type": "file", "format": "text", "content": "x", "chunk": [1]}),
        ("POST", {"type": "file", "ext": 5}),
        ("POST", {"copy_from": 5}),
        ("PATCH", {"path": 5}),
        ("PATCH", []),
    ],
)
async def test_words_of_a_wrong_kind_are_refused(method, body, contents, machine):
    await machine.bash("mkdir d; echo 1 >d/f")
    path = "d" if method == "POST" else "d/f"

    answer = await contents(path, method=method, body=json.dumps(body))

    assert (answer.status, answer.json["code"]) == (400, "invalid-request")
    assert await machine.bash("ls d; cat d/f") == b"f\n1\n"


async def test_a_file_from_a_year_beyond_calendars_is_listed(ask, machine):
    if machine.sandbox.info.isolation == "none":
        return
    await machine.bash("mkdir /tmp/far; touch -d @999999999999 /tmp/far/x")

    listed = await ask("contents", "tmp", "far")
    raw = await ask("files", "tmp", "far", "x")

    assert [entry["name"] for entry in listed.json["content"]] == ["x"]
    assert raw.headers["Last-Modified"] == "Fri, 31 Dec 9999 23:59:59 GMT"
    await machine.bash("rm -r /tmp/far")
