"""Earlier states of files that somebody edits, kept on the server and out of their folders."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import IO, Any

from jupyter_server.services.contents.checkpoints import AsyncCheckpoints
from traitlets import Instance

from sandbook.errors import PathNotFoundError
from sandbook.files.paths import shown
from sandbook.files.workspace import WorkspaceFiles

CHECKPOINT_ID = "checkpoint"
"""Of each file there is one, as with Jupyter's own."""
MOST_FILES = 100
MOST_BYTES = 256 << 20
PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The bytes of a file at a moment, in a file without a name."""

    spool: IO[bytes]
    size: int
    made: datetime

    async def pieces(self) -> AsyncIterator[bytes]:
        """Give the bytes."""
        self.spool.seek(0)
        while piece := await asyncio.to_thread(self.spool.read, PIECE):
            yield piece


class CheckpointStore:
    """Those of one sandbox; when they become too many, the oldest go."""

    def __init__(self, most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES) -> None:
        self._kept: dict[str, Checkpoint] = {}
        self._most_files = most_files
        self._most_bytes = most_bytes

    async def take(self, files: WorkspaceFiles, path: str) -> Checkpoint:
        """Keep a file as it is now, in place of an earlier state.

        Raises:
            TooLargeError: It alone is more than can be kept.
        """
        with contextlib.ExitStack() as undo:
            spool = undo.enter_context(tempfile.TemporaryFile())
            async with files.open(path, limit=self._most_bytes) as reader:
                async for piece in reader.pieces:
                    await asyncio.to_thread(spool.write, piece)
            undo.pop_all()
        self.drop(path)
        made = Checkpoint(spool, reader.length, datetime.now(timezone.utc))
        self._kept[path] = made
        self._make_room()
        return made

    def find(self, path: str) -> Checkpoint | None:
        """Return the checkpoint of a file, if there is one."""
        return self._kept.get(path)

    def move(self, source: str, target: str) -> None:
        """Follow a file, or all that is in a folder, to its new name."""
        for path in self._below(source):
            kept = self._kept.pop(path)
            self.drop(target + path[len(source) :])
            self._kept[target + path[len(source) :]] = kept

    def drop(self, path: str) -> None:
        """Forget a file, or all that is in a folder."""
        for found in self._below(path):
            self._kept.pop(found).spool.close()

    def close(self) -> None:
        """Forget everything."""
        while self._kept:
            self._kept.popitem()[1].spool.close()

    def _below(self, path: str) -> list[str]:
        return [kept for kept in self._kept if kept == path or kept.startswith(f"{path}/")]

    def _make_room(self) -> None:
        while (
            len(self._kept) > self._most_files
            or sum(each.size for each in self._kept.values()) > self._most_bytes
        ):
            self.drop(next(iter(self._kept)))


class SandboxCheckpoints(AsyncCheckpoints):
    """The same, as Jupyter's contents API wants them."""

    store = Instance(CheckpointStore)
    files = Instance(WorkspaceFiles)

    async def create_checkpoint(self, contents_mgr: Any, path: str) -> dict[str, Any]:
        """Keep the file as it is now."""
        del contents_mgr
        path = absolute(path)
        return _model(await self.store.take(self.files, path))

    async def restore_checkpoint(self, contents_mgr: Any, checkpoint_id: str, path: str) -> None:
        """Write the file as it was."""
        del contents_mgr
        path = absolute(path)
        kept = self._find(checkpoint_id, path)
        await self.files.write_stream(path, kept.pieces())

    async def list_checkpoints(self, path: str) -> list[dict[str, Any]]:
        """Tell about the one that there is, or none."""
        kept = self.store.find(absolute(path))
        return [_model(kept)] if kept else []

    async def delete_checkpoint(self, checkpoint_id: str, path: str) -> None:
        """Forget it."""
        path = absolute(path)
        self._find(checkpoint_id, path)
        self.store.drop(path)

    async def rename_all_checkpoints(self, old_path: str, new_path: str) -> None:
        """Follow a file or a folder."""
        self.store.move(absolute(old_path), absolute(new_path))

    async def delete_all_checkpoints(self, path: str) -> None:
        """Forget those of a file, or of all that was in a folder."""
        self.store.drop(absolute(path))

    def _find(self, checkpoint_id: str, path: str) -> Checkpoint:
        kept = self.store.find(path)
        if kept is None or checkpoint_id != CHECKPOINT_ID:
            raise PathNotFoundError(f"{shown(path)}@{checkpoint_id}")
        return kept


def absolute(path: str) -> str:
    """Give the path in the sandbox: the root of the API is the root there."""
    return "/" + path.strip("/")


def _model(kept: Checkpoint) -> dict[str, Any]:
    return {"id": CHECKPOINT_ID, "last_modified": kept.made}
