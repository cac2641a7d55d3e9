"""The quickstart in JupyterLab, as a newcomer meets it."""

import json
import urllib.request

import nbformat
import pytest
from playwright.sync_api import expect

from tests.ui.conftest import TOKEN, open_in

pytestmark = [pytest.mark.ui, pytest.mark.timeout(180)]


def open_notebook(page, lab, notebook):
    """Open a notebook and wait for its sandbox, which shows in the status bar."""
    open_in(page, notebook)
    expect(page.locator(".jp-Sandbook-Status")).to_contain_text("docker")


def card_of(panel, notebook):
    """Find the card of a notebook: this user may have other sandboxes."""
    return panel.locator("[data-sandbox-id]").filter(has_text=notebook)


def test_the_quickstart_runs_and_the_panel_shows_its_sandbox(lab, page, screenshot):
    open_notebook(page, lab, "quickstart.ipynb")
    cells = page.locator(".jp-Notebook .jp-CodeCell")

    for position in range(3):
        cells.nth(position).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")

    expect(cells.nth(0).locator(".jp-OutputArea")).to_contain_text("sandbook/base")
    expect(cells.nth(2).locator(".jp-OutputArea")).to_contain_text("Hello from sandbox, reader")

    page.locator(".jp-Sandbook-Status").click()
    panel = page.locator("#sandbook-panel")
    expect(panel).to_be_visible()
    card = card_of(panel, "quickstart.ipynb")
    expect(card).to_have_count(1)
    expect(card).to_have_attribute("data-state", "running")
    (listed,) = (row for row in lab.get("sandbook/sandboxes") if "quickstart" in row["notebook"])
    assert card.get_attribute("data-sandbox-id") == listed["kernel_id"]
    screenshot("quickstart")


def test_a_sandbox_that_ends_disappears_from_the_panel(lab, page, screenshot):
    open_notebook(page, lab, "quickstart.ipynb")
    page.locator(".jp-Sandbook-Status").click()
    card = card_of(page.locator("#sandbook-panel"), "quickstart.ipynb")
    expect(card).to_have_count(1)

    page.get_by_role("menuitem", name="Kernel").click()
    page.get_by_role("menuitem", name="Shut Down Kernel", exact=True).click()

    expect(card).to_have_count(0)
    screenshot("no-sandbox")


def test_what_an_agent_does_shows_in_the_panel_as_it_happens(lab, page, screenshot):
    open_notebook(page, lab, "quickstart.ipynb")
    page.locator(".jp-Sandbook-Status").click()
    card = card_of(page.locator("#sandbook-panel"), "quickstart.ipynb")
    expect(card).to_have_count(1)
    agent = Agent(lab, card.get_attribute("data-sandbox-id"))

    agent.run("echo one; echo two; false")
    late = agent.run("echo begun; sleep 30", timeout=1)

    actions = card.locator(".jp-Sandbook-Activity li")
    expect(actions).to_have_count(2)
    assert late["extras"]["metadata"]["exit_code"] == -1
    expect(actions.nth(0)).to_have_attribute("data-state", "running")
    expect(actions.nth(1)).to_contain_text("exit 1")
    actions.nth(1).locator("summary").click()
    expect(actions.nth(1).locator("pre")).to_have_text("one\ntwo")
    screenshot("agent")
    agent.run("C-c", is_input=True)
    expect(actions).to_have_count(3)

    with page.expect_download() as download:
        card.locator(".jp-Sandbook-Trajectory").click()

    notebook = nbformat.read(download.value.path(), 4)
    assert "echo one; echo two; false" in [cell.source for cell in notebook.cells]


class Agent:
    """Somebody else who uses the sandbox of the notebook."""

    def __init__(self, lab, sandbox_id):
        self._url = f"{lab.url}/sandbook/{sandbox_id}/execute_action"

    def run(self, command, timeout=30, **arguments):
        arguments["command"] = command
        action = {"action": "run", "args": arguments, "timeout": timeout}
        headers = {"Authorization": f"token {TOKEN}"}
        body = json.dumps({"action": action}).encode()
        with urllib.request.urlopen(urllib.request.Request(self._url, body, headers)) as answer:
            return json.load(answer)
