"""Shows a file of a sandbox: reads as much of it as is wanted, and renders it in a thread."""

import asyncio
from collections import deque
from dataclasses import dataclass

from sandbook.errors import NotAFileError, SandboxError
from sandbook.files.mime import FileType, Kind, folder_type, identify
from sandbook.files.paths import shown
from sandbook.files.workspace import WorkspaceFiles
from sandbook.rendering.render import Rendered, bytes_wanted, render, with_lines
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
    if view.lines is not None:
        source = with_lines(source, view.lines[0])
    return Viewed(source, await asyncio.to_thread(render, source, view))


async def read_source(files: WorkspaceFiles, path: str, view: View) -> Source:
    """Read as much of a file as its renderer wants."""
    path = files.absolute(path)
    info = (await files.stat(path)).followed
    if info.kind == "folder":
        return Source(path, folder_type(), entries=await _tree(files, path))
    if info.kind != "file":
        raise NotAFileError(shown(path))
    seen = await files.look(path)
    kind = await asyncio.to_thread(identify, path, seen.head, is_whole=seen.is_whole)
    start, count = _range(kind, seen.size, view)
    if start + count <= len(seen.head) or seen.is_whole:
        return Source(path, kind, seen.head[start : start + count], seen.size, start)
    data = await files.read(path, start, min(count, max(0, seen.size - start)))
    return Source(path, kind, data, seen.size, start)


def _range(kind: FileType, size: int, view: View) -> tuple[int, int]:
    if kind.kind in PLAYED and not view.links.raw:
        return 0, MAX_EMBEDDED if size <= MAX_EMBEDDED else 0
    return bytes_wanted(Kind.CODE if view.lines else kind.kind, view.page)


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
