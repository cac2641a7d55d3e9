"""The files of a sandbox in JupyterLab: its browser, its editors, and cells beside them."""

import re
from dataclasses import dataclass
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, expect

from tests.ui import test_cells
from tests.ui.test_cells import picture

pytestmark = [pytest.mark.ui, pytest.mark.timeout(180)]
notebook = test_cells.notebook


@dataclass
class Files:
    """The file browser of the sandboxes, and what it opens."""

    page: Page

    @property
    def node(self):
        return self.page.locator("#sandbook-files")

    @property
    def crumbs(self):
        return self.node.locator(".jp-BreadCrumbs-container")

    @property
    def editor(self):
        return self.page.locator(".jp-FileEditor:visible .cm-content")

    @property
    def unsaved(self):
        return self.page.locator(".lm-DockPanel-tabBar .lm-mod-current.jp-mod-dirty")

    def item(self, name):
        return self.node.locator(".jp-DirListing-item").filter(has_text=name)

    def open(self, name):
        self.item(name).dblclick()

    def write(self, text):
        """Replace all that is in the editor, and save it."""
        self.editor.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        expect(self.unsaved).to_have_count(1)
        self.page.keyboard.press("Control+S")

    def menu(self, name, entry):
        self.item(name).click(button="right")
        self.page.locator(".lm-Menu-item:visible").filter(has_text=entry).first.click()

    def press(self, tooltip):
        self.node.locator(f'.jp-Toolbar [title="{tooltip}"]').click()

    def name_new(self, name):
        """Finish the renaming that goes on."""
        box = self.node.locator(".jp-DirListing-editor")
        expect(box).to_be_focused()
        box.fill(name)
        box.press("Enter")
        expect(box).to_have_count(0)
        expect(self.item(name)).to_be_visible()

    def command(self, label):
        """Run a command of the menu File."""
        self.page.get_by_role("menuitem", name="File", exact=True).click()
        self.page.locator(".lm-Menu-item:visible").filter(has_text=label).first.click()


@pytest.fixture
def files(page):
    """Opens the files of the current notebook's sandbox with the button of its card."""

    def open_files():
        page.locator(".jp-Sandbook-Status").click()
        card = page.locator("#sandbook-panel [aria-current]")
        card.get_by_role("button", name="Files").click()
        opened = Files(page)
        expect(opened.crumbs).to_contain_text("workspace")
        return opened

    return open_files


def show_tab(page, name):
    page.locator(".lm-DockPanel-tabBar .lm-TabBar-tabLabel", has_text=name).click()


def test_a_file_goes_both_ways_between_cells_and_the_editor(notebook, files, page, screenshot):
    opened = notebook(
        "echo 'made by a cell' > both.txt",
        "cat both.txt",
        "echo spoiled > both.txt; echo done",
        "echo ', and by a cell' >> both.txt; cat both.txt",
    )
    opened.run(0)
    opened.expect_end(0)
    browser = files()
    browser.open("both.txt")

    expect(browser.editor).to_contain_text("made by a cell")
    screenshot("drive-editor")
    browser.write("written in the editor")
    expect(browser.unsaved).to_have_count(0)

    show_tab(page, ".ipynb")
    opened.run(1)
    expect(opened.output(1)).to_contain_text("written in the editor")

    opened.run(2)
    expect(opened.output(2)).to_contain_text("done")
    show_tab(page, "both.txt")
    dialog = page.locator(".jp-Dialog")
    browser.command("to Checkpoint")
    dialog.get_by_role("button", name="Revert").click()
    expect(browser.editor).to_have_text("written in the editor")

    show_tab(page, ".ipynb")
    opened.run(3)
    expect(opened.output(3)).to_contain_text("written in the editor, and by a cell")
    show_tab(page, "both.txt")
    browser.write("too late")
    expect(dialog).to_contain_text("File Changed")
    screenshot("drive-conflict")
    dialog.get_by_role("button", name="Revert").click()
    expect(browser.editor).to_have_text("written in the editor, and by a cell")


