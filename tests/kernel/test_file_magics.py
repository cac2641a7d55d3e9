"""The magics that work on files, in real kernels with real sandboxes."""

import asyncio
import json
import os
import zipfile
from pathlib import Path

import pytest

from sandbook.config import SERVER_VARIABLE
from tests.conftest import BACKENDS, ISOLATED
from tests.core.rendering.examples import EXAMPLES
from tests.kernel.client import execute, running_kernel, text_of
from tests.kernel.test_help import matches

pytestmark = pytest.mark.timeout(180)

ENDLESS = f"%view twice {'9' * 5000}"
FOLDER = "folder with 'quotes'"


def shown(messages, mime="text/plain"):
    return "\n".join(
        content["data"][mime]
        for kind, content in messages
        if kind == "display_data" and mime in content["data"]
    )


async def said(client, code, mime="text/plain"):
    reply, messages = await execute(client, code)
    assert reply["status"] == "ok", reply
    return shown(messages, mime)


async def failure(client, code):
    reply, messages = await execute(client, code)
    assert reply["status"] == "error"
    assert not any("Traceback" in line for line in reply["traceback"])
    assert [content["evalue"] for kind, content in messages if kind == "error"] == [reply["evalue"]]
    return reply["evalue"]


async def bash(client, code):
    _, messages = await execute(client, code)
    return text_of(messages)


