"""Shows a page with scripts in a frame that can reach nothing. Pure.

Two frames, one in the other, each of an opaque origin. The outer page is ours: its policy holds
before a byte of the foreign one is read, is inherited by it, and says where the inner frame may go:
nowhere. A frame alone could navigate itself, to Jupyter's API or with what it knows to anybody.

WebRTC talks to any address, and no policy of today's browsers forbids it: it is taken away. A page
gets it back from a frame of its own, so it can make none: not in its HTML, nor by a script, as far
as the browser knows trusted types.
"""

import re
from base64 import b64encode

FRAME_CLASS = "sandbook-frame"
"""By this the extension of JupyterLab finds frames, to make them as high as what is in them."""
HEIGHT = 420
FRAME_MAX = 8_000_000

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "style-src 'unsafe-inline' data:; img-src data: blob:; font-src data:; media-src data: blob:; "
    "worker-src blob:; connect-src 'none'; frame-src 'none'; form-action 'none'; base-uri 'none'; "
    "webrtc 'block'; require-trusted-types-for 'script'; trusted-types default"
)
NOT_ALLOWED = "picture-in-picture 'none'; gamepad 'none'; storage-access 'none'; sync-xhr 'none'"
ELSEWHERE = "A page with scripts from the sandbox. Run the cell, or trust the notebook, to see it."
"""What is left where a front end takes the frame away."""

_ACTIVE = re.compile(
    r"<(?:!doctype|html|head|body|script|style(?!\s+scoped)|link|meta|base|canvas|svg|math|iframe"
    r"|frame|frameset|object|embed|applet|video|audio|form|input|button|select|textarea|template"
    r"|dialog|noscript)\b",
    re.I,
)
_FRAME_TAG = r"<(\/?)(?=(?:[^\s<>\/:]+:)?(?:iframe|frame|object|embed)\b)"
_FRAMES = re.compile(_FRAME_TAG, re.I)
# Nothing that the page does later changes what is called here: each pattern has its own `exec` and
# `flags`, which the methods of patterns would look up in what the page can change. Nor can it call
# the policy itself, and say that the HTML is for something else. A tag may come in pieces, XML has
# names for markup, and an address `javascript:` makes a new page.
_LOCK = (
    "<script>{for(const name of ['RTCPeerConnection','webkitRTCPeerConnection','XSLTProcessor'])"
    "delete window[name];const call=Function.prototype.call,"
    "cut=call.bind(RegExp.prototype[Symbol.replace]),is=call.bind(RegExp.prototype.test),"
    f"frames=/{_FRAME_TAG}/gi,half=/<\\/?[a-z]*$/i,entity=/<!ENTITY/i,page=/srcdoc/i,"
    "address=/location|href|navigat|javascript/i;"
    "for(const pattern of [frames,half,entity,page,address])Object.defineProperties(pattern,"
    "{exec:{value:RegExp.prototype.exec},flags:{value:pattern.flags}});"
    "if(window.trustedTypes){delete TrustedTypePolicyFactory.prototype.defaultPolicy;"
    "trustedTypes.createPolicy('default',{"
    "createHTML:(html,_,sink)=>is(page,sink)||is(entity,html)?'':"
    "cut(half,cut(frames,html,'<$1no-'),''),"
    "createScript:(script,_,sink)=>is(address,sink)?null:script,"
    "createScriptURL:url=>url})}}</script>"
)
_UNLOCKED = "if(window.trustedTypes)trustedTypes.createPolicy('default',{createHTML:html=>html});"
# Tells how high the page is, and lets links lead to places in it: all others would leave it.
_INSIDE = (
    "<script>(()=>{let last=0;const tell=()=>{const root=document.documentElement,"
    "body=document.body,high=Math.ceil(Math.max(root?root.offsetHeight:0,"
    "body?body.scrollHeight:0));"
    "if(high!==last){last=high;parent.postMessage({sandbookHeight:high},'*')}};"
    "addEventListener('load',tell);addEventListener('DOMContentLoaded',tell);"
    "new ResizeObserver(tell).observe(document.documentElement);"
    "addEventListener('click',event=>{const link=event.target.closest&&"
    "event.target.closest('a[href]');if(!link||event.defaultPrevented)return;"
    "const to=link.getAttribute('href')||'';if(/^\\s*javascript:/i.test(to))return;"
    "event.preventDefault();if(to[0]==='#'){const place=document.getElementById("
    "decodeURIComponent(to.slice(1)));if(place)place.scrollIntoView()}})})()</script>"
    "<style>html{background:#fff;color:#000}body{margin:8px;"
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}</style>"
)
# The foreign page comes in base64: of it, no sign means anything in this one.
_RELAY = (
    f"<body><script>{_UNLOCKED}addEventListener('message',event=>{{"
    "const high=event.data&&event.data.sandbookHeight;"
    "if(event.source===frames[0]&&Number.isFinite(high))"
    "parent.postMessage({sandbookHeight:high},'*')});"
    "const frame=document.createElement('iframe');frame.sandbox='allow-scripts';"
    f'frame.allow="{NOT_ALLOWED}";'
    "frame.title='A page from the sandbox';"
    "frame.srcdoc=new TextDecoder().decode(Uint8Array.from(atob('%s'),"
    "sign=>sign.charCodeAt(0)));document.body.append(frame)</script>"
)
_OUTSIDE = (
    '<!DOCTYPE html><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    '<meta name="referrer" content="no-referrer">'
    '<meta http-equiv="x-dns-prefetch-control" content="off">'
    "<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block;"
    "overflow:hidden}</style>"
)


def needs_frame(html: str) -> bool:
    """Tell whether a page would lose what it is for if it were sanitised."""
    return _ACTIVE.search(html) is not None


def framed_page(html: str) -> str:
    """Put a page into frames. It may run its own scripts, and nothing else."""
    harmless = _FRAMES.sub(r"<\1no-", html)
    inner = b64encode((_LOCK + _INSIDE + harmless).encode("utf-8", "replace")).decode()
    page = _OUTSIDE + _RELAY % inner
    style = (
        f"display:block;box-sizing:border-box;width:100%;height:{HEIGHT}px;resize:vertical;"
        "overflow:auto;background:#fff;border:1px solid var(--jp-border-color2,#bdbdbd);"
        "border-radius:6px"
    )
    return (
        f'<iframe class="{FRAME_CLASS}" title="A page from the sandbox" sandbox="allow-scripts" '
        f'allow="{NOT_ALLOWED}" '
        f'referrerpolicy="no-referrer" style="{style}" srcdoc="{_attribute(page)}">'
        f"{ELSEWHERE}</iframe>"
    )


def _attribute(text: str) -> str:
    """Write a text between double quotes; nothing else ends an attribute."""
    return text.replace("&", "&amp;").replace('"', "&quot;")
