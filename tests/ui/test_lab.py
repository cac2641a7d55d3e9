"""The quickstart in JupyterLab, as a newcomer meets it."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.ui, pytest.mark.timeout(180)]


def open_notebook(page, lab, notebook):
    """Open a notebook and wait for its sandbox, which shows in the status bar."""
    page.goto(lab.page(notebook))
    expect(page.locator(".jp-Sandbook-Status")).to_contain_text("docker", timeout=60_000)


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
    card = panel.locator("[data-sandbox-id]")
    expect(card).to_have_count(1)
    expect(card).to_have_attribute("data-state", "running")
    expect(card).to_contain_text("quickstart.ipynb")
    (listed,) = lab.get("sandbook/sandboxes")
    assert card.get_attribute("data-sandbox-id") == listed["kernel_id"]
    screenshot("quickstart")


def test_a_sandbox_that_ends_disappears_from_the_panel(lab, page, screenshot):
    open_notebook(page, lab, "quickstart.ipynb")
    page.locator(".jp-Sandbook-Status").click()
    card = page.locator("#sandbook-panel [data-sandbox-id]")
    expect(card).to_have_count(1)

    page.get_by_role("menuitem", name="Kernel").click()
    page.get_by_role("menuitem", name="Shut Down Kernel", exact=True).click()

    expect(card).to_have_count(0)
    screenshot("no-sandbox")
