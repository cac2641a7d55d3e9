"""Outputs in a real JupyterLab that attack it: none reaches Jupyter, its page or anybody else."""

import http.server
import threading
import urllib.request
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import expect

from tests.attacks.outputs import ATTACKS, attack, forged_by, shown_by
from tests.core.rendering.examples import code_cell, output
from tests.core.rendering.examples import notebook as ipynb
from tests.ui.conftest import TOKEN
from tests.ui.test_cells import ask, notebook  # noqa: F401

pytestmark = [pytest.mark.ui, pytest.mark.timeout(300)]

PROBE = "attack-probe"
SETTLED_MS = 3000
"""So long after its cell an attack may still try something."""
REPORT = """<!DOCTYPE html><html><head><title>Report</title><style>
body{font:15px system-ui;margin:24px;color:#223} h2{margin-top:0} canvas{border-radius:8px}
table{border-collapse:collapse} td,th{padding:4px 14px;border-bottom:1px solid #ccd}</style></head>
<body><h2>Quarterly report</h2><canvas id="c" width="640" height="260"></canvas>
<p>Total: <b id="total">?</b> <a href="#end">To the end</a></p><div id="rows"></div>
<p id="end">The end.</p><script>
const data = [12, 19, 7, 24, 31, 18, 27], pen = document.getElementById('c').getContext('2d');
pen.fillStyle = '#f4f6fb'; pen.fillRect(0, 0, 640, 260);
data.forEach((value, i) => { pen.fillStyle = `hsl(${200 + 12 * i} 60% 50%)`;
  pen.fillRect(30 + i * 85, 240 - value * 7, 60, value * 7) });
const sum = new Function('a', 'return a.reduce((x,y)=>x+y)');
document.getElementById('total').textContent = sum(data);
document.getElementById('rows').innerHTML = '<table>' + data.map((value, i) =>
  `<tr><td>Month ${i + 1}</td><td>${value}</td></tr>`).join('') + '</table>';
</script></body></html>"""
TABLE = """<table border="1"><thead><tr><th>city</th><th style="text-align:right">people</th></tr>
</thead><tbody><tr><td>Ulm</td><td style="text-align:right;color:#b3261e">126,000</td></tr>
<tr><td>Trier</td><td style="text-align:right">111,000</td></tr></tbody></table>"""


@dataclass
class Witness:
    """Sees who is reached: a server of the attacker's, and the log of Jupyter."""

    beacon: str
    api: str
    lab: object
    heard: list = field(default_factory=list)
    terminals: list = field(default_factory=list)

    def reached(self):
        log = self.lab.log.read_text("utf-8", "replace")
        return [*self.heard, *(line for line in log.splitlines() if PROBE in line)]

    @property
    def where(self):
        return {"api": self.api, "beacon": self.beacon}


@pytest.fixture
def witness(lab):
    heard = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(self.path)
            self.send_response(204)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # Nothing is there: Jupyter writes into its log that somebody asked for it.
    name = f"{PROBE}-{server.server_port}"
    made = Witness(
        f"http://127.0.0.1:{server.server_port}", f"{lab.url}/api/contents/{name}", lab, heard
    )
    made.terminals = lab.get("api/terminals")
    before = made.reached()
    made.reached = lambda: [one for one in Witness.reached(made) if one not in before]
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def dialogs(page):
    """What the page asks or tells the person in a window of its own."""
    heard = []

    def listen(dialog):
        heard.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", listen)
    yield heard
    page.remove_listener("dialog", listen)


def assert_unharmed(page, witness):
    page.wait_for_timeout(SETTLED_MS)
    assert witness.reached() == []
    assert page.evaluate("window.__pwned") is None
    assert "pwned" not in page.title()
    assert page.evaluate("localStorage.getItem('pwned')") is None
    assert len(page.context.pages) == 1
    assert page.url.startswith(witness.lab.url)
    assert page.locator(".jp-Terminal").count() == 0
    assert witness.lab.get("api/terminals") == witness.terminals


def run_all(page, opened, count):
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    opened.expect_end(count - 1)


def click_all(page, opened, count):
    """Press whatever can be pressed in the outputs, but for links to the web and to our viewer."""
    pressed = "a:not([href^=http]):not([href^='/sandbook/']), b, p, summary, circle"
    for position in range(count):
        for node in opened.output(position).locator(pressed).all():
            node.dispatch_event("mouseover")
            node.dispatch_event("click")


GROUPS = {
    "frames": ["escapes", "script", "refresh", "base", "frames", "style", "mutation"],
    "others": [
        *("handlers", "links", "overlay", "linker", "formula in html"),
        *("markdown", "formula in markdown", "latex", "json", "plain"),
        *(name for name, (mime, _) in ATTACKS.items() if "text/" not in mime),
    ],
}
"""What is shown in frames, and what is made harmless: a notebook each."""


