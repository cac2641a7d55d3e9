"""list_files, upload_file and download_files, in the words of OpenHands, on every backend."""

import asyncio
import io
import json
import os
import re
import zipfile
from pathlib import Path

import pytest

BOUNDARY = "frontier"


def form(name, data, field="file"):
    head = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return file.getvalue()


@pytest.fixture
def upload(ask):
    async def send(name, data, field="file", body=None, **params):
        return await ask(
            "upload_file",
            method="POST",
            params=params,
            body=form(name, data, field) if body is None else body,
            headers={"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"},
        )

    return send


@pytest.fixture
def listed(ask):
    async def fetch(body):
        body = body if isinstance(body, str) else json.dumps(body)
        return await ask("list_files", method="POST", body=body)

    return fetch


async def test_names_are_listed_folders_first(listed, machine):
    await machine.bash("mkdir Bee ant; touch .dot Zoo apple; ln -s nowhere broken; ln -s ant link")
    relative = machine.folder.rpartition("/")[2]

    absolute, from_workspace = (
        await listed({"path": machine.folder}),
        await listed({"path": relative}),
    )

    assert absolute.status == 200
    assert absolute.json == ["ant/", "Bee/", "link/", ".dot", "apple", "Zoo"]
    assert from_workspace.json == absolute.json


async def test_without_a_path_the_workspace_is_listed(listed, machine):
    name = machine.folder.rpartition("/")[2]

    assert f"{name}/" in (await listed({})).json
    assert f"{name}/" in (await listed({"path": None})).json


async def test_what_is_no_folder_lists_nothing(listed, machine):
    await machine.bash("touch file")

    assert (await listed({"path": f"{machine.folder}/none"})).json == []
    assert (await listed({"path": f"{machine.folder}/file"})).json == []


@pytest.mark.parametrize("body", ["", "{", "[]", '{"path": 3}'])
async def test_a_body_that_is_no_json_object_is_unexpected(body, listed):
    answer = await listed(body)

    assert answer.status == 500
    assert answer.json == {"detail": "An unexpected error occurred. Please try again later."}


async def test_a_file_is_stored_in_a_folder_that_is_made(upload, machine):
    destination = f"{machine.folder}/new/deep"

    answer = await upload("a b.bin", b"\0\r\n--frontie\xff", destination=destination)

    assert answer.status == 200
    assert answer.json == {"filename": "a b.bin", "destination": destination, "recursive": False}
    assert await machine.bash("cat 'new/deep/a b.bin'") == b"\0\r\n--frontie\xff"


@pytest.mark.parametrize("params", [{"recursive": "true"}, {}])
async def test_an_archive_is_unpacked_and_not_kept(params, upload, machine):
    data = zipped(top="1", sub__inner="2")

    answer = await upload("q.zip", data, destination=machine.folder, **params)

    assert answer.json["recursive"] is bool(params)
    assert await machine.bash("find . -type f | sort | xargs tail -n 1") == (
        b"==> ./sub/inner <==\n2\n==> ./top <==\n1"
    )


@pytest.mark.parametrize(
    ("name", "data", "params", "detail"),
    [
        ("q.txt", b"x", {"destination": "rel"}, "400: Destination must be an absolute path"),
        ("q.txt", b"x", {"recursive": "true"}, "400: Recursive uploads must be zip files"),
        ("bad.zip", b"no zip", {"recursive": "true"}, "{folder}/bad.zip is not a zip file"),
    ],
)
async def test_what_cannot_be_stored_is_told_in_the_words_of_the_contract(
    name, data, params, detail, upload, machine
):
    answer = await upload(name, data, **{"destination": machine.folder, **params})

    assert (answer.status, answer.json) == (500, {"detail": detail.format(folder=machine.folder)})
    assert await machine.bash("ls -A") == b""


async def test_a_missing_file_is_told_as_by_fastapi(upload, ask):
    errors = (
        "[{'type': 'missing', 'loc': ('body', 'file'), 'msg': 'Field required', 'input': None}]"
    )

    other_field = await upload("x", b"x", field="other")
    no_form = await ask("upload_file", method="POST", body="x")

    for answer in (other_field, no_form):
        assert answer.status == 422
        assert answer.json == {"detail": "Invalid request parameters", "errors": errors}


async def test_an_archive_that_leads_out_is_refused(upload, machine):
    answer = await upload("x.zip", zipped(**{"..__up": "x"}), destination=machine.folder)

    assert (answer.status, answer.json["code"]) == (400, "archive-refused")
    assert await machine.bash("ls -A . ../up 2>/dev/null || true") == b".:\n"