def left_over(folder):
    return [path for path in Path(folder).rglob("*") if path.name.startswith(".sandbook")]


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_file_is_written_changed_and_taken_back(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        created = await said(client, "%%edit --mkdir --mode 755 new/run.sh\necho 1\necho 2")
        await execute(client, "cd new")
        changed = await said(client, "%%edit run.sh\necho 1\necho 3\n")
        same = await said(client, "%%edit run.sh\necho 1\necho 3\n")
        await said(client, "%edit run.sh --replace 'echo 3' 'echo \"3 4\"'")
        replaced = await bash(client, "./run.sh")
        await said(client, "%edit run.sh --replace '\"3 4\"' '-n'")
        await said(client, "%edit run.sh --replace '-n' '-e'")
        await said(client, "%edit run.sh --undo")
        await said(client, "%edit run.sh --undo")
        undone = await said(client, "%edit run.sh --undo", "text/html")
        appended = await said(client, "%%edit run.sh --append\necho 5")
        content = await bash(client, "cat run.sh; stat -c %a run.sh")

    assert "new/run.sh: created, +2 lines, mode 755" in created
    assert "changed" in changed
    assert "\x1b[31m-echo 2\x1b[0m\n\x1b[32m+echo 3\x1b[0m" in changed
    assert same.endswith("run.sh: unchanged")
    assert replaced == "1\n3 4\n"
    assert "undone" in undone
    assert "sb-deleted" in undone
    assert "+echo 5" in appended
    assert content == "echo 1\necho 3\necho 5\n755\n"
    assert not left_over(tmp_path)


async def test_a_file_keeps_its_line_ends_and_its_encoding(tmp_path):
    examples = [
        (b"a\r\nb\r\n", "a\nc", b"a\r\nc\r\n"),
        ("é\n".encode("latin-1"), "éé", "éé\n".encode("latin-1")),
        (b"\xef\xbb\xbfa\n", "b", b"\xef\xbb\xbfb\n"),
        (b"a", "", b""),
    ]
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        for before, cell, after in examples:
            (tmp_path / "a.txt").write_bytes(before)
            await said(client, f"%%edit a.txt\n{cell}")
            assert (tmp_path / "a.txt").read_bytes() == after


async def test_errors_are_one_clear_line(tmp_path):
    (tmp_path / "twice").write_text("a\na\n")
    (tmp_path / "blob").write_bytes(bytes(range(256)))
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        found = {
            code: await failure(client, code)
            for code in (
                "%view nothing",
                "%view",
                "%view twice --page x",
                "%view twice 7:3",
                "%view twice 9:",
                "%view twice 3",
                ENDLESS,
                "%view blob 1:2",
                "%view /dev/zero",
                "%view 'open",
                "%ls --colour",
                "%edit nothing",
                "%edit . ",
                "%edit twice --undo",
                "%edit twice --append",
                "%edit twice --replace a b",
                "%edit twice --replace x y",
                "%%edit twice --mode 9\nx",
                "%%edit no/such/folder\nx",
                "%%edit blob\nx",
                "%put nothing",
                "%put twice",
                "%get nothing here",
                "%get twice twice",
                "%get /",
                "%lsmagic x",
            )
        }
        still = await bash(client, "cat twice")
        jobs = await bash(
            client, "sleep 9 & kill %1 && echo killed; kill %% 2>/dev/null; echo 50 %2"
        )

    assert found["%view nothing"] == "The sandbox has no '/workspace/nothing'."
    for code in ("%view", "%view twice --page x", "%view 'open", "%ls --colour", "%lsmagic x"):
        assert f"\nusage: {code.split()[0]}" in found[code]
    assert "no lines 7:3" in found["%view twice 7:3"]
    assert "has no line 9" in found["%view twice 9:"]
    assert "has no line 3: it has 2 lines" in found["%view twice 3"]
    assert "lines are written as" in found[ENDLESS]
    assert "has no lines" in found["%view blob 1:2"]
    assert "device" in found["%view /dev/zero"]
    assert "is a folder" in found["%edit . "]
    assert "No edit history" in found["%edit twice --undo"]
    assert "are for %%edit" in found["%edit twice --append"]
    assert "in lines [1, 2]" in found["%edit twice --replace a b"]
    assert "did not appear verbatim" in found["%edit twice --replace x y"]
    assert "--mode is three digits" in found["%%edit twice --mode 9\nx"]
    assert "no folder for" in found["%%edit no/such/folder\nx"]
    assert "binary" in found["%%edit blob\nx"]
    assert "nothing' on this machine: No such file" in found["%put nothing"]
    assert "add --force" in found["%put twice"]
    assert "add --force" in found["%get twice twice"]
    assert "ends with no name" in found["%get /"]
    assert still == "a\na\n"
    assert jobs.endswith("killed\n50 %2\n")


async def test_every_kind_of_file_has_a_text_and_a_form(tmp_path):
    for name, content in EXAMPLES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "long.txt").write_text("".join(f"line {n}\n" for n in range(3000)))
    (tmp_path / "huge.txt").write_text("".join(f"line {n}\n" for n in range(1_000_000)))
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        for name in EXAMPLES:
            _, messages = await execute(client, f"%view {name}")
            (data,) = [content["data"] for kind, content in messages if kind == "display_data"]
            form = "image/png" if name == "picture.png" else "text/html"
            assert set(data) == {form, "text/plain"}, name
            assert data["text/plain"].strip(), name
        folder = await said(client, "%view .")
        lines = await said(client, "%view long.txt 2:3")
        long = await said(client, "%view long.txt --page 2")
        far = await said(client, "%view huge.txt 998000:")
        system = await said(client, "%view /proc/version")

    assert "work.ipynb" in folder
    assert lines == "     2\tline 1\n     3\tline 2"
    assert long.startswith("  1001\tline 1000")
    assert long.endswith("(page 2 of 3: %view long.txt --page N)")
    assert far.startswith("998000\tline 997999")
    assert "(page 1 of 3: %view huge.txt 998000: --page N)" in far
    assert "Linux" in system


