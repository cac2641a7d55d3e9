"""The bytes of files over HTTP, on every backend."""

import asyncio

import pytest


@pytest.fixture
def fetch(ask, machine):
    async def send(name, **options):
        return await ask("files", *machine.folder.split("/")[1:], *name.split("/"), **options)

    return send


async def test_a_file_comes_as_it_is_with_what_caches_need(fetch, machine):
    await machine.bash("printf 'hällo' > a.txt; touch -d '2020-01-02 03:04:05.678 UTC' a.txt")

    whole = await fetch("a.txt")
    again = await fetch("a.txt", headers={"If-None-Match": whole.headers["Etag"]})
    head = await fetch("a.txt", method="HEAD")
    await machine.bash("echo more >> a.txt")
    changed = await fetch("a.txt", headers={"If-None-Match": whole.headers["Etag"]})

    assert (whole.status, whole.text) == (200, "hällo")
    assert whole.headers["Content-Length"] == "6"
    assert whole.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert whole.headers["Last-Modified"] == "Thu, 02 Jan 2020 03:04:05 GMT"
    assert (again.status, again.body) == (304, b"")
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", "6")
    assert head.headers["Etag"] == whole.headers["Etag"]
    assert changed.status == 200


@pytest.mark.parametrize(
    ("asked", "status", "begin", "end"),
    [
        ("bytes=0-0", 206, 0, 1),
        ("bytes=100000-", 206, 100_000, 200_000),
        ("bytes=150000-150009", 206, 150_000, 150_010),
        ("bytes=-5", 206, 199_995, 200_000),
        ("bytes=-999999", 206, 0, 200_000),
        ("bytes=199999-999999", 206, 199_999, 200_000),
        ("bytes=200000-", 416, 0, 0),
        ("bytes=-0", 416, 0, 0),
        ("bytes=0-1,5-6", 200, 0, 200_000),
        ("bytes=5-1", 200, 0, 200_000),
        ("lines=1-2", 200, 0, 200_000),
        ("bytes=-", 200, 0, 200_000),
    ],
)
async def test_a_part_can_be_had(asked, status, begin, end, fetch, machine):
    await machine.bash("seq -w 0 99999 | tr -d '\\n' | head -c 200000 > big")
    data = "".join(f"{number:05}" for number in range(100_000))[:200_000].encode()

    answer = await fetch("big", headers={"Range": asked})

    assert answer.status == status
    assert answer.body == data[begin:end]
    ranges = {206: f"bytes {begin}-{end - 1}/200000", 416: "bytes */200000"}
    assert answer.headers.get("Content-Range") == ranges.get(status)


async def test_a_part_of_an_earlier_state_is_not_given(fetch, machine):
    await machine.bash("echo 0123456789 > a")
    etag = (await fetch("a")).headers["Etag"]

    same = await fetch("a", headers={"Range": "bytes=2-3", "If-Range": etag})
    other = await fetch("a", headers={"Range": "bytes=2-3", "If-Range": '"other"'})

    assert (same.status, same.text) == (206, "23")
    assert (other.status, other.text) == (200, "0123456789\n")


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.html", "<script>1</script>", "text/plain; charset=utf-8"),
        ("a.xhtml", "<html xmlns='http://www.w3.org/1999/xhtml'/>", "text/plain; charset=utf-8"),
        ("a.js", "alert(1)", "text/plain; charset=utf-8"),
        ("a.css", "a{}", "text/plain; charset=utf-8"),
        ("a.xml", "<?xml version='1.0'?><a/>", "text/plain; charset=utf-8"),
        ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        ("a.json", "{}", "application/json; charset=utf-8"),
        ("a.png", r"\x89PNG\r\n\x1a\n", "image/png"),
        ("a.pdf", "%%PDF-1.4", "application/pdf"),
        ("b.html", r"\x00\xff\x00", "application/octet-stream"),
        ("b.js", r"\x00\xff\x00", "application/octet-stream"),
    ],
)
async def test_no_type_can_act(name, content, media_type, fetch, machine):
    await machine.bash(f'printf "{content}" > {name}')

    answer = await fetch(name)

    assert answer.headers["Content-Type"] == media_type
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("sandbox; default-src 'none'; ")
    assert "script" not in policy