def test_every_attack_is_in_a_group():
    named = {name for names in GROUPS.values() for name in names}

    assert ATTACKS.keys() - named == {"module", "mermaid"}


@pytest.mark.parametrize("road", [shown_by, forged_by])
@pytest.mark.parametrize("group", GROUPS)
def test_a_hostile_output_reaches_nothing(notebook, page, witness, dialogs, group, road):  # noqa: F811
    names = GROUPS[group]
    opened = notebook(*(road(name, **witness.where) for name in names))
    run_all(page, opened, len(names))
    click_all(page, opened, len(names))

    assert_unharmed(page, witness)
    assert dialogs == []
    assert page.locator(".jp-OutputArea [style*=fixed]").count() == 0
    assert page.locator(".jp-OutputArea [data-commandlinker-command]").count() == 0


def test_hostile_text_of_python_errors_and_streams_reaches_nothing(notebook, page, witness):  # noqa: F811
    _, text = attack("handlers", **witness.where)
    cells = [
        f"cat <<'THE_END'\n{text}\nTHE_END\nprintf '\\033]8;;javascript:alert(1)\\007x'",
        f"%%python\nfrom IPython.display import *\ndisplay(HTML({text!r}), Javascript({text!r}))",
        f"%%python\nraise type({text!r}, (Exception,), {{}})({text!r})",
    ]
    opened = notebook(*cells)
    for position in range(len(cells)):
        opened.run(position)
        opened.expect_end(position)
    click_all(page, opened, len(cells))

    assert_unharmed(page, witness)


def test_a_hostile_file_in_a_cell_reaches_nothing(notebook, page, witness):  # noqa: F811
    bad = {name: attack(name, **witness.where) for name in ("escapes", "markdown", "drawing")}
    outputs = [output(**{mime: text}) for mime, text in bad.values()]
    files = {
        "h.html": bad["escapes"][1],
        "h.md": bad["markdown"][1] + attack("formula in markdown", **witness.where)[1],
        "h.svg": bad["drawing"][1],
        "h.ipynb": ipynb(code_cell("1", *outputs)),
    }
    write = "\n".join(f"cat >{name} <<'THE_END'\n{text}\nTHE_END" for name, text in files.items())
    opened = notebook(write, *(f"%view {name}" for name in files), "%view .", "rm h.*")
    run_all(page, opened, len(files) + 3)
    click_all(page, opened, len(files) + 1)

    assert_unharmed(page, witness)


def test_a_trajectory_that_is_opened_and_trusted_reaches_nothing(notebook, lab, page, witness):  # noqa: F811
    opened = notebook(
        shown_by("handlers", **witness.where),
        shown_by("escapes", **witness.where),
        shown_by("javascript", **witness.where),
    )
    for position in range(3):
        opened.run(position)
        opened.expect_end(position)
    (session,) = (one for one in lab.get("api/sessions") if "trajectory" in one["path"])
    kernel_id = session["kernel"]["id"]
    _, text = attack("markdown", **witness.where)
    action = {"action": "read", "args": {"path": f"/no````\n{text}"}}
    ask(lab, "POST", f"sandbook/{kernel_id}/execute_action", {"action": action})
    url = f"{lab.url}/sandbook/{kernel_id}/trajectory.ipynb?token={TOKEN}"
    with urllib.request.urlopen(url, timeout=30) as answer:
        content = answer.read().decode()
    body = {"type": "file", "format": "text", "content": content}
    ask(lab, "PUT", "api/contents/later.ipynb", body)

    ask(lab, "POST", "api/contents/later.ipynb/trust")
    page.goto(lab.page("later.ipynb"))
    expect(page.locator(".jp-Notebook .jp-Cell").first).to_be_visible(timeout=60_000)
    expect(page.locator("iframe.sandbook-frame")).to_have_count(1)

    assert_unharmed(page, witness)


