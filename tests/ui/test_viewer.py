"""Files in a real Chromium: how each kind looks, and that none of them can do anything."""

import asyncio
import base64
import concurrent.futures
import http.server
import io
import json
import os
import struct
import subprocess
import sys
import threading
import urllib.request
import uuid
import wave
from dataclasses import dataclass, field
from urllib.parse import quote

import pytest
from playwright.sync_api import Error

from sandbook.sandbox.base import SandboxRequest, ShellRequest
from sandbook.sandbox.factory import SandboxFactory
from tests.core.rendering.examples import code_cell, notebook, output, png, tarred, zipped
from tests.ui.attacks import attacks, pdf
from tests.ui.conftest import TOKEN, Lab, free_port, wait_for

pytestmark = pytest.mark.ui


def in_thread(coroutine):
    """Run something that needs an event loop; Playwright has the one of this thread."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A Jupyter server whose log names every request."""
    folder, home = tmp_path_factory.mktemp("server"), tmp_path_factory.mktemp("home")
    port, log = free_port(), folder.parent / "server.log"
    command = [
        *(sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", "--debug"),
        *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}"),
    ]
    with log.open("wb") as written:
        process = subprocess.Popen(
            command, stdout=written, stderr=written, env={**os.environ, "HOME": str(home)}
        )
        started = Lab(f"http://127.0.0.1:{port}", log, folder)
        wait_for(started, process)
        yield started
        process.terminate()
        process.wait(30)


@dataclass
class Drive:
    """The files of a sandbox, through the server."""

    url: str
    folder: str
    followed: set = field(default_factory=set)

    def put(self, name, data):
        body = {"type": "file", "format": "base64", "content": base64.b64encode(data).decode()}
        request = urllib.request.Request(
            f"{self.url}/contents{quote(self.folder)}/{quote(name, safe='')}",
            json.dumps(body).encode(),
            {"Authorization": f"token {TOKEN}"},
            method="PUT",
        )
        urllib.request.urlopen(request, timeout=30).close()

    def view(self, name=""):
        return f"{self.url}/view?path={quote(f'{self.folder}/{name}'.rstrip('/'), safe='')}"

    def raw(self, name):
        return f"{self.url}/files{quote(self.folder)}/{quote(name, safe='')}"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    factory = SandboxFactory(backend="bubblewrap")
    sandbox_id = str(uuid.uuid4())
    folder = tmp_path_factory.mktemp("files")

    async def create():
        backend = await factory.choose()
        made = await backend.create(SandboxRequest(sandbox_id, folder))
        request = ShellRequest(("sleep", "600"), f"{made.directory}/hold/control")
        return backend, made, await made.open_shell(request)

    backend, made, shell = in_thread(create())
    yield made
    shell.close()
    in_thread(backend.remove(sandbox_id))
    factory.close()


@pytest.fixture
def drive(server, sandbox):
    made = Drive(f"{server.url}/sandbook/{sandbox.info.sandbox_id}", f"/workspace/{uuid.uuid4()}")
    made.put(".begin", b"")
    return made


@pytest.fixture
def page(fresh_page, server):
    """A browser in which somebody has logged in, so that it has the cookie."""
    page = fresh_page
    page.goto(f"{server.url}/login?token={TOKEN}")
    page.wait_for_load_state("networkidle")
    assert page.context.cookies()
    return page


def sound():
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, 8000, 0, "NONE", ""))
        writer.writeframes(b"".join(struct.pack("<h", n * 900 % 20000) for n in range(16000)))
    return file.getvalue()


