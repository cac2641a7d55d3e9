"""A real JupyterLab and a real Chromium, once for all tests here."""

import contextlib
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
from playwright.sync_api import expect, sync_playwright

TOKEN = "ui-test"
CHROMIUM = Path(__file__).with_name("chromium.py")
PATIENCE_MS = 60_000
"""How long a page may take on a machine that is busy; a page that is wrong stays wrong."""
expect.set_options(timeout=PATIENCE_MS)
CHROMIUM_FLAGS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


VIEWPORT = {"width": 1400, "height": 850}
CLEAR = """() => {
  const { shell } = window.jupyterapp;
  [...shell.widgets('main')].forEach(widget => widget.dispose());
  document.querySelectorAll('.jp-Dialog-button.jp-mod-reject').forEach(button => button.click());
  shell.collapseLeft();
  shell.collapseRight();
}"""


@dataclass
class Lab:
    url: str
    log: Path
    folder: Path

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
    with running_lab(sys.executable, "jupyterlab", tmp_path_factory, pytestconfig) as started:
        yield started


@contextlib.contextmanager
def running_lab(python, program, tmp_path_factory, pytestconfig):
    """Start JupyterLab, or Notebook 7, from the environment of this Python."""
    folder = tmp_path_factory.mktemp("lab")
    home = tmp_path_factory.mktemp("home")
    shutil.copy(pytestconfig.rootpath / "examples/quickstart.ipynb", folder)
    port = free_port()
    log = folder.parent / f"{folder.name}.log"
    command = [
        *(python, "-m", program, "--no-browser", "--allow-root", "--expose-app-in-browser"),
        *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}"),
    ]
    variables = {**os.environ, "HOME": str(home), "SANDBOOK_BACKEND": "docker"}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env=variables, cwd=folder.parent
        )
        started = Lab(f"http://127.0.0.1:{port}", log, folder)
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
def browser(tmp_path_factory):
    """One browser a module: while it is open, no other test could run an event loop."""
    program = tmp_path_factory.mktemp("browser") / "chromium"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {CHROMIUM} "$@"\n')
    program.chmod(0o755)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def fresh_page(browser):
    """A page that nobody has used."""
    opened = browser.new_page(viewport=VIEWPORT)
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def loaded_lab(browser, lab):
    """JupyterLab in a page that the tests of a module share: to load it takes longest."""
    opened = browser.new_page(viewport=VIEWPORT)
    opened.set_default_timeout(PATIENCE_MS)
    opened.goto(f"{lab.url}/lab?token={TOKEN}&reset")
    expect(opened.locator(".jp-Launcher")).to_be_visible()
    yield opened
    opened.close()


@pytest.fixture
def page(loaded_lab):
    """JupyterLab with nothing open in it."""
    yield loaded_lab
    loaded_lab.keyboard.press("Escape")
    loaded_lab.evaluate(CLEAR)


def open_in(page, path):
    """Open a notebook or a file in a JupyterLab that is loaded."""
    open_it = "path => window.jupyterapp.commands.execute('docmanager:open', { path })"
    page.evaluate(f"{open_it}.then(() => undefined)", path)


@pytest.fixture
def screenshot(page, pytestconfig):
    """Save what the person would see, for people to look at."""
    folder = pytestconfig.rootpath / ".build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)

    def save(name):
        page.screenshot(path=folder / f"{name}.png")

    return save