def test_a_page_with_scripts_draws_in_a_frame_that_is_as_high_as_it(notebook, page, screenshot):  # noqa: F811
    opened = notebook(
        f"display text/html <<'THE_END'\n{REPORT}\nTHE_END",
        f"display text/html <<'THE_END'\n{TABLE}\nTHE_END",
        "display application/vnd.vega.v5+json <<<'{\"marks\": []}'",
        "display text/markdown <<<$'## Formula\\n\\nWith $e^{i\\\\pi} + 1 = 0$ and *words*.'",
    )
    run_all(page, opened, 4)
    frame = opened.output(0).locator("iframe.sandbook-frame")
    inside = frame.content_frame.locator("iframe").content_frame

    expect(inside.locator("#total")).to_have_text("138")
    expect(inside.locator("tr")).to_have_count(7)
    drawn = inside.locator("canvas").evaluate(
        "canvas => canvas.getContext('2d').getImageData(60, 200, 1, 1).data.join()"
    )
    assert drawn not in {"0,0,0,0", "244,246,251,255"}
    high = inside.locator("html").evaluate("root => root.scrollHeight")
    assert 500 < high < 1000
    page.wait_for_function(
        "high => Math.abs(document.querySelector('iframe.sandbook-frame').offsetHeight - high) < 6",
        arg=high,
    )
    expect(opened.output(1).locator("td").nth(1)).to_have_css("color", "rgb(179, 38, 30)")
    expect(opened.output(2)).to_contain_text("application/vnd.vega.v5+json is not shown here")
    expect(opened.output(3).locator("mjx-container")).to_have_count(1)
    opened.output(0).scroll_into_view_if_needed()
    screenshot("framed-report")
    opened.output(3).scroll_into_view_if_needed()
    screenshot("sanitised-and-refused")


NO_NETWORK = r"""<!DOCTYPE html><script>
const say = (name, word) => top.postMessage(`${name} ${word}`, '*');
const test = name =>
  `<script>top.postMessage('${name} ' + typeof RTCPeerConnection, '*')</` + 'script>';
const made = () => document.body.appendChild(document.createElement('iframe'));
const page = name => `<iframe srcdoc="${test(name).replaceAll('"', '&quot;')}"></iframe>`;
const tries = {
  here: () => say('here', typeof RTCPeerConnection),
  attribute: () => made().setAttribute('srcdoc', test('attribute')),
  property: () => { made().srcdoc = test('property') },
  html: () => { document.body.appendChild(document.createElement('p')).innerHTML = page('html') },
  halves: () => {
    document.write(page('halves').slice(0, 4)); document.write(page('halves').slice(4)) },
  xml: () => document.body.append(new DOMParser().parseFromString(
    '<x:iframe xmlns:x="http://www.w3.org/1999/xhtml" srcdoc="&lt;script>top.postMessage(\'xml \' +'
    + ' typeof RTCPeerConnection, \'*\')&lt;/script>"/>', 'application/xml').documentElement),
  policy: () => { made().srcdoc = trustedTypes.defaultPolicy.createHTML(test('policy')) },
  patterns: () => {
    for (const name of ['flags', 'global', 'ignoreCase', 'unicode', 'sticky'])
      Object.defineProperty(RegExp.prototype, name, {get: () => ''});
    RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false;
    RegExp.prototype[Symbol.replace] = text => text; RegExp.prototype[Symbol.match] = () => null;
    String.prototype.replace = function () { return this };
    made().srcdoc = test('patterns');
    document.body.appendChild(document.createElement('p')).innerHTML = page('patterns') },
  address: () => { location.href = `javascript:${JSON.stringify(test('address'))}` },
};
onload = () => Object.entries(tries).forEach(([name, attack]) => {
  try { attack() } catch (error) { say(name, 'refused') }
});
</script>"""


def test_a_page_in_a_frame_has_no_network_not_even_by_webrtc(notebook, page):  # noqa: F811
    page.evaluate("window.heard = []; addEventListener('message', event => heard.push(event.data))")
    opened = notebook(f"display text/html <<'THE_END'\n{NO_NETWORK}\nTHE_END")
    opened.run(0)
    opened.expect_end(0)
    page.wait_for_function("heard.some(said => String(said).startsWith('here'))")
    page.wait_for_timeout(SETTLED_MS)

    heard = [said for said in page.evaluate("heard") if isinstance(said, str)]
    assert "here undefined" in heard
    assert [said for said in heard if not said.endswith(("undefined", "refused"))] == []


THIEF = """<!DOCTYPE html><input id="box"><script>
box.addEventListener('keydown', event => top.postMessage(`key ${event.key}`, '*'));
setInterval(() => box.focus(), 100);
</script>"""


def test_a_page_in_a_frame_does_not_get_what_is_typed_elsewhere(notebook, page, screenshot):  # noqa: F811
    page.evaluate("window.heard = []; addEventListener('message', event => heard.push(event.data))")
    opened = notebook(f"display text/html <<'THE_END'\n{THIEF}\nTHE_END", "")
    opened.run(0)
    opened.expect_end(0)
    note = opened.output(0).locator(".jp-Sandbook-PutAway")
    expect(note).to_contain_text("took the keyboard")
    screenshot("frame-put-away")

    opened.edit(1)
    page.keyboard.type("secret", delay=50)

    expect(opened.cell(1).locator(".cm-content")).to_have_text("secret")
    assert not [said for said in page.evaluate("heard") if str(said).startswith("key")]