@pytest.mark.parametrize("backend", BACKENDS)
async def test_files_go_in_and_out(backend, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("a")
    (tmp_path / "data" / "program").touch(mode=0o755)
    (tmp_path / "data" / "link").symlink_to("a.txt")
    (tmp_path / "large").write_bytes(os.urandom(20_000_000))
    async with running_kernel(backend, tmp_path) as (_, client):
        await execute(client, "there=$(mktemp -d); cd $there")
        await said(client, "%put data/a.txt")
        await said(client, "%put data")
        _, progress = await execute(client, "%put large")
        sums = await bash(client, "cmp large $OLDPWD/large && ls -F data")
        await said(client, "%get large back")
        await said(client, "%get data/program .")
        folder = await said(client, "%get data")
        again = await failure(client, "%get large back")
        await said(client, "%get data/a.txt back --force")
        await execute(client, "cd; rm -rf $there")

    assert sums.split() == ["a.txt", "link@", "program*"]
    assert "20.0 of 20.0 MB" in str(progress)
    assert folder.startswith(f"Copied to {tmp_path}/data.zip")
    assert set(zipfile.ZipFile(tmp_path / "data.zip").namelist()) == {"a.txt", "link", "program"}
    assert (tmp_path / "program").stat().st_mode & 0o111
    assert "is there already" in again
    assert (tmp_path / "back").read_text() == "a"
    assert not left_over(tmp_path)


@pytest.mark.parametrize("backend", ISOLATED)
async def test_a_link_that_the_sandbox_has_made_leads_nowhere(backend, tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("secret")
    async with running_kernel(backend, folder) as (_, client):
        await execute(client, "echo evil >evil; ln -s ../secret taken; ln -s .. up")
        refused = [await failure(client, f"%put {name} /tmp/x") for name in ("taken", "up/secret")]
        refused.append(await failure(client, "%get evil up/secret --force"))
        await said(client, "%get evil taken --force")

    assert all("on this machine" in line for line in refused)
    assert secret.read_text() == "secret"
    assert (folder / "taken").read_text() == "evil\n"


@pytest.mark.parametrize("code", ["%get huge copy", "%put huge copy"])
async def test_an_interrupt_stops_a_transfer_and_leaves_nothing(code, tmp_path):
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 40 << 30)
    async with running_kernel("bubblewrap", tmp_path) as (manager, client):
        begun = asyncio.get_running_loop().create_future()

        def note(message):
            if "MB" in str(message["content"]) and not begun.done():
                begun.set_result(None)

        running = asyncio.create_task(
            client.execute_interactive(code, output_hook=note, timeout=60)
        )
        await asyncio.wait_for(begun, 30)
        await manager.interrupt_kernel()
        reply = (await running)["content"]
        # The program inside cleans up when it hears that nobody wants the file any more.
        after = await bash(client, 'until [ "$(ls -A)" = huge ]; do :; done; echo still there')

    name = code.split()[0]
    assert (reply["ename"], reply["evalue"].split(".")[0]) == ("Interrupted", f"{name} was stopped")
    assert after == "still there\n"


async def test_completion_knows_options_paths_and_shells(tmp_path):
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "a b.txt").touch()
    (tmp_path / FOLDER / "new\nline").touch()
    (tmp_path / ".hidden").touch()
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        await execute(client, "%bash --session build cd /usr")
        found = {
            code: await matches(client, code)
            for code in (
                "%vi",
                "%view --p",
                "%view fol",
                '%view "folder with',
                "%view 'fol",
                "%view folder\\ with\\ \\'quotes\\'/",
                "%view .h",
                "%ls --session b",
                "%ls --session build sh",
                "%put fol",
                "%put x /us",
                "%%edit --a",
                "%%edit x --mode 755 ",
                "%bash --t",
                "%lsmagic x",
            )
        }
        await execute(client, f'cd "{FOLDER}"')
        moved = await matches(client, "%view ")
        shown_name = await said(client, f"%view {moved[0]}")

    assert found["%vi"] == ["%view"]
    assert found["%view --p"] == ["--page"]
    assert found["%view fol"] == ["folder\\ with\\ \\'quotes\\'/"]
    assert found['%view "folder with'] == ["\"folder with 'quotes'/"]
    assert found["%view 'fol"] == ["folder\\ with\\ \\'quotes\\'/"]
    assert found["%view folder\\ with\\ \\'quotes\\'/"] == [
        "folder\\ with\\ \\'quotes\\'/a\\ b.txt",
        "$'folder with \\'quotes\\'/new\\x0aline'",
    ]
    assert found["%view .h"] == [".hidden"]
    assert found["%ls --session b"] == ["build"]
    assert found["%ls --session build sh"] == ["share/"]
    assert found["%put fol"] == found["%view fol"]
    assert found["%put x /us"] == ["/usr/"]
    assert found["%%edit --a"] == ["--append"]
    assert found["%%edit x --mode 755 "] == []
    assert found["%bash --t"] == ["--timeout"]
    assert found["%lsmagic x"] == []
    assert moved == ["a\\ b.txt", "$'new\\x0aline'"]
    assert shown_name