async def test_where_a_folder_is_nothing_is_stored(upload, machine):
    await machine.bash("mkdir taken; echo x > taken/x")

    answer = await upload("taken", b"data", destination=machine.folder)

    assert (answer.status, answer.json["code"]) == (400, "is-a-folder")
    assert await machine.bash("cat taken/x") == b"x\n"


async def test_half_a_form_stores_nothing(upload, machine):
    whole = form("half.txt", b"data" * 1000)

    answer = await upload("", b"", body=whole[:2000], destination=machine.folder)

    assert answer.status == 422
    assert await machine.bash("ls -A") == b""


async def test_a_folder_comes_as_zip(ask, machine):
    await machine.bash("mkdir -p sub; echo a > a; echo b > sub/b; chmod 755 a; ln -s a link")

    answer = await ask("download_files", params={"path": machine.folder})

    name = machine.folder.rpartition("/")[2]
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}.zip"'
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    assert archive.testzip() is None
    files = {each.filename for each in archive.infolist() if not each.is_dir()}
    assert files == {"a", "sub/b", "link"}
    assert archive.read("sub/b") == b"b\n"


async def test_what_cannot_be_downloaded_is_told_in_the_words_of_the_contract(ask, machine):
    relative = await ask("download_files", params={"path": "rel"})
    missing = await ask("download_files", params={"path": f"{machine.folder}/none"})
    nothing = await ask("download_files")

    assert (relative.status, relative.json) == (
        500,
        {"detail": "400: Path must be an absolute path"},
    )
    assert (missing.status, missing.json) == (500, {"detail": "404: File not found"})
    assert (nothing.status, nothing.json["detail"]) == (422, "Invalid request parameters")
    assert "('query', 'path')" in nothing.json["errors"]


class Sender:
    """A client that sends a body as slowly as a test wants."""

    def __init__(self, app, sandbox_id, **params):
        self.app, self.sandbox_id, self.params = app, sandbox_id, params

    async def open(self, length):
        reader, self.writer = await asyncio.open_connection("127.0.0.1", self.app.port)
        query = "&".join(f"{key}={value}" for key, value in self.params.items())
        path = f"{self.app.base_url}sandbook/{self.sandbox_id}/upload_file?{query}"
        self.writer.write(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n"
            f"Authorization: token {self.app.identity_provider.token}\r\n"
            f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n".encode()
        )
        return reader

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()


async def running(ask):
    return (await ask("transfers")).json


async def until(ask, condition):
    for _ in range(300):
        found = await running(ask)
        if condition(found):
            return found
        await asyncio.sleep(0.02)
    return pytest.fail(f"never so: {found}")


@pytest.mark.parametrize("name", ["big.bin", "big.zip"])
async def test_an_upload_shows_how_far_it_is_and_leaves_nothing_when_it_is_given_up(
    name, ask, machine, jp_serverapp
):
    sender = Sender(jp_serverapp, machine.sandbox.info.sandbox_id, destination=machine.folder)
    begin = form(name, b"x" * (1 << 20))[:-20]

    await sender.open(10 << 20)
    await sender.send(begin)
    found = await until(ask, lambda rows: rows and rows[0]["bytes"] == len(begin))
    sender.writer.close()
    await until(ask, lambda rows: not rows)

    (row,) = found
    assert (row["kind"], row["path"]) == ("upload", f"{machine.folder}/{name}")
    assert (row["bytes"], row["total"]) == (len(begin), 10 << 20)
    assert await machine.bash("while compgen -G '.sandbook-*' >/dev/null; do :; done; ls -A") == b""


async def test_eight_at_once_both_ways(ask, upload, machine):
    data = bytes(range(256)) * (16 << 10)

    stored = await asyncio.gather(
        *(upload(f"{number}.bin", data, destination=machine.folder) for number in range(8))
    )
    fetched = await asyncio.gather(
        *(ask("download_files", params={"path": machine.folder}) for _ in range(4)),
        *(ask("files", *machine.folder.split("/")[1:], f"{number}.bin") for number in range(4)),
    )

    assert [answer.status for answer in stored] == [200] * 8
    assert [answer.status for answer in fetched] == [200] * 8
    assert all(answer.body == data for answer in fetched[4:])
    for answer in fetched[:4]:
        archive = zipfile.ZipFile(io.BytesIO(answer.body))
        assert all(archive.read(f"{number}.bin") == data for number in range(8))
    assert await running(ask) == []


