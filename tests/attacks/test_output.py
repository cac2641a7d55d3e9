"""Nothing that goes out of a kernel can act, whatever a sandbox shows and on whichever road."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from sandbook.rendering.frame import FRAME_CLASS, POLICY, framed_page
from sandbook.rendering.safe import OwnHtml
from sandbook.rendering.wall import inert, passed
from sandbook.trajectory.entries import Entry, entries_from, line_from
from sandbook.trajectory.journal import read_journal
from sandbook_server.trajectories import notebook_from
from tests.attacks.outputs import ATTACKS, attack, forged_by, shown_by
from tests.kernel.client import execute, running_kernel, text_of

SAFE_TYPES = {
    *("text/plain", "text/html", "text/latex", "application/json"),
    *("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"),
}
FRAMED = {"script", "escapes", "refresh", "base", "frames", "style", "mutation"}
REFUSED = {
    *("latex", "document", "javascript", "module", "vega", "plotly", "widget", "places"),
    *("stderr", "error", "mermaid", "holoviews", "xhtml"),
}
MADE_PICTURE = {"picture"}
"""Bytes that are no picture, and are shown as a broken one."""


class Reader(HTMLParser):
    """Reads HTML as a front end would, and says what in it could act."""

    active = {
        *("script", "style", "link", "meta", "base", "form", "input", "button", "object", "embed"),
        *("svg", "math", "video", "audio", "frame", "template", "textarea", "select"),
    }
    attributes = {
        *("href", "rel", "src", "alt", "title", "class", "style", "align", "start", "colspan"),
        *("rowspan", "scope", "open", "width", "height", "dir", "lang"),
    }
    classes = {"mathjax_ignore", "tex2jax_ignore", "mathjax_process", "tex2jax_process"}

    def __init__(self, html):
        super().__init__()
        self.faults = []
        self.frames = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "iframe":
            self.frames.append(given)
            return
        if tag in self.active:
            self.faults.append(tag)
        self.faults += [name for name in given if name not in self.attributes]
        self.faults += set((given.get("class") or "").split()) - self.classes
        if not re.match(r"(https?://|mailto:|$)", given.get("href") or ""):
            self.faults.append(given["href"])
        if not re.match(r"(data:image/[\w+.-]+;base64,|$)", given.get("src") or ""):
            self.faults.append(given["src"])
        if re.search(r"position|z-index|url|margin|inset|transform", given.get("style") or ""):
            self.faults.append(given["style"])


def check(data, metadata):
    """See that a bundle cannot act."""
    assert data.keys() <= SAFE_TYPES
    assert metadata.keys() <= data.keys()
    assert all(sizes.keys() <= {"width", "height"} for sizes in metadata.values())
    if "text/latex" in data:
        assert not re.search(r"href|style|unicode|class|require|let", data["text/latex"])
    if "text/html" in data:
        read = Reader(data["text/html"])
        assert read.faults == []
        for frame in read.frames:
            assert frame.keys() == {
                *("class", "title", "sandbox", "allow", "referrerpolicy", "style", "srcdoc")
            }
            assert frame["class"] == FRAME_CLASS
            assert frame["sandbox"] == "allow-scripts"
            assert frame["srcdoc"].index(POLICY) < frame["srcdoc"].index("<script>")
        return len(read.frames)
    return 0


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_made_harmless_or_refused(name):
    mime, text = attack(name)
    value = json.loads(text) if mime.endswith("json") else text
    found = passed({mime: value, "text/plain": "words"}, {mime: {"isolated": True, "width": 9}})

    assert check(found.data, found.metadata) == (name in FRAMED)
    assert bool(found.refused) == (name in REFUSED | MADE_PICTURE)
    assert found.data["text/plain"] == "words"


@pytest.mark.parametrize("road", [shown_by, forged_by])
@pytest.mark.parametrize("backend_name", ["docker", "bubblewrap"])
async def test_no_road_leads_around_the_wall(backend_name, road, tmp_path):
    async with running_kernel(backend_name, tmp_path) as (_, client):
        for name in ATTACKS:
            _, messages = await execute(client, road(name))
            bundles = [content for kind, content in messages if "data" in content]

            assert len(bundles) == 1, name
            frames = check(bundles[0]["data"], bundles[0]["metadata"])
            assert frames == (name in FRAMED), name
            assert ("Sandbook: " in text_of(messages, "stderr")) == (name in REFUSED), name


@pytest.mark.parametrize("backend_name", ["docker", "bubblewrap"])
async def test_updates_results_and_python_meet_the_same_wall(backend_name, tmp_path):
    show = "display {} text/html <<<'<img src=x onerror=alert(1)>'"
    async with running_kernel(backend_name, tmp_path) as (_, client):
        for code in (
            f"{show.format('-i a')}; {show.format('-i a')}",
            show.format("-r"),
            "%%python\nfrom IPython.display import *\ndisplay(HTML('<script>1</script>'), "
            "Javascript('1'), SVG('<svg/>'), Markdown('<script>'), Latex('href'))",
        ):
            _, messages = await execute(client, code)
            shown = [content for kind, content in messages if "data" in content]
            for content in shown:
                check(content["data"], content["metadata"])
            assert shown or "%%python" in code
            assert "Defect" not in str(messages)


ODD = {
    "half of a character": "display application/json <<<'\"\\ud800\"'",
    "half of a character as a name": "display application/json <<<'{\"\\ud800\": 1}'",
    "half of a character in another type": "display application/geo+json <<<'\"\\ud800\"'",
    "deep JSON": "display application/json <<<$(printf '[%.0s' {1..900}; printf ']%.0s' {1..900})",
    "a picture of no size": (
        "p=$(printf 'GIF89a\\0\\0\\0\\0' | base64 -w0); "
        "printf '\\033]1337;File=inline=1;width=5;height=5:%s\\007' \"$p\""
    ),
}


async def test_no_odd_output_hangs_a_kernel_or_is_missing_in_the_trajectory(tmp_path):
    (tmp_path / "work").mkdir()
    kept = {"JUPYTER_DATA_DIR": str(tmp_path / "data")}
    async with running_kernel("bubblewrap", tmp_path / "work", **kept) as (_, client):
        for name, code in ODD.items():
            reply, _ = await execute(client, code)
            assert reply["status"] == "ok", name
        _, messages = await execute(client, "echo still here")

    assert text_of(messages) == "still here\n"
    (journal,) = tmp_path.glob("data/sandbook/trajectories/*")
    assert [entry.source for entry in read_journal(journal)] == [*ODD.values(), "echo still here"]


@pytest.mark.parametrize("backend_name", ["docker", "bubblewrap"])
async def test_an_agents_python_cannot_name_the_type_of_a_picture(backend_name, tmp_path):
    """What runs beside our Python may say anything to us, for example that HTML is a picture."""
    line = json.dumps({"image": "data:text/html;base64,<script>alert(1)</script>"})
    code = (
        "import os\n"
        "with open(f'/proc/{os.getppid()}/fd/1', 'w') as out:\n"
        f"    _ = out.write({line!r} + chr(10))\n"
    )
    (tmp_path / "work").mkdir()
    kept = {"JUPYTER_DATA_DIR": str(tmp_path / "data")}
    async with running_kernel(backend_name, tmp_path / "work", **kept) as (_, client):
        action = {"action": "run_ipython", "args": {"code": code}}
        client.control_channel.send(client.session.msg("action_request", {"action": action}))
        reply = await client.get_control_msg(timeout=60)

    assert reply["content"]["status"] == "ok", reply["content"]
    (journal,) = tmp_path.glob("data/sandbook/trajectories/*")
    (entry,) = read_journal(journal)
    (bundle,) = [output["data"] for output in entry.outputs if "data" in output]
    assert bundle.keys() == {"text/plain"}
    assert "<script>" not in str(notebook_from("x", [entry]).cells[0].outputs)


@pytest.mark.parametrize("ticks", ["```", "````", "```````"])
def test_a_note_of_a_trajectory_is_text_to_its_end(ticks):
    hostile = f"{ticks}\n<img src=x onerror=alert(1)>\n{ticks}\n[x](javascript:1)"
    entry = Entry(1, "now", f"a`*\n\n{hostile}", "note", hostile)

    (cell,) = notebook_from("x", [entry]).cells

    html = MarkdownIt("commonmark", {"html": True}).render(cell.source)
    assert "<img" not in html
    assert "<a" not in html
    assert html.count("<pre>") == 1


def test_a_trajectory_from_before_the_wall_is_shown_without_html():
    rich = {"text/html": "<script>1</script>", "text/plain": "words"}
    shown = {"output_type": "display_data", "data": rich, "metadata": {"text/html": {"a": 1}}}
    entry = Entry(1, "now", "person", "cell", "x", [shown])
    told = {**json.loads(line_from(entry))}
    told.pop("walled")

    (old,) = entries_from([json.dumps(told).encode()])

    (output,) = notebook_from("x", [old]).cells[0].outputs
    assert output["data"] == {"text/plain": "words"}
    assert output["metadata"] == {}


@pytest.mark.parametrize("backend_name", ["docker", "bubblewrap"])
async def test_files_that_are_viewed_meet_the_same_wall(backend_name, tmp_path):
    for name, which in {"a.html": "escapes", "a.md": "markdown", "a.svg": "drawing"}.items():
        (tmp_path / name).write_text(attack(which)[1])
    (tmp_path / r"$\href{javascript:1}{x}$<img src=x onerror=1>").mkdir()
    async with running_kernel(backend_name, tmp_path) as (_, client):
        for code in ("%view a.html", "%view a.md", "%view a.svg", "%view .", "%ls"):
            _, messages = await execute(client, code)
            (html,) = [content["data"]["text/html"] for _, content in messages if "data" in content]
            assert html.startswith('<div class="mathjax_ignore tex2jax_ignore">'), code
            assert not re.search(r"<(script|iframe|form|base|meta|img[^>]*onerror)", html), code
            assert "javascript:" not in " ".join(re.findall(r'(?:href|src)="([^"]*)', html)), code


def test_a_kernel_that_shows_no_html_loads_nothing_for_it():
    code = (
        "import sys, sandbook_kernel.kernel as k, sandbook.rendering.wall as wall\n"
        "wall.passed({'text/plain': 'x', 'image/png': 'AAAA', 'application/json': 1})\n"
        "sys.exit(', '.join({'nh3', 'markdown_it', 'pygments.lexer'} & sys.modules.keys()) or 0)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)


def test_only_our_own_html_passes_as_it_is():
    html = OwnHtml("<style>x</style>")

    assert passed({"text/html": html}).data["text/html"] is html
    assert "<style>x</style>" not in passed({"text/html": html + ""}).data["text/html"]


@pytest.mark.parametrize("size", [-1, 0, 1 << 40, "9", 1.5, True, None])
def test_sizes_are_numbers_of_pixels(size):
    assert passed({"image/png": ""}, {"image/png": {"width": size}}).metadata == {}


def test_a_frame_ends_where_we_end_it():
    hostile = "</script></iframe>\"'><script>top.x=1</script>&quot;&#34;\udc80"

    read = Reader(framed_page(hostile))

    assert read.faults == []
    assert len(read.frames) == 1
    assert "top.x" not in read.frames[0]["srcdoc"]


def test_what_is_older_than_the_wall_keeps_only_text_and_pictures():
    old = {"text/html": "<script>", "text/plain": "words", "image/png": "AAAA", "x/y": "z"}

    assert inert(old) == {"text/plain": "words", "image/png": "AAAA"}


def test_html_that_takes_long_to_sanitise_gets_a_frame_and_too_much_is_refused():
    deep, long = "<div>" * 20_000, "<p>" + "a " * 60_000 + "</p>"

    assert all(
        FRAME_CLASS in passed({"text/html": html}).data["text/html"] for html in (deep, long)
    )
    (sentence,) = passed({"text/html": "x" * 9_000_000}).refused
    assert "too large" in sentence


def test_formulas_are_typeset_only_where_markdown_has_plain_ones():
    shown = passed({"text/markdown": r"$x_1^2$, $\frac{a_1}{b_1}$ and $\href{javascript:1}{y}$"})

    html = shown.data["text/html"]
    assert html.count("mathjax_process") == 2
    assert r"$\frac{a_1}{b_1}$</span>" in html
    assert r"and $\href{javascript:1}{y}$" in html


def test_nobody_can_say_that_a_formula_of_his_own_is_plain():
    hostile = '<span class="mathjax_process tex2jax_process">$\\href{javascript:1}{y}$</span>'

    for mime in ("text/html", "text/markdown"):
        assert "_process" not in passed({mime: hostile}).data["text/html"]
