"""Pages that show files; how they look and what they keep from happening is seen in tests/ui."""

import asyncio
import base64

import pytest

from sandbook.errors import PathNotFoundError
from sandbook_server.addresses import Addresses
from sandbook_server.viewing import Viewer, Wish
from tests.core.rendering.examples import EXAMPLES


@pytest.fixture
def view(ask, machine):
    async def fetch(name, **params):
        return await ask("view", params={"path": f"{machine.folder}/{name}", **params})

    return fetch


async def test_every_kind_of_file_has_a_page(view, ask, machine):
    for name, data in EXAMPLES.items():
        body = {"type": "file", "format": "base64", "content": base64.b64encode(data).decode()}
        await ask("contents", *machine.folder.split("/")[1:], name, method="PUT", body=body)

    pages = {name: await view(name) for name in EXAMPLES}
    folder = await view("")

    for name, page in pages.items():
        assert page.status == 200
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert f"<title>File Viewer - {name}</title>" in page.text
        assert f"/files{machine.folder}/{name}?download=1" in page.text
        assert f"{name}" in folder.text
    assert "download_files?path=" in folder.text


async def test_the_page_may_load_files_of_this_sandbox_and_nothing_else(view, machine):
    await machine.bash("echo hi > a.txt")

    policy = (await view("a.txt")).headers["Content-Security-Policy"]

    rules = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    assert rules["sandbox"] == "allow-same-origin allow-downloads"
    assert rules["default-src"] == "'none'"
    assert rules["img-src"].endswith(f"/sandbook/{machine.sandbox.info.sandbox_id}/files/ data:")
    assert "script-src" not in rules


async def test_a_page_around_a_pdf_may_embed_it_and_nothing_else(view, machine):
    await machine.bash("printf %%PDF-1.4 > a.pdf")

    page = await view("a.pdf")

    rules = dict(
        part.strip().partition(" ")[::2]
        for part in page.headers["Content-Security-Policy"].split(";")
    )
    assert rules["default-src"] == "'none'"
    assert rules["object-src"].endswith(f"/sandbook/{machine.sandbox.info.sandbox_id}/files/")
    assert rules.keys() == {
        *("default-src", "style-src", "base-uri", "form-action", "object-src", "frame-ancestors"),
        "frame-src",
    }
    assert (
        f'data="/a%40b/sandbook/{machine.sandbox.info.sandbox_id}/files{machine.folder}/a.pdf"'
        in (page.text)
    )


WRONG = [{"page": "0"}, {"lines": "x:1"}, {"lines": "9:7"}, {"lines": "20001:20002"}]


async def test_lines_and_pages_can_be_chosen(view, machine):
    await machine.bash("seq 1 20000 > many.txt")

    lines = (await view("many.txt", lines="7:9")).text
    second = (await view("many.txt", page="2")).text
    wrong = [await view("many.txt", **each) for each in WRONG]

    assert ">8<" in lines
    assert ">10<" not in lines
    assert "Page 2 of" in second
    assert [answer.status for answer in wrong] == [400] * len(WRONG)


async def test_lines_are_found_however_far_down_they_are(view, machine):
    await machine.bash("seq 1 2000000 >many.txt; seq 1 400000 >many.md; seq 9 >ended; ls -s >&2")
    await machine.bash("seq 1 2000000 | iconv -t UTF-16 >wide.txt || true")

    for name in ("many.txt", "many.md", "wide.txt"):
        page = await view(name, lines="390007:390009")
        assert page.status == 200, name
        assert [f'id="L{number}"' in page.text for number in (390006, 390007, 390009, 390010)] == [
            *(False, True, True, False)
        ]
        assert "</a>390008\n" in page.text
    far = await view("many.txt", lines="1999999:3000000")
    beyond = [await view("many.txt", lines="2000001:2000002"), await view("ended", lines="10:11")]

    assert "</a>2000000\n" in far.text
    assert "Lines 1,999,999–2,000,000 are shown." in far.text  # noqa: RUF001
    assert [answer.status for answer in beyond] == [400, 400]
    assert "it has 2,000,000 lines" in beyond[0].text
    assert "it has 9 lines" in beyond[1].text


async def test_the_next_page_of_lines_is_of_the_same_lines(view, machine):
    await machine.bash("seq 1 20000 > many.txt")

    page = await view("many.txt", lines="501:3500")
    second = await view("many.txt", lines="501:3500", page="2")

    assert "lines=501%3A3500&amp;page=2" in page.text
    assert 'id="L1501"' in second.text
    assert "lines=501%3A3500&amp;page=1" in second.text
    assert "lines=501%3A3500&amp;page=3" in second.text


async def test_a_page_of_bytes_that_is_not_there_becomes_the_last(view, machine):
    await machine.bash(
        "head -c 100000 /dev/zero >large; printf last >>large; head -c 9 large >small"
    )

    large, small = await view("large", page="999"), await view("small", page="999")

    assert "Page 13 of 13" in large.text
    assert "6c 61 73 74" in large.text
    assert "00 00 00" in small.text


async def test_what_cannot_be_shown_is_said_on_a_page(view, ask, machine):
    await machine.bash("mkfifo pipe")

    missing, pipe = await view("<b>none"), await view("pipe")
    unknown = await ask("view", sandbox="0000", params={"path": "/"})

    assert (missing.status, pipe.status, unknown.status) == (404, 400, 404)
    assert "&lt;b&gt;none" in missing.text
    assert missing.headers["Content-Type"] == "text/html; charset=utf-8"
    assert missing.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


async def test_without_a_path_the_workspace_is_shown(ask, machine):
    page = await ask("view")

    assert machine.folder.rpartition("/")[2] in page.text


@pytest.mark.timeout(60)
async def test_a_sandbox_that_does_not_answer_holds_up_no_other(jp_asyncio_loop):
    class Waiting:
        async def stat(self, _path):
            await asyncio.Event().wait()

    class Failing:
        async def stat(self, path):
            raise PathNotFoundError(path)

    viewer, waiting = Viewer(), Waiting()
    pages = [viewer.page(waiting, Wish("/x"), Addresses("/")) for _ in range(4)]
    tasks = [asyncio.ensure_future(page) for page in pages]
    await asyncio.sleep(0.1)

    with pytest.raises(PathNotFoundError):
        await viewer.page(Failing(), Wish("/x"), Addresses("/"))
    for task in tasks:
        task.cancel()
