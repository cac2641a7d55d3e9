"""Shows what is in a folder as a table, and as `ls` would. Pure."""

import mimetypes
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from sandbook.files.entries import FileInfo
from sandbook.rendering.paging import bytes_amount
from sandbook.rendering.safe import link_html, name_html, name_text
from sandbook.rendering.style import FRAGMENT_CSS

MAX_ROWS = 1000
WIDTH = 100
NANOSECONDS = 10**9
KIND_BITS = {
    "file": stat.S_IFREG,
    "folder": stat.S_IFDIR,
    "link": stat.S_IFLNK,
    "pipe": stat.S_IFIFO,
    "socket": stat.S_IFSOCK,
    "device": stat.S_IFCHR,
}
_ICONS = {
    "folder": "M1 3h5l1.5 2H15v9H1z",
    "file": "M3 1h6v5h5v9H3zM10.5 1 14 4.5h-3.5z",
    "image": "M1 2h14v12H1zm2 10h10l-3.5-5-2.5 3-1.5-1.5zM5 4.5a1.2 1.2 0 1 0 .01 0z",
    "media": "M1 2h14v12H1zm5 2.5v7L12 8z",
    "archive": "M1 2h14v4H1zm1 5h12v7H2zm4 1.5v1.5h4V8.5z",
    "other": "M8 1l7 7-7 7-7-7z",
}
"""What each kind looks like, drawn in a square of 16 by 16."""
_ARCHIVES = {"application/zip", "application/x-tar", "application/x-7z-compressed"}


@dataclass(frozen=True, slots=True)
class Listing:
    """What is in a folder."""

    name: str
    entries: Sequence[FileInfo]
    long: bool = False
    """With mode and owner."""

    @property
    def rest(self) -> str:
        """Say what is not shown; empty where all is."""
        more = len(self.entries) - MAX_ROWS
        return f"… and {_count(more)} more" if more > 0 else ""


def table_html(listing: Listing, view_of: Callable[[str], str] | None = None) -> str:
    """Show names with icons and links, sizes and times."""
    facts = _count(len(listing.entries))
    head = '<th>Name</th><th class="sb-right">Size</th><th>Modified</th>'
    head += "<th>Mode</th><th>Owner</th>" if listing.long else ""
    rows = "".join(_row(info, listing, view_of) for info in listing.entries[:MAX_ROWS])
    note = f'<p class="sb-note">{listing.rest}</p>' if listing.rest else ""
    table = f'<table class="sb-table sb-list"><thead><tr>{head}</tr></thead>{rows}</table>'
    html = (
        f'<div class="sandbook-view"><style>{FRAGMENT_CSS}</style><header class="sb-head">'
        f'<span class="sb-name">{name_html(listing.name)}</span>'
        f'<span class="sb-facts">{facts}</span></header>'
        f'{f"""<div class="sb-scroll">{table}</div>""" if rows else ""}{note}</div>'
    )
    return html.encode("utf-8", "replace").decode()


def table_text(listing: Listing) -> str:
    """Write the same as `ls` or `ls -l` does."""
    shown = listing.entries[:MAX_ROWS]
    lines = _long(shown) if listing.long else _columns([_name(info) for info in shown])
    return "\n".join([*lines, *([listing.rest] if listing.rest else [])])


def _count(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries:,} entries"


def _row(info: FileInfo, listing: Listing, view_of: Callable[[str], str] | None) -> str:
    name = name_html(info.name) + ("/" if info.is_folder else "")
    name = link_html(view_of(info.name), name) if view_of else name
    if info.kind == "link":
        name += f' <span class="sb-muted">{_end(info)}</span>'
    found = info.followed
    size = bytes_amount(found.size) if found.kind == "file" else ""
    cells = [f"<td>{_icon(info)}{name}</td>", f'<td class="sb-right">{size}</td>']
    cells.append(f'<td class="sb-muted">{_time(info)}</td>')
    if listing.long:
        owner = escape(name_text(f"{info.owner}:{info.group}"))
        cells.append(f"<td><code>{_mode(info)}</code></td><td>{owner}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _end(info: FileInfo) -> str:
    """Say where a link leads, as far as that is known."""
    if info.is_broken:
        return "broken link"
    return f"→ {name_html(info.target)}" if info.target else "link"


def _icon(info: FileInfo) -> str:
    kind = _kind(info)
    return (
        f'<svg class="sb-icon sb-icon-{kind}" viewBox="0 0 16 16" role="img" aria-label="{kind}">'
        f'<path fill-rule="evenodd" d="{_ICONS[kind]}"/></svg>'
    )


def _kind(info: FileInfo) -> str:
    found = info.followed
    if found.kind != "file":
        return "folder" if found.kind == "folder" else "other"
    media_type, packed = mimetypes.guess_type(info.name)
    first = (media_type or "").partition("/")[0]
    if packed or media_type in _ARCHIVES:
        return "archive"
    return {"image": "image", "video": "media", "audio": "media"}.get(first, "file")


def _long(entries: Sequence[FileInfo]) -> list[str]:
    rows = [
        (_mode(info), info.owner, info.group, str(info.size), _time(info), _name(info))
        for info in entries
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        f"{mode} {owner:<{widths[1]}} {group:<{widths[2]}} {size:>{widths[3]}} {when} {name}"
        for mode, owner, group, size, when, name in rows
    ]


def _columns(names: Sequence[str]) -> list[str]:
    """Fill columns from top to bottom, as many as fit."""
    for rows in range(1, len(names) + 1):
        columns = [names[start : start + rows] for start in range(0, len(names), rows)]
        widths = [max(map(len, column)) + 2 for column in columns]
        if sum(widths) - 2 <= WIDTH or rows == len(names):
            return [
                "".join(
                    f"{column[row]:<{width}}"
                    for column, width in zip(columns, widths, strict=True)
                    if row < len(column)
                ).rstrip()
                for row in range(rows)
            ]
    return []


def _name(info: FileInfo) -> str:
    name = name_text(info.name)
    if info.kind == "link":
        return f"{name}@"
    return f"{name}/" if info.kind == "folder" else name


def _mode(info: FileInfo) -> str:
    return stat.filemode(KIND_BITS[info.kind] | info.mode)


def _time(info: FileInfo) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(info.modified_ns / NANOSECONDS))
