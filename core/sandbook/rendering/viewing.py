"""Shows a file of a sandbox: reads as much of it as is wanted, and renders it in a thread."""

import asyncio
from collections import deque
from dataclasses import dataclass, replace

from sandbook.errors import FileError, NotAFileError, SandboxError
from sandbook.files.entries import Glance
from sandbook.files.lines import SCAN_MAX, find_line
from sandbook.files.mime import FileType, Kind, folder_type, identify
from sandbook.files.paths import shown
from sandbook.files.workspace import WorkspaceFiles
from sandbook.rendering.code import line_count
from sandbook.rendering.paging import amount, bytes_amount
from sandbook.rendering.render import Rendered, bytes_wanted, render
from sandbook.rendering.source import Entry, Source, View

MAX_ENTRIES = 2000
MAX_FOLDERS = 50
"""How many folders are looked into below the one that is shown."""
MAX_EMBEDDED = 8_000_000
"""How large a film or sound may be that is part of what shows it."""
PLAYED = {Kind.VIDEO, Kind.AUDIO}
NEVER_FOLLOWED = {".git", "node_modules", "__pycache__", ".venv"}


@dataclass(frozen=True, slots=True)
class Viewed:
    """A file, as it was read, and as it is shown."""

    source: Source
    rendered: Rendered


async def view_file(files: WorkspaceFiles, path: str, view: View) -> Viewed:
    """Show a file or a folder.

    Raises:
        FileError: It cannot be read, or has no such lines.
    """
    source = await read_source(files, path, view)
    return Viewed(source, await asyncio.to_thread(render, source, view))


async def read_source(files: WorkspaceFiles, path: str, view: View) -> Source:
    """Read as much of a file as its renderer wants."""
    path = files.absolute(path)
    info = (await files.stat(path)).followed
    if info.kind == "folder":
        if view.lines is not None:
            raise _lineless(path, folder_type())
        return Source(path, folder_type(), entries=await _tree(files, path))
    if info.kind != "file":
        raise NotAFileError(shown(path))
    return await read_file(files, path, view)


async def read_file(files: WorkspaceFiles, path: str, view: View) -> Source:
    """Read as much of what is no folder; of any text its lines, where those are asked for.

    Raises:
        FileError: It has no lines, or not so many.
    """
    seen = await files.look(path)
    found = await asyncio.to_thread(identify, path, seen.head, is_whole=seen.is_whole)
    if view.lines is not None:
        return await _lines(files, path, found, seen, view.lines)
    start, count = _range(found, seen.size, view)
    data = await _part(files, path, seen, start, count)
    return Source(path, found, data, seen.size, start)


async def _lines(
    files: WorkspaceFiles, path: str, found: FileType, seen: Glance, lines: tuple[int, int]
) -> Source:
    """Read a text from the first of some lines on, or from its beginning if that has all."""
    if found.encoding is None:
        raise _lineless(path, found)
    count = bytes_wanted(Kind.CODE)[1]
    source = Source(
        path,
        replace(found, kind=Kind.CODE),
        await _part(files, path, seen, 0, count),
        seen.size,
    )
    total = line_count(source.text)
    if source.is_cut and lines[1] >= total:  # the last one may be cut
        start = await find_line(files, path, lines[0], found.encoding)
        if start >= 0:
            data = await _part(files, path, seen, start, count)
            return replace(source, data=data, offset=start, first_line=lines[0])
        total = -start
    elif lines[0] <= total:
        return source
    whole = f"the first {bytes_amount(SCAN_MAX)}" if seen.size > SCAN_MAX else "it"
    raise FileError(
        f"{shown(path)!r} has no line {lines[0]:,}: {whole} has {amount(total, 'line')}."
    )


async def _part(files: WorkspaceFiles, path: str, seen: Glance, start: int, count: int) -> bytes:
    if start + count <= len(seen.head) or seen.is_whole:
        return seen.head[start : start + count]
    return await files.read(path, start, min(count, max(0, seen.size - start)))


def _lineless(path: str, found: FileType) -> FileError:
    return FileError(f"{shown(path)!r} has no lines: it is {found.media_type}. Leave them out.")


def _range(kind: FileType, size: int, view: View) -> tuple[int, int]:
    if kind.kind in PLAYED and not view.links.raw:
        return 0, MAX_EMBEDDED if size <= MAX_EMBEDDED else 0
    return bytes_wanted(kind.kind, view.page, size)


async def _tree(files: WorkspaceFiles, path: str) -> list[Entry]:
    """Find what is in a folder and below, the nearest first, until it is enough."""
    entries: list[Entry] = []
    waiting = deque([""])
    for _ in range(MAX_FOLDERS):
        if not waiting or len(entries) >= MAX_ENTRIES:
            break
        folder = waiting.popleft()
        try:
            found = await files.list_folder(f"{path}/{folder}" if folder else path)
        except SandboxError:
            if not folder:
                raise
            continue  # gone meanwhile, or not for this user
        for info in found:
            name = f"{folder}/{info.name}" if folder else info.name
            size = info.followed.size if info.followed.kind == "file" else None
            entries.append(Entry(name, info.is_folder, size, info.target))
            if info.kind == "folder" and info.name not in NEVER_FOLLOWED:
                waiting.append(name)
    return entries
