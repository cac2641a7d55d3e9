"""Earlier states of files in folders that sandboxes write to; the states are kept elsewhere."""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync
from jupyter_core.paths import jupyter_data_dir
from jupyter_server.services.contents.filecheckpoints import AsyncFileCheckpoints

from sandbook_server.real_paths import real_path


class LinkSafeCheckpoints(AsyncFileCheckpoints):
    """Keeps earlier states of files in the person's own folder, where no sandbox writes."""

    def checkpoint_path(self, checkpoint_id: str, path: str) -> str:
        """Name the file of a checkpoint, and make the folder for it."""
        root = hashlib.sha256(os.fsencode(real_path(self.root_dir))).hexdigest()[:16]
        parent, _, name = path.strip("/").rpartition("/")
        stem, ending = os.path.splitext(name)  # noqa: PTH122 -- as Jupyter names them
        folder = Path(jupyter_data_dir(), "sandbook", "checkpoints", root, parent)
        with self.perm_to_403():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(folder / f"{stem}-{checkpoint_id}{ending}")

    async def create_checkpoint(self, contents_mgr: Any, path: str) -> dict[str, Any]:
        """Keep a file as it is now."""
        checkpoint = self.checkpoint_path("checkpoint", path)

        def copy() -> None:
            source = contents_mgr.open(contents_mgr._get_os_path(path), "rb")  # noqa: SLF001
            with source as old, Path(checkpoint).open("wb") as new:
                shutil.copyfileobj(old, new)

        await run_sync(copy)
        return await self.checkpoint_model("checkpoint", checkpoint)

    async def restore_checkpoint(self, contents_mgr: Any, checkpoint_id: str, path: str) -> None:
        """Write a file as it was."""
        checkpoint = Path(self.checkpoint_path(checkpoint_id, path))

        def copy() -> None:
            target = contents_mgr.atomic_writing(contents_mgr._get_os_path(path), text=False)  # noqa: SLF001
            with checkpoint.open("rb") as old, target as new:
                shutil.copyfileobj(old, new)

        if not await run_sync(checkpoint.is_file):
            self.no_such_checkpoint(path, checkpoint_id)
        await run_sync(copy)
