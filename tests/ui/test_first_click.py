"""The first click of a new user: whatever is installed, Jupyter works as without Sandbook."""

import hashlib
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import TOKEN, running_lab

pytestmark = [pytest.mark.ui, pytest.mark.timeout(300)]

OLDEST = ["jupyterlab==4.6.0", "notebook>=7.6,<8"]
"""The oldest JupyterLab that we claim, and Notebook 7, which takes part of it along."""
TILES = {
    "Python 3 (ipykernel)": ("6*7", "42"),
    "Sandbook (Bash)": ("echo $((6*7))", "42"),
}


@pytest.fixture(scope="session")
def older(pytestconfig, tmp_path_factory):
    """The Python of an environment with the oldest JupyterLab; made once for this source."""
    root = pytestconfig.rootpath
    wheels = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", wheels, root], check=True)
    (wheel,) = wheels.iterdir()
    key = hashlib.sha256(repr(OLDEST).encode()).hexdigest()[:12]
    folder = root / ".build" / "older" / key
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install(python, *OLDEST, wheel)
    else:
        install(python, "--no-deps", "--force-reinstall", wheel)
    return str(python)


def install(python, *what):
    """Install without compiling: most of it is never imported."""
    command = [python, "-m", "pip", "--quiet", "install", "--no-compile", *what]
    subprocess.run(command, check=True)


@pytest.fixture(scope="module", params=["newest", "oldest"])
def first_lab(request, tmp_path_factory, pytestconfig):
    python = sys.executable if request.param == "newest" else request.getfixturevalue("older")
    with running_lab(python, "jupyterlab", tmp_path_factory, pytestconfig) as started:
        yield started


@pytest.fixture(scope="module")
def notebook_7(older, tmp_path_factory, pytestconfig):
    with running_lab(older, "notebook", tmp_path_factory, pytestconfig) as started:
        yield started


@pytest.fixture
def page(fresh_page):
    return fresh_page


@pytest.fixture
def fresh(page, first_lab):
    """JupyterLab, which nobody has touched."""
    page.goto(f"{first_lab.url}/lab?token={TOKEN}&reset")
    expect(page.locator(".jp-Launcher")).to_be_visible()
    return page


def tile(page, section, title):
    cards = page.locator(f'.jp-Launcher:visible .jp-LauncherCard[data-category="{section}"]')
    return cards.filter(has_text=title).first


