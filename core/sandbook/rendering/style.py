"""How what is shown looks: on a page of its own, and among the cells of a notebook."""

_LIGHT = (
    "--sb-fg:#22252e;--sb-muted:#666c7a;--sb-bg:#fff;--sb-soft:#f7f5f1;--sb-line:#e2ddd4;"
    "--sb-accent:#9a5b16;--sb-mark:#fdf0d5;--sb-error:#fdecea;--sb-keyword:#8b1f7c;"
    "--sb-string:#1b6e3c;--sb-number:#1750a8;--sb-comment:#74798a;--sb-function:#1750a8;"
    "--sb-type:#9a5b16;--sb-meta:#9a5b16;--sb-inserted:#1b6e3c;--sb-deleted:#b3261e;"
)
_DARK = (
    "--sb-fg:#e4e2dd;--sb-muted:#989ca8;--sb-bg:#1c1e25;--sb-soft:#25282f;--sb-line:#3a3d47;"
    "--sb-accent:#e9b872;--sb-mark:#453a24;--sb-error:#43262a;--sb-keyword:#dba0e6;"
    "--sb-string:#9ad59b;--sb-number:#8fbcf2;--sb-comment:#8a8f9d;--sb-function:#8fbcf2;"
    "--sb-type:#e9b872;--sb-meta:#e9b872;--sb-inserted:#9ad59b;--sb-deleted:#ff9d94;"
)
# Between the cells of a notebook the colours are its own. Where there are none of JupyterLab's,
# greys are used that can be read on white and on black.
_NOTEBOOK = (
    "--sb-fg:var(--jp-content-font-color1,inherit);--sb-muted:var(--jp-content-font-color2,#8a8f99);"
    "--sb-bg:transparent;--sb-soft:var(--jp-cell-editor-background,rgba(128,128,128,.1));"
    "--sb-line:var(--jp-border-color2,rgba(128,128,128,.35));"
    "--sb-accent:var(--jp-content-link-color,#2f7fd6);--sb-mark:rgba(240,180,60,.25);"
    "--sb-error:var(--jp-rendermime-error-background,rgba(230,80,80,.15));"
    "--sb-keyword:var(--jp-mirror-editor-keyword-color,#3f9b46);"
    "--sb-string:var(--jp-mirror-editor-string-color,#c4504a);"
    "--sb-number:var(--jp-mirror-editor-number-color,#3d9a68);"
    "--sb-comment:var(--jp-mirror-editor-comment-color,#7f9a9a);"
    "--sb-function:var(--jp-mirror-editor-def-color,#4a7fe0);"
    "--sb-type:var(--jp-mirror-editor-builtin-color,#3f9b46);"
    "--sb-meta:var(--jp-mirror-editor-meta-color,#a05cf0);"
    "--sb-inserted:var(--jp-success-color1,#3f9b46);--sb-deleted:var(--jp-error-color1,#d9534f);"
)
_MONO = "var(--jp-code-font-family,ui-monospace,SFMono-Regular,Menlo,Consolas,monospace)"