def test_files_are_made_renamed_uploaded_and_deleted(notebook, files, page, screenshot):
    look = "ls -F place; cat place/up.bin; stat -c %s place/parts.bin"
    opened = notebook("mkdir -p place; echo hi > place/old.txt", look)
    opened.run(0)
    opened.expect_end(0)
    browser = files()
    browser.open("place")
    expect(browser.crumbs).to_contain_text("place")

    browser.press("New Folder")
    browser.name_new("folder")
    browser.press("New File")
    browser.name_new("new.txt")
    browser.menu("old.txt", "Rename")
    browser.name_new("renamed.txt")
    with page.expect_file_chooser() as chooser:
        browser.press("Upload Files")
    sent = {"up.bin": b"uploaded\n", "parts.bin": b"x" * (3 << 20)}  # the second one in parts
    kind = "application/octet-stream"
    chooser.value.set_files(
        [{"name": name, "mimeType": kind, "buffer": data} for name, data in sent.items()]
    )
    for name in sent:
        expect(browser.item(name)).to_be_visible()
    screenshot("drive-browser")
    browser.menu("new.txt", "Move to Trash")
    dialog = page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("Delete new.txt for good?")
    dialog.get_by_role("button", name="Delete").click()
    expect(browser.item("new.txt")).to_have_count(0)

    opened.run(1)
    expect(opened.output(1)).to_have_text(
        f"folder/\nparts.bin\nrenamed.txt\nup.bin\nuploaded\n{3 << 20}"
    )


def test_edit_opens_a_file_as_it_is_now(notebook, files, page, screenshot):
    opened = notebook("echo a,b > table.csv", "%edit table.csv", "echo 1,2 >> table.csv")
    for position in range(2):
        opened.run(position)
        opened.expect_end(position)
    browser = Files(page)
    expect(browser.editor).to_have_text("a,b")
    screenshot("drive-edit")

    for position in (2, 1):
        show_tab(page, ".ipynb")
        opened.run(position)
    expect(browser.editor).to_have_text("a,b1,2")
    expect(page.locator(".lm-TabBar-tabLabel", has_text="table.csv")).to_have_count(1)


def test_files_are_viewed_and_taken_away(notebook, files, page, screenshot):
    opened = notebook(
        f"mkdir -p out; base64 -d <<<{picture(240, 120)} > out/slope.png; echo x > x.txt"
    )
    opened.run(0)
    opened.expect_end(0)
    browser = files()
    with page.expect_download() as download:
        browser.menu("out", "Download as Zip")
    with ZipFile(download.value.path()) as archive:
        assert "slope.png" in " ".join(archive.namelist())
    with page.expect_download() as download:
        browser.menu("x.txt", "Download")
    assert download.value.path().read_text() == "x\n"

    browser.open("out")
    browser.menu("slope.png", "View")
    shown = page.frame_locator(".jp-IFrame iframe").locator("img").first
    expect(shown).to_be_visible()
    assert shown.evaluate("image => image.decode().then(() => image.naturalWidth)") == 240
    screenshot("drive-view")


def test_the_browser_leaves_a_sandbox_that_has_ended(notebook, files, page, screenshot):
    errors = []

    def listen(said):
        where = said.location.get("url", "")
        # JupyterLab looks every few seconds. Where that meets the end, Chromium itself tells of it.
        met_the_end = "404" in said.text and re.search(r"/sandbook/[^/]+/contents", where)
        if said.type == "error" and not met_the_end:
            errors.append(f"{said.text} {where}")

    page.on("console", listen)
    notebook("true")
    browser = files()
    expect(browser.crumbs).to_contain_text(".ipynb")

    page.get_by_role("menuitem", name="Kernel").click()
    page.get_by_role("menuitem", name="Shut Down Kernel", exact=True).click()

    expect(browser.crumbs).not_to_contain_text("workspace")
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    page.remove_listener("console", listen)
    screenshot("drive-ended")
    assert errors == []
