"""Shows what is in a folder or an archive, as a tree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sandbook.rendering.archive_members import members_of
from sandbook.rendering.hexdump import render_hexdump
from sandbook.rendering.paging import bytes_amount, page_of, shortened
from sandbook.rendering.safe import link_html, name_html, name_text
from sandbook.rendering.source import Entry, Links, Part, Source, View

ENTRIES_PER_PAGE = 1000
MAX_DEPTH = 30
OPEN_ENTRIES = 100
"""Larger trees are folded at first."""


@dataclass(slots=True)
class _Node:
    entry: Entry
    children: "dict[str, _Node]" = field(default_factory=dict[str, "_Node"])


def render_folder(source: Source, view: View) -> Part:
    """Show the entries that the caller found."""
    return _listing(source.entries, view)


def render_archive(source: Source, view: View) -> Part:
    """List an archive; what cannot be listed is shown byte by byte."""
    members = members_of(source.type.media_type, source.data)
    if members.problem and not members.found:
        part = render_hexdump(source, view)
        return replace(part, note=f"This archive cannot be listed: {members.problem}.")
    entries = [
        Entry(one.name, one.is_folder, None if one.is_folder else one.size, one.target)
        for one in members.found
    ]
    part = _listing(entries, View(view.surface, view.page))
    unpacked = bytes_amount(sum(entry.size or 0 for entry in entries))
    note = f"There may be more in it: {members.problem}." if members.problem else ""
    return replace(part, facts=[*part.facts, f"{unpacked} unpacked"], note=note)


def _listing(entries: Sequence[Entry], view: View) -> Part:
    part = page_of(len(entries), ENTRIES_PER_PAGE, view.page)
    shown = part.of(entries)
    if not shown:
        return Part('<p class="sb-muted">It is empty.</p>', "(empty)", ["empty"])
    root = _tree(shown)
    unfolded = len(shown) <= OPEN_ENTRIES
    body = f'<div class="sb-files">{_html(root, view.links, unfolded=unfolded)}</div>'
    facts = ["1 entry" if len(entries) == 1 else f"{len(entries):,} entries"]
    plain = shortened("\n".join(_plain(root, "")))
    return Part(body, plain, facts, pages=part.pages, page=part.page)


def _tree(entries: Iterable[Entry]) -> _Node:
    root = _Node(Entry("", is_folder=True))
    for entry in entries:
        node = root
        names = _names(entry.path)
        for depth, name in enumerate(names, 1):
            above = Entry("/".join(names[:depth]), is_folder=True)
            node = node.children.setdefault(name, _Node(above))
        if names:
            node.entry = entry
    return root


def _names(path: str) -> list[str]:
    """Split a path into as many names as the tree may be deep."""
    names = [name for name in path.split("/") if name not in {"", "."}]
    deep = names[MAX_DEPTH:]
    return [*names[:MAX_DEPTH], "/".join(deep)] if deep else names


def _sorted(node: _Node) -> list[tuple[str, _Node]]:
    """Folders first, then by name."""
    return sorted(node.children.items(), key=lambda item: (not _is_folder(item[1]), item[0]))


def _is_folder(node: _Node) -> bool:
    return node.entry.is_folder or bool(node.children)


def _html(node: _Node, links: Links, *, unfolded: bool) -> str:
    items = (_item(name, child, links, unfolded=unfolded) for name, child in _sorted(node))
    return f"<ul>{''.join(items)}</ul>"


def _item(name: str, node: _Node, links: Links, *, unfolded: bool) -> str:
    entry = node.entry
    shown = name_html(name) + ("/" if _is_folder(node) else "")
    if links.view_of is not None:
        shown = link_html(links.view_of(entry.path), shown)
    if entry.target:
        shown += f' <span class="sb-muted">→ {name_html(entry.target)}</span>'
    if entry.size is not None:
        shown += f'<span class="sb-size">{bytes_amount(entry.size)}</span>'
    if not node.children:
        css_class = "sb-folder" if entry.is_folder else "sb-file"
        return f'<li class="{css_class}">{shown}</li>'
    state = " open" if unfolded else ""
    inside = _html(node, links, unfolded=unfolded)
    return (
        f'<li class="sb-folder"><details{state}><summary>{shown}</summary>{inside}</details></li>'
    )


def _plain(node: _Node, indent: str) -> Iterable[str]:
    for name, child in _sorted(node):
        slash = "/" if _is_folder(child) else ""
        target = f" → {name_text(child.entry.target)}" if child.entry.target else ""
        size = f"  {bytes_amount(child.entry.size)}" if child.entry.size is not None else ""
        yield f"{indent}{name_text(name)}{slash}{target}{size}"
        yield from _plain(child, f"{indent}  ")