# Every rule begins with the class of the frame, so that none of them reaches anything else.
_RULES = f"""
{{color:var(--sb-fg);line-height:1.5;overflow-wrap:break-word}}
 a{{color:var(--sb-accent);text-decoration:none}}
 a:hover{{text-decoration:underline}}
 .sb-head{{display:flex;flex-wrap:wrap;gap:.3em 1em;align-items:baseline;margin:0 0 .8em}}
 .sb-name{{font-weight:600}}
 .sb-facts,.sb-muted,.sb-note{{color:var(--sb-muted)}}
 .sb-note{{font-size:.92em;margin:.6em 0}}
 .sb-links{{margin-left:auto;display:flex;gap:1em}}
 .sb-pager{{display:flex;gap:1.2em;align-items:baseline;margin:.8em 0}}
 pre{{font-family:{_MONO};font-size:.92em;line-height:1.5;margin:0;tab-size:4;color:inherit;\
background:none;border:0;padding:0}}
 .sb-code{{border:1px solid var(--sb-line);border-radius:6px;padding:.5em 0;overflow:auto;\
background:var(--sb-bg);white-space:pre}}
 .sb-line{{display:block;padding-right:1em;min-width:max-content}}
 .sb-line:target{{background:var(--sb-mark)}}
 .sb-no{{color:var(--sb-muted);user-select:none;-webkit-user-select:none;text-decoration:none}}
 .sb-code .sb-no{{display:inline-block;padding:0 1em;margin-right:1em;\
border-right:1px solid var(--sb-line);white-space:pre}}
 .sb-scroll{{overflow:auto;width:fit-content;max-width:100%;\
border:1px solid var(--sb-line);border-radius:6px}}
 table{{color:inherit;border-collapse:collapse;font-size:.95em;margin:0;border:0}}
 th,.sandbook-view td{{padding:.3em .8em;text-align:left;vertical-align:top;\
border:0;border-bottom:1px solid var(--sb-line);white-space:pre-wrap;max-width:40em}}
 .sb-table th{{background:var(--sb-soft);position:sticky;top:0;font-weight:600}}
 .sb-table .sb-no{{font-size:.85em;text-align:right;border-right:1px solid var(--sb-line)}}
 .sb-table tr:last-child td{{border-bottom:0}}
 .sb-table tr:hover td{{background:var(--sb-soft)}}
 .sb-right,.sandbook-view [align=right]{{text-align:right}}
 .sb-table .sb-right{{font-variant-numeric:tabular-nums}}
 [align=center]{{text-align:center}}
 .sb-picture{{margin:.4em 0}}
 .sb-picture img,.sandbook-view video{{max-width:100%;max-height:85vh;border-radius:4px;\
background-color:#fff;background-image:repeating-conic-gradient(#e8e8e8 0 25%,#fff 0 50%);\
background-size:16px 16px}}
 .sb-picture video{{background:#000}}
 .sb-picture audio{{width:100%;max-width:36em}}
 .sb-embed{{display:block;width:100%;height:85vh;border:1px solid var(--sb-line);border-radius:6px}}
 .sb-card{{border:1px solid var(--sb-line);border-radius:6px;padding:1em 1.4em;\
background:var(--sb-soft);max-width:36em}}
 .sb-card p{{margin:.4em 0}}
 .sb-button{{display:inline-block;padding:.3em .9em;border:1px solid var(--sb-accent);\
border-radius:5px}}
 summary{{cursor:pointer}}
 .sb-tree,.sandbook-view .sb-files{{font-family:{_MONO};font-size:.92em;line-height:1.65}}
 .sb-tree ul,.sandbook-view .sb-files ul{{list-style:none;margin:0;padding-left:1.4em}}
 .sb-files>ul{{padding-left:0}}
 .sb-tree ul{{border-left:1px solid var(--sb-line);margin-left:.3em}}
 .sb-tree details>ul,.sandbook-view .sb-files details>ul{{margin-top:0}}
 .sb-tree li>span:first-child{{margin-left:1.1em}}
 .sb-files li.sb-file{{padding-left:1.1em}}
 .sb-files li.sb-folder:not(:has(>details)){{padding-left:1.1em}}
 .sb-folder>details>summary,.sandbook-view li.sb-folder:not(:has(>details)){{font-weight:600}}
 .sb-folder li.sb-file{{font-weight:400}}
 .sb-size{{color:var(--sb-muted);margin-left:1.5em;font-size:.92em;font-weight:400}}
 .sb-key{{color:var(--sb-type)}}
 .sb-prose{{max-width:52em}}
 .sb-prose img{{max-width:100%}}
 .sb-prose pre,.sandbook-view .sb-block{{background:var(--sb-soft);border:1px solid var(--sb-line);\
border-radius:6px;padding:.7em 1em;overflow:auto;white-space:pre}}
 .sb-prose pre{{margin:1em 0}}
 .sb-prose code{{font-family:{_MONO};font-size:.92em;background:var(--sb-soft);padding:.1em .3em;\
border-radius:3px;color:inherit}}
 .sb-prose pre code{{background:none;padding:0;font-size:1em}}
 .sb-prose blockquote{{margin:1em 0;padding:0 1em;border-left:3px solid var(--sb-line);\
color:var(--sb-muted)}}
 .sb-prose table{{border:1px solid var(--sb-line);margin:1em 0}}
 .sb-prose th{{background:var(--sb-soft)}}
 .sb-prose h1,.sandbook-view .sb-prose h2{{border-bottom:1px solid var(--sb-line);\
padding-bottom:.25em;line-height:1.25}}
 .sb-prose hr{{border:0;border-top:1px solid var(--sb-line)}}
 .sb-cell{{display:flex;gap:.8em;margin:1em 0 .3em}}
 .sb-cell .sb-block{{flex:1;min-width:0}}
 .sb-prompt{{color:var(--sb-muted);font-family:{_MONO};font-size:.85em;padding-top:.9em;\
min-width:3em;text-align:right}}
 .sb-outputs,.sandbook-view .sb-said{{margin-left:3.4em}}
 .sb-outputs .sb-said{{margin-left:0}}
 .sb-outputs>*{{margin:.4em 0;padding-left:1em}}
 .sb-output{{overflow:auto;white-space:pre-wrap}}
 .sb-error{{background:var(--sb-error);padding:.5em 1em;border-radius:4px}}
 .sb-hidden{{color:var(--sb-deleted);outline:1px solid currentColor;outline-offset:-1px;\
border-radius:2px;font-size:.85em;padding:0 .15em}}
 .sb-keyword{{color:var(--sb-keyword)}}
 .sb-string{{color:var(--sb-string)}}
 .sb-number{{color:var(--sb-number)}}
 .sb-comment{{color:var(--sb-comment);font-style:italic}}
 .sb-function{{color:var(--sb-function)}}
 .sb-type,.sandbook-view .sb-builtin{{color:var(--sb-type)}}
 .sb-meta,.sandbook-view .sb-variable{{color:var(--sb-meta)}}
 .sb-operator{{color:var(--sb-muted)}}
 .sb-inserted{{color:var(--sb-inserted)}}
 .sb-deleted{{color:var(--sb-deleted)}}
 .sb-diff .sb-line{{padding-left:1em}}
 .sb-diff .sb-inserted{{background:rgba(60,170,90,.13)}}
 .sb-diff .sb-deleted{{background:rgba(220,70,60,.13)}}
 .sb-icon{{width:1.1em;height:1.1em;vertical-align:-.18em;margin-right:.5em;fill:var(--sb-muted)}}
 .sb-icon-folder{{fill:var(--sb-accent)}}
 .sb-list td{{white-space:nowrap}}
 .sb-heading{{color:var(--sb-accent);font-weight:600}}
"""


