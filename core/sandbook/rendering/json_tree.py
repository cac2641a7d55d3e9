"""Shows JSON as a tree that can be folded."""

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

from sandbook.rendering.code import render_code
from sandbook.rendering.paging import amount, page_of, shortened
from sandbook.rendering.safe import content_html
from sandbook.rendering.source import Part, Source, View

ITEMS_PER_PAGE = 200
MAX_NODES = 5_000
MAX_DEPTH = 40
MAX_TEXT = 2_000
NODE_TEXT = 100
"""So many characters count as a node: some take forty times their room when they are shown."""
OPEN_DEPTH = 2
"""How deep the tree is unfolded at first."""
PRETTY_LENGTH = 200_000

Pairs = Sequence[tuple[str | int, Any]]


Number = bytes
"""A number as it was written: none of its digits gets lost, and making it takes no time."""


class Unread(str):
    """A line that is no JSON."""

    __slots__ = ()


def render_json(source: Source, view: View) -> Part:
    """Show a document, or many of them one a line; what cannot be parsed is shown as text."""
    if view.lines:
        return render_code(source, view)
    text = source.text.removeprefix("\ufeff")
    if source.type.media_type == "application/x-ndjson":
        return _lines(source, view, text)
    try:
        value = _loads(text)
    except (ValueError, RecursionError):
        return render_code(source, view)
    pairs = _pairs_of(value)
    if pairs is None:
        return Part(f'<div class="sb-tree">{_leaf(value)}</div>', shortened(text))
    return _paged(value, pairs, view, _pretty(text))


def _lines(source: Source, view: View, text: str) -> Part:
    """Read the lines of one page; nobody knows how many others there are time for."""
    lines = [line for line in text.split("\n") if line.strip()]
    if source.is_cut and not text.endswith("\n"):
        lines = lines[:-1]
    if not lines or isinstance(_line(lines[0]), Unread):
        return render_code(source, view)
    return _paged(lines, list(enumerate(lines)), view, text, read=_line)


def _paged(
    value: Any, pairs: Pairs, view: View, plain: str, read: Callable[[Any], Any] = lambda one: one
) -> Part:
    part = page_of(len(pairs), ITEMS_PER_PAGE, view.page)
    some = f"Entries {part.start + 1:,}–{part.end:,} of {len(pairs):,}."  # noqa: RUF001
    shown = [(key, read(one)) for key, one in part.of(pairs)]
    body = f'<div class="sb-tree">{Tree().top(value, shown)}</div>'
    note = some if part.pages > 1 else ""
    return Part(body, shortened(plain), [_summary(value)], note, part.pages, part.page)


class Tree:
    """Writes nodes until there are too many of them."""

    def __init__(self) -> None:
        self._left = MAX_NODES

    def html(self, value: Any) -> str:
        """Show a value that was parsed already."""
        pairs = _pairs_of(value)
        shown = _leaf(value) if pairs is None else self.top(value, pairs)
        return f'<div class="sb-tree">{shown}</div>'

    def top(self, value: Any, pairs: Pairs) -> str:
        """Show some of what is in a value."""
        inside = self._children(pairs, 1)
        return f"<details open><summary>{_summary_html(value)}</summary>{inside}</details>"

    def _children(self, pairs: Pairs, depth: int) -> str:
        most = min(ITEMS_PER_PAGE, max(0, self._left))
        shown = [self._node(key, value, depth) for key, value in pairs[:most]]
        more = len(pairs) - len(shown)
        if more > 0:
            shown.append(f'<li class="sb-muted">… {more:,} more</li>')
        return f"<ul>{''.join(shown)}</ul>"

    def _node(self, key: str | int, value: Any, depth: int) -> str:
        self._left -= 1 + (len(value) // NODE_TEXT if isinstance(value, str) else 0)
        css_class = "sb-muted" if isinstance(key, int) else "sb-key"
        name = f'<span class="{css_class}">{content_html(str(key)[:MAX_TEXT])}</span>: '
        pairs = _pairs_of(value)
        if not pairs:
            return f"<li>{name}{_leaf(value)}</li>"
        if depth >= MAX_DEPTH or self._left <= 0:
            return f"<li>{name}{_summary_html(value)}</li>"
        state = " open" if depth < OPEN_DEPTH else ""
        inside = self._children(pairs, depth + 1)
        return (
            f"<li><details{state}><summary>{name}{_summary_html(value)}</summary>{inside}"
            "</details></li>"
        )


def _line(text: str) -> Any:
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        return Unread(text)


def _loads(text: str) -> Any:
    return json.loads(text, parse_int=str.encode, parse_float=str.encode, parse_constant=str.encode)


def _pretty(text: str) -> str:
    if len(text) > PRETTY_LENGTH:
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def _pairs_of(value: Any) -> Pairs | None:
    """List what is in an object or an array; `None` for anything else."""
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value).items())
    if isinstance(value, list):
        return list(enumerate(cast("list[Any]", value)))
    return None


def _summary(value: Any) -> str:
    size = len(value)
    return amount(size, "key") if isinstance(value, dict) else amount(size, "item")


def _summary_html(value: Any) -> str:
    braces = "{}" if isinstance(value, dict) else "[]"
    return f'<span class="sb-muted">{braces[0]} {_summary(value)} {braces[1]}</span>'


def _leaf(value: Any) -> str:
    if isinstance(value, Unread):
        return f'<span class="sb-muted">{_cut(value)}</span>'
    if isinstance(value, str):
        return f'<span class="sb-string">"{_cut(value)}"</span>'
    if isinstance(value, Number):
        return f'<span class="sb-number">{_cut(value.decode())}</span>'
    css_class = "sb-number" if type(value) in {int, float} else "sb-keyword"
    return f'<span class="{css_class}">{content_html(json.dumps(value))}</span>'


def _cut(text: str) -> str:
    return content_html(text[:MAX_TEXT]) + ("…" if len(text) > MAX_TEXT else "")