def wait_for_kernel(lab, known):
    """Wait until the kernel of a new notebook is connected: before that, JupyterLab drops a run."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for session in lab.get("api/sessions"):
            kernel = session["kernel"]
            is_ready = kernel["execution_state"] == "idle" and kernel["connections"]
            if session["id"] not in known and is_ready:
                return
        time.sleep(0.1)
    pytest.fail("no kernel was started")


def sessions(lab):
    return {session["id"] for session in lab.get("api/sessions")}


def run_first_cell(page, code, output):
    cell = page.locator(".jp-Notebook:visible .jp-Cell .cm-content").first
    cell.click()
    page.keyboard.type(code)
    expect(cell).to_have_text(code)
    page.keyboard.press("Shift+Enter")
    shown = page.locator(".jp-Notebook:visible .jp-OutputArea-output").first
    expect(shown).to_contain_text(output)


def no_error(page):
    expect(page.locator(".jp-Dialog")).to_have_count(0)


def names(folder):
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("title", TILES)
def test_a_tile_makes_a_notebook_that_runs(fresh, first_lab, title, screenshot):
    before, known = names(first_lab.folder), sessions(first_lab)

    tile(fresh, "Notebook", title).click()
    wait_for_kernel(first_lab, known)

    code, output = TILES[title]
    run_first_cell(fresh, code, output)
    no_error(fresh)
    (made,) = names(first_lab.folder) - before
    assert made.startswith("Untitled")
    screenshot(f"first-click-{title.split()[0].lower()}")


def test_the_other_tiles_work(fresh, first_lab):
    before = names(first_lab.folder)

    tile(fresh, "Other", "Text File").click()
    expect(fresh.locator(".jp-FileEditor:visible")).to_have_count(1)
    no_error(fresh)
    fresh.locator(".lm-DockPanel .lm-TabBar-addButton:visible").first.click()
    tile(fresh, "Other", "Terminal").click()
    expect(fresh.locator(".jp-Terminal:visible")).to_have_count(1)
    fresh.locator(".lm-DockPanel .lm-TabBar-addButton:visible").first.click()
    tile(fresh, "Console", "Python 3 (ipykernel)").click()
    expect(fresh.locator(".jp-CodeConsole:visible")).to_have_count(1)

    no_error(fresh)
    assert {Path(name).suffix for name in names(first_lab.folder) - before} == {".txt"}


def test_the_menu_makes_a_notebook(fresh, first_lab):
    before = names(first_lab.folder)

    for entry in ("File", "New", "Notebook"):
        where = ".lm-MenuBar-item" if entry == "File" else ".lm-Menu-item:visible"
        fresh.locator(where).get_by_text(entry, exact=True).first.click()

    expect(fresh.locator(".jp-Dialog")).to_contain_text("Select Kernel")
    assert len(names(first_lab.folder) - before) == 1


def test_a_tile_leaves_the_sandbox_browser_alone(fresh, first_lab, screenshot):
    """Also when somebody has just used it: only its own buttons make files in a sandbox."""
    before, known = names(first_lab.folder), sessions(first_lab)
    tile(fresh, "Notebook", "Sandbook (Bash)").click()
    wait_for_kernel(first_lab, known)
    run_first_cell(fresh, "touch in-sandbox.txt; echo $((6*7))", "42")
    fresh.locator('.lm-TabBar-tab[data-id="sandbook-files"]').click()
    ours = fresh.locator("#sandbook-files")
    (notebook,) = names(first_lab.folder) - before - {"in-sandbox.txt"}
    folder = ours.locator(".jp-DirListing-item").filter(has_text=notebook)
    ours.locator('.jp-Toolbar [title="Refresh"]').click()
    expect(folder).to_have_count(1)  # those of a server that has just ended go soon
    folder.dblclick()
    ours.locator(".jp-DirListing-item").filter(has_text="workspace").dblclick()
    expect(ours.locator(".jp-DirListing-item").filter(has_text="in-sandbox.txt")).to_be_visible()
    before = names(first_lab.folder)

    fresh.locator(".lm-DockPanel .lm-TabBar-addButton:visible").first.click()
    known = sessions(first_lab)
    tile(fresh, "Notebook", "Python 3 (ipykernel)").click()
    wait_for_kernel(first_lab, known)
    run_first_cell(fresh, "import os; os.getcwd()", str(first_lab.folder))

    no_error(fresh)
    (made,) = names(first_lab.folder) - before
    screenshot("first-click-beside-a-sandbox")
    ours.locator('.jp-Toolbar [title="New File"]').click()
    expect(ours.locator("input.jp-DirListing-editor")).to_be_visible()
    fresh.keyboard.press("Enter")
    expect(ours.locator(".jp-DirListing-item").filter(has_text="untitled.txt")).to_be_visible()
    assert made.endswith(".ipynb")


def test_jupyterlab_calls_us_compatible(older):
    for python in (sys.executable, older):
        listing = [str(Path(python).with_name("jupyter")), "labextension", "list"]
        told = subprocess.run(listing, capture_output=True, text=True, check=True)
        (ours,) = [
            line for line in (told.stdout + told.stderr).splitlines() if "sandbook-lab" in line
        ]
        assert "OK" in ours
        assert "incompatible" not in told.stdout + told.stderr


def test_notebook_7_makes_a_notebook_that_runs(page, notebook_7, screenshot):
    before = names(notebook_7.folder)
    page.goto(f"{notebook_7.url}/tree?token={TOKEN}&reset")
    new = page.locator(".jp-FileBrowser-toolbar, .jp-Toolbar").get_by_text("New", exact=True).first
    new.click()
    screenshot("first-click-notebook-7")

    with page.context.expect_page() as opened:
        page.locator(".lm-Menu-item:visible").get_by_text("Sandbook (Bash)").first.click()
    made = opened.value
    wait_for_kernel(notebook_7, set())
    run_first_cell(made, "echo $((6*7))", "42")
    made.close()

    no_error(page)
    (name,) = names(notebook_7.folder) - before
    assert name.endswith(".ipynb")