async def test_a_download_that_is_given_up_ends_in_the_sandbox_too(
    ask, machine, jp_serverapp, jp_auth_header
):
    await machine.bash("truncate -s 2G sparse")
    reader, writer = await asyncio.open_connection("127.0.0.1", jp_serverapp.port)
    path = f"{jp_serverapp.base_url}sandbook/{machine.sandbox.info.sandbox_id}/files"
    writer.write(
        f"GET {path}{machine.folder}/sparse HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: {jp_auth_header['Authorization']}\r\n\r\n".encode()
    )

    head = await reader.readuntil(b"\r\n\r\n")
    (row,) = await until(ask, lambda rows: rows and rows[0]["bytes"])
    writer.close()
    await until(ask, lambda rows: not rows)

    assert f"Content-Length: {2 << 30}".encode() in head
    assert (row["kind"], row["path"]) == ("download", f"{machine.folder}/sparse")
    assert row["total"] == 2 << 30


class TestLimits:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        return {**jp_server_config, "ArchivePolicy": {"max_total_mb": 1, "max_archive_mb": 1}}

    async def test_a_file_that_is_too_large_is_refused_before_it_comes(
        self, ask, machine, jp_serverapp
    ):
        sender = Sender(jp_serverapp, machine.sandbox.info.sandbox_id, destination=machine.folder)

        reader = await sender.open(1 << 40)
        head = await reader.readuntil(b"\r\n\r\n")
        sender.writer.close()

        assert head.startswith(b"HTTP/1.1 413")

    async def test_a_folder_that_is_too_large_is_never_half_an_archive(
        self, ask, machine, jp_serverapp, jp_auth_header
    ):
        await machine.bash("head -c 3M /dev/urandom > large")
        reader, writer = await asyncio.open_connection("127.0.0.1", jp_serverapp.port)
        path = f"{jp_serverapp.base_url}sandbook/{machine.sandbox.info.sandbox_id}"
        writer.write(
            f"GET {path}/download_files?path={machine.folder} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            "Connection: close\r\n"
            f"Authorization: {jp_auth_header['Authorization']}\r\n\r\n".encode()
        )

        whole = await reader.read()
        writer.close()

        assert b" 413 " in whole
        assert b"PK" not in whole


async def test_a_full_disk_is_said_and_nothing_is_left(upload, machine):
    if machine.sandbox.info.isolation == "none":
        return  # there is no small disk
    left = "$(($(df --output=avail -B1 /dev/shm | tail -1) - 8000000))"
    await machine.bash(f"mkdir /dev/shm/into; fallocate -l {left} /dev/shm/filling")

    answer = await upload("big", bytes(20 << 20), destination="/dev/shm/into")

    assert (answer.status, answer.json["code"]) == (507, "disk-full")
    assert await machine.bash("rm /dev/shm/filling; rmdir /dev/shm/into") == b""


class Memory:
    """How much this process has needed at most."""

    def __enter__(self):
        Path("/proc/self/clear_refs").write_text("5")  # begins to measure anew
        self.before = self.peak()
        return self

    def __exit__(self, *_):
        self.growth = self.peak() - self.before

    def peak(self):
        (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        return int(line) << 10


async def test_eight_large_ones_at_once_need_little_memory(
    ask, machine, jp_serverapp, jp_auth_header
):
    await machine.bash("head -c 64M /dev/urandom > large")
    sandbox_id = machine.sandbox.info.sandbox_id
    begin, end = form("x", b"").split(b"\r\n\r\n")
    begin, end = begin + b"\r\n\r\n", b"\r\n" + end.lstrip()
    piece = os.urandom(1 << 20)

    async def fetch(path):
        reader, writer = await asyncio.open_connection("127.0.0.1", jp_serverapp.port)
        writer.write(
            f"GET {jp_serverapp.base_url}sandbook/{sandbox_id}/{path} HTTP/1.1\r\n"
            "Host: 127.0.0.1\r\nConnection: close\r\n"
            f"Authorization: {jp_auth_header['Authorization']}\r\n\r\n".encode()
        )
        count = 0
        while data := await reader.read(1 << 16):
            count += len(data)
        writer.close()
        return count

    async def send(number):
        target = f"{machine.folder}/{number}"
        sender = Sender(jp_serverapp, sandbox_id, destination=target)
        reader = await sender.open(len(begin) + 64 * len(piece) + len(end))
        for data in (begin, *[piece] * 64, end):
            await sender.send(data)
        answer = await reader.readuntil(b"}")
        sender.writer.close()
        return answer.split()[1]

    with Memory() as memory:
        fetched = await asyncio.gather(
            *(fetch(f"files{machine.folder}/large") for _ in range(3)),
            *(fetch(f"download_files?path={machine.folder}/large") for _ in range(2)),
            *map(send, range(3)),
        )

    assert all(count > 64 << 20 for count in fetched[:5])
    assert fetched[5:] == [b"200"] * 3
    assert (await machine.bash("cat 0/x 1/x 2/x | wc -c")) == b"%d\n" % (3 * 64 << 20)
    assert memory.growth < 64 << 20