FILM = """
new Promise(done => {
  const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
  canvas.width = 320; canvas.height = 180;
  let step = 0;
  const draw = setInterval(() => {
    pen.fillStyle = 'teal'; pen.fillRect(0, 0, 320, 180);
    pen.fillStyle = 'orange'; pen.fillRect(step++ * 8, 60, 60, 60);
  }, 30);
  const recorder = new MediaRecorder(canvas.captureStream(25), {mimeType: 'video/webm'});
  recorder.ondataavailable = async event => {
    const bytes = new Uint8Array(await event.data.arrayBuffer());
    done(btoa(String.fromCharCode(...bytes)));
  };
  recorder.start();
  setTimeout(() => { clearInterval(draw); recorder.stop(); }, 1000);
})
"""
PICTURE = """
(() => {
  const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
  canvas.width = 480; canvas.height = 300;
  for (let n = 0; n < 12; n++) {
    pen.fillStyle = `hsl(${n * 30} 60% 55%)`;
    pen.beginPath(); pen.arc(40 + n * 36, 150 + 80 * Math.sin(n / 2), 34, 0, 7); pen.fill();
  }
  return canvas.toDataURL('image/png').split(',')[1];
})()
"""
CODE = b'''"""A module that greets."""

import sys


def greet(name: str = "world") -> str:
    # Everybody is welcome.
    return f"Hello, {name}!"


if __name__ == "__main__":
    print(greet(*sys.argv[1:2]))
'''
MARKDOWN = b"""# A readme

Some *emphasis*, some **strength**, `code`, and [a link](code.py).

![the picture](picture.png)

| name | count |
|------|------:|
| one  |     1 |
| two  |     2 |

```python
print("hi")
```

> quoted
"""
SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200">
<rect width="300" height="200" fill="#e9f1f0"/>
<circle cx="150" cy="100" r="70" fill="teal"/></svg>"""
TABLE = "\n".join(["city,people,area"] + [f"Town {n},{n * 3571},{n / 7:.3f}" for n in range(1, 30)])


def examples(page):
    page.goto("about:blank")
    picture = base64.b64decode(page.evaluate(PICTURE))
    return {
        "picture.png": picture,
        "drawing.svg": SVG,
        "paper.pdf": pdf("http://127.0.0.1:9"),
        "film.webm": base64.b64decode(page.evaluate(FILM)),
        "sound.wav": sound(),
        "README.md": MARKDOWN,
        "table.csv": TABLE.encode(),
        "data.json": json.dumps({"name": "x", "list": [1, 2.5, None, {"deep": True}]}).encode(),
        "work.ipynb": notebook(
            {"cell_type": "markdown", "metadata": {}, "source": "# A notebook\n\nSome *words*."},
            code_cell("print('hi')", {"output_type": "stream", "name": "stdout", "text": "hi\n"}),
            code_cell("plot()", output(**{"image/png": base64.b64encode(picture).decode()})),
        ),
        "code.py": CODE,
        "page.html": b"<!DOCTYPE html><html><body><h1>Hello</h1><p>A page.</p></body></html>",
        "notes.txt": b"just words\n" * 12,
        "many.zip": zipped(["a/b.txt", "c.txt", "a/d/e.bin"], b"x" * 2000),
        "many.tar.gz": tarred([("a/b.txt", b"xx"), ("link", "a/b.txt")], "w:gz"),
        "blob.bin": bytes(range(256)) * 4,
        "tiny.png": png(),
    }


DARK = ("", "README.md", "code.py", "data.json", "table.csv", "work.ipynb")
LOADED = ("film.webm", "sound.wav")


def test_every_kind_is_shown(page, drive, screenshot):
    files = examples(page)
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.on("response", lambda answer: answer.status < 400 or failed.append(answer.url))
    for name, data in files.items():
        drive.put(name, data)

    wanted = [*((name, "light") for name in [*files, ""]), *((name, "dark") for name in DARK)]
    for name, scheme in wanted:
        page.emulate_media(color_scheme=scheme)
        answer = page.goto(drive.view(name), wait_until="networkidle" if name in LOADED else "load")
        assert answer.status == 200
        assert page.title() == f"File Viewer - {name or drive.folder.rpartition('/')[2]}"
        screenshot(f"view-{scheme}-{name or 'folder'}")
    page.emulate_media(color_scheme="light")

    # Given up by the browser itself when it has seen enough, or goes on to the next page.
    given_up = (".webm", ".wav", ".pdf")
    ours = [url for url in failed if url.startswith(drive.url)]
    assert not [url for url in ours if not url.endswith(given_up)]


def test_pictures_and_films_are_loaded_from_the_sandbox(page, drive):
    for name, data in examples(page).items():
        drive.put(name, data)

    with page.expect_response(lambda answer: answer.url == drive.raw("picture.png")) as picture:
        page.goto(drive.view("README.md"))
    with page.expect_response(lambda answer: answer.url == drive.raw("film.webm")) as film:
        page.goto(drive.view("film.webm"))

    assert picture.value.status == 200
    assert film.value.status == 206
    assert film.value.headers["content-type"] == "video/webm"


def test_a_pdf_is_shown_on_its_page(page, drive, screenshot):
    drive.put("paper.pdf", pdf("http://127.0.0.1:9"))

    with page.expect_request(lambda request: request.url.startswith("chrome-extension:")):
        page.goto(drive.view("paper.pdf"))
    page.wait_for_load_state("networkidle")
    screenshot("view-light-paper.pdf")


def test_links_lead_through_folders_to_files_and_to_the_disk(page, drive):
    drive.put("sub/a & b.txt", b"inside")

    page.goto(drive.view())
    page.get_by_role("link", name="sub/").click()
    page.get_by_role("link", name="a & b.txt").click()
    page.wait_for_url("**/view?**b.txt")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    page.get_by_role("link", name="Folder", exact=True).click()
    page.get_by_role("link", name="a & b.txt").wait_for()
    page.get_by_role("link", name="Folder", exact=True).click()
    page.get_by_role("link", name="sub/").wait_for()

    assert download.value.suggested_filename == "a & b.txt"
    assert download.value.path().read_bytes() == b"inside"
    assert page.title() == f"File Viewer - {drive.folder.rpartition('/')[2]}"


class Beacon(http.server.BaseHTTPRequestHandler):
    """Where attackers listen."""

    heard = []
    hit = threading.Event()

    def do_GET(self):
        self.heard.append(self.path)
        self.hit.set()
        self.send_response(204)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    do_POST = do_OPTIONS = do_GET  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def beacon():
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Beacon)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}"
    listening.shutdown()
    thread.join()
    listening.server_close()


def api_requests(server):
    lines = server.log.read_text("utf-8", "replace").splitlines()
    return [line for line in lines if " /api/" in line and "/api/status" not in line]


@pytest.fixture
def quiet(server, beacon):
    """What attackers have reached; nothing at first."""
    Beacon.heard.clear()
    before = len(api_requests(server))

    def reached():
        return api_requests(server)[before:] + Beacon.heard

    return reached


def test_the_trap_catches_what_is_not_kept_away(page, server, beacon, quiet):
    """Without our headers the same page reaches both, so silence below means something."""
    files = attacks(beacon)
    page.route(
        "**/bare.html",
        lambda route: route.fulfill(body=files["page.html"], content_type="text/html"),
    )

    with page.expect_response("**/api/contents"):
        page.goto(f"{server.url}/bare.html", wait_until="commit")
    assert Beacon.hit.wait(30)
    page.goto("about:blank")

    assert "GET /api/contents" in " ".join(quiet())


NAMES = list(attacks(""))
OF_THE_BROWSER = ("data:", "about:", "chrome-extension:", "chrome:")


@pytest.fixture(scope="module")
def hostile(server, sandbox, beacon):
    """A folder with a file of each kind, all of them attacks, and the links that were followed."""
    drive = Drive(f"{server.url}/sandbook/{sandbox.info.sandbox_id}", "/workspace/hostile")
    for name, data in attacks(beacon).items():
        drive.put(name, data)
    return drive


@pytest.mark.parametrize("name", [*NAMES, ""])
def test_a_hostile_file_reaches_nothing(name, page, hostile, beacon, quiet):
    answered = []
    page.context.on("response", lambda answer: answered.append(answer.url))
    page.on("dialog", lambda dialog: dialog.dismiss())

    visit(page, hostile.view(name))
    links = page.locator("a[href]").evaluate_all("links => links.map(link => link.href)")
    for number, link in enumerate(links):
        if "#" not in link and link not in hostile.followed:
            hostile.followed.add(link)
            visit(page, hostile.view(name))
            with page.expect_response(lambda answer: answer.request.is_navigation_request()):
                page.locator("a[href]").nth(number).evaluate("link => link.click()")
            page.wait_for_load_state("networkidle")
    if name:
        visit(page, hostile.raw(name))

    assert quiet() == []
    assert not [url for url in answered if not url.startswith((hostile.url, *OF_THE_BROWSER))]
    assert len(links) > 0


def visit(page, url):
    """Open an address, of which the browser may make a download, or which its viewer opens anew."""
    for _ in range(3):
        try:
            page.goto(url, wait_until="load")
        except Error as error:
            if "interrupted by another navigation" in str(error):
                continue
            if "ERR_ABORTED" not in str(error) and "Download is starting" not in str(error):
                raise
        break
    page.wait_for_load_state("networkidle")
