"""Makes HTML and Markdown of a sandbox into something that may stand in a front end's page."""

import re
import secrets
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from sandbook.rendering.formulas import unknown_command
from sandbook.rendering.frame import FRAME_MAX, framed_page, needs_frame
from sandbook.rendering.markdown import ALIGNED
from sandbook.rendering.safe import NO_FORMULAS, OwnHtml
from sandbook.rendering.sanitise import is_short, sanitised
from sandbook.rendering.wall import RefusedError

MARKDOWN_MAX = 100_000
"""More takes the event loop of the kernel longer than anybody wants to wait."""
_PROCESSED = "mathjax_process tex2jax_process"
_FORMULA = re.compile(r"(\$\$?)(?![\s$])((?:[^$\\]|\\.){1,2000}?)(?<!\s)\1(?![$\d])", re.S)


def foreign_html(html: str) -> OwnHtml:
    """Sanitise HTML; what would lose scripts or styles by it, or is long, gets a frame.

    Raises:
        RefusedError: It is too large.
    """
    if needs_frame(html) or not is_short(html):
        if len(html) > FRAME_MAX:
            raise RefusedError(
                f"This HTML is too large to be shown: {len(html) / 1e6:.1f} of at most "
                f"{FRAME_MAX / 1e6:.0f} MB. Save it as a file, or show less."
            )
        return OwnHtml(framed_page(html))
    return OwnHtml(f'<div class="{NO_FORMULAS}">{sanitised(html, styled=True)}</div>')


def foreign_markdown(text: str) -> OwnHtml:
    """Render Markdown; formulas in it are typeset if they are plain.

    Raises:
        RefusedError: It is too large.
    """
    if len(text) > MARKDOWN_MAX:
        raise RefusedError(
            f"This Markdown is shown as text: it has {len(text):,} characters, more than "
            f"{MARKDOWN_MAX:,}."
        )
    # A name that nobody can know: only our own parser makes elements that are typeset.
    css_class = f"formula-{secrets.token_hex(16)}"
    html = ALIGNED.sub(r'align="\1"', _PARSER.render(text, {"css_class": css_class}))
    safe = sanitised(html, styled=True, css_class=css_class)
    shown = safe.replace(f'<span class="{css_class}">', f'<span class="{_PROCESSED}">')
    return OwnHtml(f'<div class="{NO_FORMULAS}">{shown}</div>')


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 -- as rules are
    """Keep a formula as it is written, if it is plain."""
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None or unknown_command(found[2]) is not None:
        return False
    if not silent:
        token = state.push("html_inline", "", 0)
        token.content = f'<span class="{state.env["css_class"]}">{escape(found[0])}</span>'
    state.pos = found.end()
    return True


def _parser() -> MarkdownIt:
    parser: Any = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "formula", _formula)
    return parser


_PARSER = _parser()