@pytest.mark.parametrize(
    ("name", "word", "disposition"),
    [
        ("plain.txt", "plain.txt", 'attachment; filename="plain.txt"'),
        (
            'a"b\n€.txt',
            r"$'a\"b\n€.txt'",
            "attachment; filename=\"a_b__.txt\"; filename*=UTF-8''a%22b%0A%E2%82%AC.txt",
        ),
        ("\udcff", r"$'\xff'", "attachment; filename=\"_\"; filename*=UTF-8''%EF%BF%BD"),
    ],
)
async def test_a_download_has_its_name(name, word, disposition, fetch, machine):
    await machine.bash(f"echo x > {word}")

    answer = await fetch(name, params={"download": "1"})

    assert answer.text == "x\n"
    assert answer.headers["Content-Disposition"] == disposition


async def test_files_of_the_kernel_have_a_length(ask):
    answer = await ask("files", "proc", "self", "status")

    assert answer.text.startswith("Name:")


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("none", 404, "path-not-found"),
        ("sub", 400, "is-a-folder"),
        ("pipe", 400, "not-a-file"),
        ("file/under", 400, "not-a-folder"),
    ],
)
async def test_what_is_no_file_is_said(name, status, code, fetch, machine):
    await machine.bash("mkdir sub; mkfifo pipe; touch file")

    answer = await fetch(name)

    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/json"


async def test_a_file_that_shrinks_on_its_way_is_broken_off(
    ask, machine, jp_serverapp, jp_auth_header, caplog
):
    await machine.bash("truncate -s 1G shrinking")
    reader, writer = await asyncio.open_connection("127.0.0.1", jp_serverapp.port)
    path = f"{jp_serverapp.base_url}sandbook/{machine.sandbox.info.sandbox_id}/files"
    writer.write(
        f"GET {path}{machine.folder}/shrinking HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: {jp_auth_header['Authorization']}\r\n\r\n".encode()
    )

    head = await reader.readuntil(b"\r\n\r\n")
    await machine.bash("truncate -s 0 shrinking")
    count = 0
    while piece := await reader.read(1 << 20):
        count += len(piece)
    writer.close()

    assert f"Content-Length: {1 << 30}".encode() in head
    assert count < 1 << 30
    assert (await ask("transfers")).json == []
    assert "Broke off" in caplog.text
    assert "Traceback" not in caplog.text


async def test_files_of_the_linux_kernel_come_whole(ask, machine):
    for path in ("/proc/kallsyms", "/proc/version"):
        answer = await ask("files", *path.strip("/").split("/"))

        assert answer.status == 200
        assert int(await machine.bash(f"cat {path} | wc -c")) == len(answer.body) > 0
    if machine.sandbox.info.backend != "bubblewrap":  # it has no /sys
        answer = await ask("files", *["sys", "kernel", "mm", "transparent_hugepage", "enabled"])

        assert answer.text.startswith(("always", "[always]"))
        assert answer.headers["Content-Length"] == str(len(answer.body))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("wait_s", [0, 4], ids=["at once", "later"])
async def test_a_paused_sandbox_is_told_and_goes_on(ask, machine, wait_s):
    """A sandbox that was seen a moment ago is asked, and only silence tells that it is paused."""
    path = ("files", *machine.folder.strip("/").split("/"), "a")
    await machine.bash("echo 1 >a")
    await ask(*path)

    await machine.sandbox.pause()
    await asyncio.sleep(wait_s)
    try:
        paused = await ask(*path)
    finally:
        await machine.sandbox.resume()
    after = await ask(*path)

    assert (paused.status, paused.json["code"]) == (409, "sandbox-paused")
    assert (after.status, after.text) == (200, "1\n")
