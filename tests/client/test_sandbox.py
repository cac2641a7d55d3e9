"""What scripts and agents do with one sandbox, over real HTTP, in both flavours."""

import io
import os
import subprocess
import sys
import zipfile

import pytest

from sandbook.client import ClientError, Completed, Output, Started


@pytest.fixture
def folder(sandbox, request):
    """A new folder in the sandbox for one test."""
    return sandbox.run("cd $(mktemp -d -p /workspace) && pwd").output


def test_a_command_tells_its_output_its_exit_code_and_where_it_left_the_shell(sandbox, folder):
    result = sandbox.run("mkdir sub && cd sub && echo hi; (exit 3)")

    assert (result.output, result.exit_code, result.ok) == ("hi", 3, False)
    assert result.cwd == f"{folder}/sub"
    assert not result.is_running
    assert result.raw["extras"]["metadata"]["working_dir"] == f"{folder}/sub"
    assert sandbox.run("pwd").output == f"{folder}/sub"


def test_a_command_that_outlasts_its_timeout_goes_on_and_can_be_talked_to(sandbox):
    asked = sandbox.run("read -p 'name? ' name; echo hello $name", timeout=0.5)
    told = sandbox.run("you", is_input=True, timeout=30)

    assert asked.is_running
    assert (asked.exit_code, asked.cwd) == (None, None)
    assert "timed out after 0.5 seconds" in asked.note
    assert told.output.endswith("hello you")
    assert told.ok


def test_a_command_can_have_a_shell_of_its_own(sandbox):
    sandbox.run("cd /tmp; only_here=1")

    assert sandbox.run("pwd; echo [$only_here]", cwd="/usr").output == "/usr\n[]"
    assert sandbox.run("pwd").output == "/tmp"


def test_two_commands_at_once_are_refused_in_words_that_an_agent_can_read(sandbox):
    with pytest.raises(ClientError, match="Cannot execute multiple commands") as refused:
        sandbox.run("echo a\necho b")

    assert refused.value.code == "action-failed"


def test_a_stream_tells_what_a_command_says_and_then_how_it_ended(sandbox, folder):
    events = list(sandbox.stream("echo one; until [ -e go ]; do touch go; done; echo two; false"))

    assert isinstance(events[0], Started)
    assert events[0].action["args"]["command"].startswith("echo one")
    assert "".join(e.text for e in events if isinstance(e, Output)).split() == ["one", "two"]
    assert isinstance(events[-1], Completed)
    assert (events[-1].result.exit_code, events[-1].result.cwd) == (1, folder)


def test_a_stream_comes_while_the_command_runs(sandbox, client_of, made, folder):
    events = sandbox.stream("echo first; until [ -e go ]; do sleep 0.05; done; echo last")

    assert next(event.text for event in events if isinstance(event, Output)).strip() == "first"
    client_of(made.base_url, made.key).write(f"{folder}/go", "")  # it would wait for ever without
    assert next(event for event in events if isinstance(event, Completed)).result.ok


def test_who_hangs_up_can_have_the_command_interrupted(sandbox):
    events = sandbox.stream("echo begun; sleep 600", interrupt=True)
    next(event for event in events if isinstance(event, Output))
    events.close()

    result = sandbox.run("echo free", timeout=30)
    while not result.ok:  # until Ctrl-C has come to it
        result = sandbox.run("echo free", timeout=30)
    assert result.output.endswith("free")


def test_what_cannot_be_streamed_is_an_error_as_elsewhere(sandbox):
    with pytest.raises(ClientError, match="Cannot execute multiple commands"):
        list(sandbox.stream("echo a\necho b"))


def test_python_keeps_its_variables(sandbox):
    sandbox.python("x = 20")

    result = sandbox.python("print(x + 1)")

    assert result.output.strip() == "21"
    assert result.images == ()
    assert "ZeroDivisionError" in sandbox.python("1 / 0", timeout=30).output


