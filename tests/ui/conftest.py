"""A real JupyterLab and a real Chromium, once for all tests here."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

TOKEN = "ui-test"
CHROMIUM_FLAGS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@dataclass
class Lab:
    url: str
    log: Path

    def page(self, notebook):
        return f"{self.url}/lab/tree/{notebook}?token={TOKEN}&reset"

    def get(self, path):
        with urllib.request.urlopen(f"{self.url}/{path}?token={TOKEN}", timeout=30) as response:
            return json.load(response)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def lab(tmp_path_factory, pytestconfig):
    folder = tmp_path_factory.mktemp("lab")
    home = tmp_path_factory.mktemp("home")
    shutil.copy(pytestconfig.rootpath / "examples/quickstart.ipynb", folder)
    port = free_port()
    log = folder.parent / "lab.log"
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}"),
    ]
    variables = {**os.environ, "HOME": str(home), "SANDBOOK_BACKEND": "docker"}
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=variables)
        started = Lab(f"http://127.0.0.1:{port}", log)
        wait_for(started, process)
        yield started
        process.terminate()
        process.wait(30)


def wait_for(lab, process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            lab.get("api/status")
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"JupyterLab did not start:\n{lab.log.read_text()}")


@pytest.fixture
def jp_asyncio_loop():
    """No event loop here: Playwright runs its own in this thread."""


@pytest.fixture
def jp_server_cleanup():
    """No server in this process."""


@pytest.fixture(scope="module")
def browser():
    """One browser a module: while it is open, no other test could run an event loop."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS
        )
        yield launched
        launched.close()


@pytest.fixture
def page(browser):
    opened = browser.new_page(viewport={"width": 1400, "height": 850})
    opened.set_default_timeout(30_000)
    yield opened
    opened.close()


@pytest.fixture
def screenshot(page, pytestconfig):
    """Save what the person would see, for people to look at."""
    folder = pytestconfig.rootpath / ".build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)

    def save(name):
        page.screenshot(path=folder / f"{name}.png")

    return save
