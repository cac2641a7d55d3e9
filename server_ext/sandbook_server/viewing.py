"""Reads as much of a file as is to be shown, and has it rendered."""

import asyncio
import posixpath
from dataclasses import dataclass, replace
from types import ModuleType
from weakref import WeakKeyDictionary

from sandbook.files.entries import FileInfo
from sandbook.files.mime import Kind, folder_type
from sandbook.files.workspace import WorkspaceFiles
from sandbook.rendering.source import Entry, Links, Source, View
from sandbook_server.addresses import Addresses

RENDERERS = 2
"""So many files are rendered at once: each may take some memory and a processor."""
READERS = 2
"""So many of one sandbox are read at once; it may be slow, or paused, but holds up no other."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to see of a file."""

    path: str
    page: int = 1
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What is sent to a browser."""

    html: str
    embeds: bool
    """A document is embedded, which browsers refuse where a page is sandboxed."""


class Viewer:
    """Makes pages, a few at a time, without holding up anybody else."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(RENDERERS)
        self._readers: WeakKeyDictionary[WorkspaceFiles, asyncio.Semaphore] = WeakKeyDictionary()

    async def page(self, files: WorkspaceFiles, wish: Wish, addresses: Addresses) -> Page:
        """Make the page that shows a file or a folder."""
        rendering = await asyncio.to_thread(_load)
        readers = self._readers.setdefault(files, asyncio.Semaphore(READERS))
        async with readers:
            is_folder = (await files.stat(wish.path)).is_folder
            links = _links(wish, addresses, is_folder=is_folder)
            view = View(page=wish.page, lines=wish.lines, links=links)
            if is_folder:
                source = await _folder(files, wish.path)
            else:
                source = await rendering.read_file(files, wish.path, view)
            async with self._turns:
                embeds = source.type.kind is Kind.PDF
                view = replace(view, embeds=embeds)
                rendered = await asyncio.to_thread(rendering.render, source, view)
                return Page(rendered.html, embeds)


def _load() -> ModuleType:
    """Load all that can show something: too much for servers that never do."""
    from sandbook.rendering import viewing  # noqa: PLC0415 -- as said

    return viewing


async def _folder(files: WorkspaceFiles, path: str) -> Source:
    entries = [_entry(info) for info in await files.list_folder(path)]
    return Source(path, folder_type(), entries=entries)


def _entry(info: FileInfo) -> Entry:
    found = info.followed
    return Entry(info.name, info.is_folder, found.size if found.kind == "file" else None)


def _links(wish: Wish, addresses: Addresses, *, is_folder: bool) -> Links:
    above = posixpath.dirname(wish.path)
    folder = wish.path if is_folder else above
    lines = {"lines": f"{wish.lines[0]}:{wish.lines[1]}"} if wish.lines else {}
    return Links(
        folder="" if wish.path == "/" else addresses.view(above),
        raw="" if is_folder else addresses.raw(wish.path),
        download=addresses.download(wish.path, is_folder=is_folder),
        page=lambda number: addresses.view(wish.path, **lines, page=str(number)),
        view_of=lambda path: addresses.view(posixpath.join(folder, path)),
        raw_of=lambda path: addresses.raw(posixpath.join(folder, path)),
    )