def test_a_file_is_written_read_edited_and_undone(sandbox, folder):
    path = f"{folder}/a.txt"

    assert sandbox.write("a.txt", "one\ntwo\nthree\n") == path
    assert sandbox.read("a.txt").text == "one\ntwo\nthree\n"
    assert sandbox.read(path, 1, 2).text.strip() == "two"
    edited = sandbox.edit(path, "two", "2")
    assert "+2" in edited.diff.splitlines()
    assert "2" in edited.message
    sandbox.insert(path, 0, "zero")
    assert sandbox.read(path).text == "zero\none\n2\nthree\n"
    sandbox.undo_edit(path)
    assert sandbox.read(path).text == "one\n2\nthree\n"
    assert "\t2\n" in sandbox.view(path, (2, 3)).text
    assert sandbox.create(f"{folder}/b.txt", "new").path == f"{folder}/b.txt"
    assert sandbox.list_files(folder) == ["a.txt", "b.txt"]


def test_what_fails_is_raised_in_the_words_for_an_agent(sandbox, folder):
    sandbox.write("a.txt", "one\n")
    for attempt in (
        lambda: sandbox.read(f"{folder}/no"),
        lambda: sandbox.view(f"{folder}/no"),
        lambda: sandbox.edit(f"{folder}/a.txt", "not there", ""),
        lambda: sandbox.create(f"{folder}/a.txt", ""),
    ):
        with pytest.raises(ClientError) as failed:
            attempt()
        assert failed.value.code == "action-failed"
        assert f"{folder}/" in failed.value.detail
        assert not failed.value.detail.startswith("ERROR")


def test_an_agent_can_speak_the_json_of_openhands(sandbox):
    told = sandbox.act({"action": "run", "args": {"command": "echo hi"}, "timeout": 30})

    assert (told["observation"], told["content"]) == ("run", "hi")
    assert sandbox.act({"action": "read", "args": {"path": "/no"}})["observation"] == "error"
    with pytest.raises(ClientError) as refused:
        sandbox.act({"action": "dance", "args": {}})
    assert refused.value.status == 400
    assert "is not defined" in str(refused.value)


def test_a_file_goes_in_and_out_with_progress(sandbox, folder, tmp_path):
    data = os.urandom(3_000_001)
    (tmp_path / "up").write_bytes(data)
    up, down = [], []

    sandbox.upload(tmp_path / "up", folder, on_progress=lambda *seen: up.append(seen))
    sandbox.download(f"{folder}/up", tmp_path / "down", on_progress=lambda *s: down.append(s))

    assert (tmp_path / "down").read_bytes() == data
    for seen in (up, down):
        assert len(seen) > 1
        assert seen == sorted(seen)
        assert seen[-1] == (len(data), len(data))


@pytest.mark.parametrize("text", ["", "no end", "\n", "\n\n", "a\r\nb\r", "ä\u2028\f\n"])
def test_what_is_written_is_stored_just_so(sandbox, folder, text, tmp_path):
    sandbox.write(f"{folder}/just.txt", text)
    sandbox.write(f"{folder}/just.txt", text)  # also in the place of another

    sandbox.download(f"{folder}/just.txt", tmp_path / "just")

    assert (tmp_path / "just").read_bytes() == text.encode()
    assert sandbox.read(f"{folder}/just.txt").text == text


def test_an_open_file_goes_in_from_where_it_stands_and_comes_out_into_another(sandbox, folder):
    source, target = io.BytesIO(b"skipped" + b"data" * 1000), io.BytesIO()
    source.seek(7)

    sandbox.upload(source, folder, name='a "name" of; its=own')
    sandbox.download(f'{folder}/a "name" of; its=own', target)

    assert target.getvalue() == b"data" * 1000


def test_a_pipe_has_no_length_and_goes_in_all_the_same(sandbox, folder):
    reading, writing = os.pipe()
    seen = []
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb") as sink:
        sink.write(b"through a pipe")
        sink.close()
        sandbox.upload(source, folder, name="piped", on_progress=lambda *each: seen.append(each))

    assert sandbox.read(f"{folder}/piped").text == "through a pipe"
    assert seen == [(14, None)]


