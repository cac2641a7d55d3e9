"""Shows a unified diff in colours: as HTML, and for terminals. Pure."""

from sandbook.rendering.paging import amount
from sandbook.rendering.safe import content_html, content_text, name_html
from sandbook.rendering.style import FRAGMENT_CSS

MAX_LINES = 500
_KINDS = {"+": ("sb-inserted", "32"), "-": ("sb-deleted", "31"), "@": ("sb-muted", "36")}


def diff_html(path: str, said: str, diff: str, *, folded: bool = False) -> str:
    """Show what has become of a file: a sentence, and the lines that changed."""
    head = (
        f'<header class="sb-head"><span class="sb-name">{name_html(path)}</span>'
        f'<span class="sb-facts">{content_html(said)}</span></header>'
    )
    lines = "".join(map(_html, _shown(diff)))
    body = f'<pre class="sb-code sb-diff">{lines}</pre>' if lines else ""
    if body and folded:
        body = f"<details><summary>What is in it</summary>{body}</details>"
    return f'<div class="sandbook-view"><style>{FRAGMENT_CSS}</style>{head}{body}</div>'


def diff_ansi(diff: str) -> str:
    """Show the lines that changed in a terminal."""
    return "\n".join(map(_ansi, _shown(diff)))


def counted(diff: str) -> str:
    """Say how many lines came and went, with a sign before each."""
    lines = diff.split("\n")[2:]
    more, less = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    both = [f"+{amount(more, 'line')}" if more else "", f"−{amount(less, 'line')}" if less else ""]  # noqa: RUF001
    return ", ".join(filter(None, both))


def _shown(diff: str) -> list[str]:
    """Leave the names out, which are told beside it, and what is too much."""
    lines = diff.split("\n")[2:]
    rest = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], f"@ {amount(rest, 'more line')}"] if rest > 0 else lines


def _html(line: str) -> str:
    css_class = f" {_KINDS[line[0]][0]}" if line[:1] in _KINDS else ""
    return f'<span class="sb-line{css_class}">{content_html(line)}\n</span>'


def _ansi(line: str) -> str:
    plain = content_text(line)
    return f"\x1b[{_KINDS[line[0]][1]}m{plain}\x1b[0m" if line[:1] in _KINDS else plain
