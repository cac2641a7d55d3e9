"""Where a server shows and gives the files of a sandbox. Pure."""

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from sandbook.files.paths import to_bytes
from sandbook.rendering.source import Links


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of one sandbox below the base URL of a server."""

    base_url: str
    sandbox_id: str

    def view(self, path: str, page: int = 1, lines: tuple[int, int] | None = None) -> str:
        """Name the page that shows a file, or some lines of it."""
        number = f"&page={page}" if page > 1 else ""
        chosen = f"&lines={lines[0]}:{lines[1]}" if lines else ""
        return f"{self._root}/view?path={_quoted(path)}{chosen}{number}"

    def raw(self, path: str) -> str:
        """Name the bytes of a file.

        Steps up are taken here: a browser would take them in the address, and leave the sandbox.
        """
        place = posixpath.normpath(path).lstrip("/")
        return f"{self._root}/files/{_quoted(place)}"

    def download(self, path: str, *, is_folder: bool = False) -> str:
        """Name the bytes of a file as something to save; a folder as a zip archive."""
        if is_folder:
            return f"{self._root}/download_files?path={_quoted(path)}"
        return f"{self.raw(path)}?download=1"

    def links(
        self, path: str, *, is_folder: bool = False, lines: tuple[int, int] | None = None
    ) -> Links:
        """Tell where a reader can go from a file or a folder."""
        folder = path if is_folder else posixpath.dirname(path)
        return Links(
            raw="" if is_folder else self.raw(path),
            download=self.download(path, is_folder=is_folder),
            viewer=self.view(path),
            page=lambda number: self.view(path, number, lines),
            view_of=_from(folder, self.view),
            raw_of=_from(folder, self.raw),
        )

    @property
    def _root(self) -> str:
        return f"{self.base_url.rstrip('/')}/sandbook/{quote(self.sandbox_id, safe='')}"


def _from(folder: str, address: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: address(posixpath.normpath(posixpath.join(folder, name)))


def _quoted(path: str) -> str:
    return quote(to_bytes(path), safe="/")