def test_a_folder_goes_in_and_comes_out_as_it_is(sandbox, folder, tmp_path):
    tree = tmp_path / "tree"
    (tree / "deep" / "er").mkdir(parents=True)
    (tree / "empty").mkdir()
    (tree / "deep" / "er" / "file").write_text("text")
    (tree / "run.sh").write_text("#!/bin/sh\necho ran")
    (tree / "run.sh").chmod(0o755)
    (tree / "link").symlink_to("run.sh")

    sandbox.upload_folder(tree, f"{folder}/tree")
    sandbox.download_zip(f"{folder}/tree", tmp_path / "tree.zip")

    assert sandbox.list_files(f"{folder}/tree")[:2] == ["deep/", "empty/"]
    assert sandbox.run(f"{folder}/tree/run.sh").output == "ran"
    assert sandbox.run(f"readlink {folder}/tree/link").output == "run.sh"
    with zipfile.ZipFile(tmp_path / "tree.zip") as archive:
        assert archive.read("deep/er/file") == b"text"


def test_a_link_takes_nothing_along_that_is_not_in_the_folder(sandbox, folder, tmp_path):
    (tmp_path / "secret").write_text("of this machine")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "secret")

    with pytest.raises(ClientError, match="the link 'link' leads out of it"):
        sandbox.upload_folder(tmp_path / "tree", folder)

    assert sandbox.list_files(folder) == []


def test_a_download_that_fails_leaves_what_was_there(sandbox, folder, tmp_path):
    (tmp_path / "kept").write_text("before")

    with pytest.raises(ClientError) as missing:
        sandbox.download(f"{folder}/no", tmp_path / "kept")
    with pytest.raises(ClientError) as wrong:
        sandbox.download(folder, tmp_path / "kept")
    sandbox.write(f"{folder}/there", "x" * 100)
    with pytest.raises(ZeroDivisionError):
        sandbox.download(f"{folder}/there", tmp_path / "kept", on_progress=lambda *_: 1 / 0)

    assert (missing.value.status, missing.value.code) == (404, "path-not-found")
    assert (wrong.value.status, wrong.value.code) == (400, "is-a-folder")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"kept": "before"}


FULL = """
import asyncio, resource, sys
from sandbook.client import AsyncSandbox, Sandbox
kind, url, key, path, to = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))  # no file has room for more
if kind == "Sandbox":
    Sandbox(url, key).download(path, to)
else:
    asyncio.run(AsyncSandbox(url, key).download(path, to))
"""


@pytest.mark.parametrize("size", [100, 1 << 20], ids=["at its end", "on its way"])
def test_a_download_for_which_there_is_no_room_leaves_nothing(
    sandbox, made, folder, size, tmp_path
):
    sandbox.run(f"head -c {size} /dev/zero >{folder}/large")
    (tmp_path / "kept").write_text("before")
    kind = type(getattr(sandbox, "_inner", sandbox)).__name__
    told = (kind, made.base_url, made.key, f"{folder}/large", str(tmp_path / "kept"))

    done = subprocess.run(
        [sys.executable, "-c", FULL, *told], check=False, capture_output=True, text=True
    )

    assert "OSError: [Errno 27]" in done.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"kept": "before"}


def test_a_download_in_the_place_of_a_folder_leaves_nothing(sandbox, folder, tmp_path):
    sandbox.write(f"{folder}/there", "x")
    (tmp_path / "taken").mkdir()

    with pytest.raises(IsADirectoryError):
        sandbox.download(f"{folder}/there", tmp_path / "taken")

    assert list(tmp_path.iterdir()) == [tmp_path / "taken"]


def test_the_server_tells_how_it_is(sandbox):
    told = sandbox.info()

    assert sandbox.alive()
    assert told.uptime_s > told.idle_s >= 0
    assert told.memory_bytes > 1e6
    assert told.raw["resources"]["disk"]["total"] > 0