async def test_names_that_are_no_text_are_shown_and_read(tmp_path):
    (tmp_path / os.fsdecode(b"\xff\x1b[31m")).write_text("odd\n")
    (tmp_path / "<b>bold").write_text("x")
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        listed = await said(client, "%ls -l")
        html = await said(client, "%ls", "text/html")
        viewed = await said(client, r"%view $'\xff\x1b[31m'")
        written = await said(client, "%%edit $'\\xff\\x1b[31m'\neven")

    assert "\\xff\\x1b[31m" in listed
    assert "\x1b" not in listed + html + written.partition("\n")[0]
    assert "<b>" not in html
    assert "odd" in viewed
    assert "changed" in written


async def test_paths_go_from_where_the_shell_is(tmp_path):
    async with running_kernel("docker", tmp_path) as (_, client):
        await execute(client, "cd /usr; echo mine >~/mine")
        here = await said(client, "%ls")
        await execute(client, "%bash --session other cd /etc")
        there = await said(client, "%ls --session other")
        home = await said(client, "%view ~/mine")
        of_root = await said(client, "%view --root /etc/shadow 1")

    assert "bin/" in here
    assert "passwd" in there
    assert "mine" in home
    assert "root" in of_root


async def test_links_lead_to_the_server_that_has_started_the_kernel(tmp_path):
    (tmp_path / "a b.txt").write_text("x")
    mine = json.dumps({"base_url": "/user/ada/", "pid": os.getpid()})
    async with running_kernel("bubblewrap", tmp_path, **{SERVER_VARIABLE: mine}) as (_, client):
        reply, messages = await execute(client, "%edit a\\ b.txt")
        html = await said(client, "%ls", "text/html")
        link = await said(client, "%get a\\ b.txt")
        folder = await said(client, "%get .")

    opened = {"source": "edit_magic", "filename": "/workspace/a b.txt", "line_number": 1}
    assert reply["payload"] == [opened]
    assert "/view?path=/workspace/a%20b.txt" in shown(messages, "text/html")
    assert 'href="/user/ada/sandbook/' in html
    assert link.endswith("/files/workspace/a%20b.txt?download=1")
    assert "/download_files?path=/workspace" in folder
    assert [path.name for path in tmp_path.iterdir()] == ["a b.txt"]


async def test_a_server_that_is_not_the_parent_is_none_of_ours(tmp_path):
    (tmp_path / "a.txt").write_text("content")
    other = json.dumps({"base_url": "/", "pid": os.getppid()})
    async with running_kernel("bubblewrap", tmp_path, **{SERVER_VARIABLE: other}) as (_, client):
        reply, messages = await execute(client, "%edit a.txt")
        html = await said(client, "%ls", "text/html")

    assert reply["payload"] == []
    assert "content" in shown(messages)
    assert "href" not in html


async def test_a_cell_of_a_magic_goes_on_until_an_empty_line(tmp_path):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        states = [
            (await client.is_complete(code, reply=True, timeout=30))["content"]["status"]
            for code in ("%%edit a", "%%edit a\nx", "%%edit a\nx\n", "%ls")
        ]

    assert states == ["incomplete", "incomplete", "complete", "complete"]