def _framed() -> str:
    return "".join(f".sandbook-view{rule}\n" for rule in _RULES.strip("\n").split("\n"))


def _strong(rules: str) -> str:
    """Let rules win over those that a notebook has for all HTML: a class counts twice, so."""
    return rules.replace(".sandbook-view", ".sandbook-view.sandbook-view")


FRAGMENT_CSS = _strong(
    f".sandbook-view{{{_NOTEBOOK}}}\n{_framed()}"
    ".sandbook-view .sb-code,.sandbook-view .sb-scroll,.sandbook-view .sb-tree,"
    ".sandbook-view .sb-files{max-height:32em;overflow:auto}\n"
)
PAGE_CSS = (
    f":root{{color-scheme:light dark;{_LIGHT}}}\n"
    f"@media(prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n"
    "body{margin:0;background:var(--sb-bg);font:15px/1.5 system-ui,-apple-system,'Segoe UI',"
    "Roboto,sans-serif}\n"
    ".sandbook-view{max-width:1200px;margin:0 auto;padding:1.2rem 1.5rem 3rem}\n"
    f"{_framed()}"
    ".sandbook-view .sb-head{border-bottom:1px solid var(--sb-line);padding-bottom:.7em}\n"
    ".sandbook-view .sb-name{font-size:1.15em}\n"
    ".sandbook-view .sb-files{max-width:44em}\n"
    ".sandbook-view li.sb-file{display:flex}\n"
    ".sandbook-view li.sb-file .sb-size{margin-left:auto;white-space:nowrap}\n"
)
