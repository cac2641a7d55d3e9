"""What a person sees of cells: questions, progress, Ctrl-C, floods, completion, pictures."""

import json
import re
import struct
import urllib.request
import zlib
from base64 import b64encode
from dataclasses import dataclass

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Page, expect

from tests.ui.conftest import TOKEN, Lab, open_in

pytestmark = [pytest.mark.ui, pytest.mark.timeout(180)]

FLOOD = 6_640_000
FLOOD_BYTES = sum(len(str(10**digits)) * 9 * 10 ** (digits - 1) for digits in range(1, 7)) + (
    (FLOOD - 999_999) * 8
)


@dataclass
class Notebook:
    page: Page

    def cell(self, position):
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(position)

    def output(self, position):
        return self.cell(position).locator(".jp-OutputArea")

    def edit(self, position):
        self.cell(position).locator(".cm-content").click()

    def run(self, position):
        self.edit(position)
        self.page.keyboard.press("Control+Enter")

    def question(self, position):
        return self.cell(position).locator(".jp-Stdin-input")

    def expect_end(self, position):
        prompt = self.cell(position).locator(".jp-InputPrompt")
        expect(prompt).to_have_text(re.compile(r"\[\d+\]"))


def ask(lab, method, path, content=None):
    request = urllib.request.Request(
        f"{lab.url}/{path}?token={TOKEN}",
        json.dumps(content).encode() if content else None,
        {"Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=30):
        pass


@pytest.fixture
def notebook(lab: Lab, page, request):
    """Opens a new notebook with the cells given; its sandbox ends with the test."""
    name = f"{request.node.name[:30]}.ipynb"

    def open_with(*cells):
        made = new_notebook(
            cells=[new_code_cell(code) for code in cells],
            metadata={"kernelspec": {"name": "sandbook", "display_name": "Sandbook (Bash)"}},
        )
        ask(lab, "PUT", f"api/contents/{name}", {"type": "notebook", "content": made})
        open_in(page, name)
        expect(page.locator(".jp-Sandbook-Status")).to_contain_text("docker")
        return Notebook(page)

    yield open_with
    for session in lab.get("api/sessions"):
        if session["path"] == name:
            ask(lab, "DELETE", f"api/sessions/{session['id']}")


def picture(width, height):
    """Make a PNG with a slope from dark to light."""

    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    row = b"\0" + bytes(column * 255 // width for column in range(width))
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(row * height)), chunk(b"IEND", b""))
    return b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def test_a_question_is_asked_in_a_box_and_answered_there(notebook, page, screenshot):
    opened = notebook('read -p "name? " x; echo "hello $x"')
    opened.run(0)

    expect(opened.question(0)).to_be_visible()
    expect(opened.cell(0).locator(".jp-Stdin-prompt")).to_contain_text("name?")
    expect(opened.question(0)).not_to_have_attribute("type", "password")
    screenshot("question-asked")
    opened.question(0).fill("Ada")
    opened.question(0).press("Enter")

    expect(opened.output(0)).to_contain_text("hello Ada")
    opened.expect_end(0)
    expect(opened.question(0)).to_have_count(0)
    assert opened.output(0).inner_text().count("name?") == 1
    screenshot("question-answered")


def test_a_password_is_hidden(notebook, page, screenshot):
    opened = notebook('read -s -p "password: " p; echo "has ${#p} letters"')
    opened.run(0)

    expect(opened.question(0)).to_have_attribute("type", "password")
    opened.question(0).fill("tr0ub4dor")
    screenshot("password-asked")
    opened.question(0).press("Enter")

    expect(opened.output(0)).to_contain_text("has 9 letters")
    assert "tr0ub4dor" not in opened.output(0).inner_text()
    screenshot("password-answered")


@pytest.mark.parametrize("code", ['read -p "name? " x', 'read -s -p "password: " p'])
def test_a_question_goes_with_the_cell_that_was_interrupted(notebook, page, screenshot, code):
    opened = notebook(f"echo begun; {code}", 'read -p "again? " x; echo "got $x"')
    opened.run(0)
    expect(opened.question(0)).to_be_visible()
    opened.question(0).fill("half an answ")

    page.locator('[data-command="notebook:interrupt-kernel"]').click()

    expect(opened.output(0)).to_contain_text("Interrupted")
    screenshot(f"question-interrupted-{'s' if '-s' in code else 'p'}")
    expect(opened.question(0)).to_have_count(0)
    assert "half an answ" not in opened.output(0).inner_text()
    opened.run(1)
    opened.question(1).fill("an answer")
    opened.question(1).press("Enter")
    expect(opened.output(1)).to_contain_text("got an answer")


@pytest.mark.parametrize(
    "code", ["read -t 2 -p 'first? ' x", "%%bash --timeout 2\nread -p 'first? ' x"]
)
def test_a_question_that_nobody_answers_in_time_stops_no_other_cell(notebook, page, code):
    opened = notebook(code, "echo on")
    opened.run(0)
    expect(opened.question(0)).to_be_visible()
    opened.expect_end(0)

    expect(opened.question(0)).to_have_count(0)
    opened.run(1)
    expect(opened.output(1)).to_contain_text("on")
    expect(page.locator(".jp-Dialog")).to_have_count(0)


def test_a_progress_bar_stays_on_its_line(notebook, page, screenshot):
    opened = notebook(
        'for i in {1..400}; do printf "\\r[%-20s] %3d/400" "${a:=}" $i; '
        '((i % 20)) || a+="#"; ((i % 4)) || sleep 0.02; done; echo; echo done'
    )
    opened.run(0)

    expect(opened.output(0)).to_contain_text("/400")
    screenshot("progress-runs")
    expect(opened.output(0)).to_contain_text("done")
    shown = opened.output(0).inner_text()
    assert shown.count("/400") == 1
    assert "400/400" in shown
    screenshot("progress-done")


def test_the_interrupt_button_ends_a_command_and_nothing_else(notebook, page, screenshot):
    opened = notebook("echo begun; sleep 100; echo never", "echo still there")
    opened.run(0)
    expect(opened.output(0)).to_contain_text("begun")

    page.locator('[data-command="notebook:interrupt-kernel"]').click()

    expect(opened.output(0)).to_contain_text("Interrupted")
    opened.run(1)
    expect(opened.output(1)).to_contain_text("still there")
    assert "never" not in opened.output(0).inner_text()
    screenshot("interrupted")


def test_a_flood_leaves_the_page_alive_and_loses_no_byte(notebook, lab, page, screenshot):
    opened = notebook(f"seq {FLOOD}", "echo after the flood")
    opened.run(0)
    opened.expect_end(0)
    opened.run(1)

    expect(opened.output(1)).to_contain_text("after the flood")
    expect(opened.output(0)).to_contain_text("of the output above are left out. All output: ")
    expect(opened.output(0)).to_contain_text(f"{FLOOD - 1}\n{FLOOD}")
    links = opened.output(0).locator('a[href*="/logs/"]')
    expect(links).to_have_count(2)  # where output is left out, and at its end
    last = opened.output(0).locator(".jp-OutputArea-child").last
    expect(last.locator('a[href*="/logs/"]')).to_have_count(1)
    link = links.last
    link.scroll_into_view_if_needed()
    screenshot("flood-link")
    page.get_by_role("menuitem", name="File", exact=True).click()
    expect(page.get_by_role("menu")).to_be_visible()
    screenshot("flood")
    page.keyboard.press("Escape")

    answer = page.request.get(lab.url + link.get_attribute("href"))
    assert (answer.status, len(answer.body())) == (200, FLOOD_BYTES)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert not any("log" in found["name"] for found in lab.get("api/contents")["content"])


def test_tab_completes_what_the_shell_knows(notebook, page, screenshot):
    opened = notebook("true", "")
    opened.run(0)
    opened.expect_end(0)
    opened.edit(1)
    page.keyboard.type("git che")
    page.keyboard.press("Tab")

    offers = page.locator(".jp-Completer-item")
    expect(offers.filter(has_text="cherry-pick")).to_be_visible()
    screenshot("completion")
    offers.filter(has_text="checkout").first.click()
    expect(opened.cell(1).locator(".cm-content")).to_contain_text("git checkout")


def test_a_picture_is_shown(notebook, page, screenshot):
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'><circle r='50'/></svg>"
    opened = notebook(
        f'base64 -d <<<{picture(120, 60)} | display\ndisplay image/svg+xml <<<"{svg}"',
    )
    opened.run(0)

    images = opened.output(0).locator("img")
    expect(images).to_have_count(2)
    widths = images.evaluate_all("each => each.map(image => image.naturalWidth)")
    assert widths == [120, 90]
    screenshot("pictures")
