"""Where the files of a sandbox are found on this server. Pure."""

import posixpath
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from sandbook.files.paths import to_bytes


@dataclass(frozen=True, slots=True)
class Addresses:
    """Makes addresses for paths of one sandbox."""

    base: str
    """Where this sandbox begins, with a slash at the end."""

    def view(self, path: str, **more: str) -> str:
        """Give the page that shows a file."""
        return f"{self.base}view?{_arguments(path=path, **more)}"

    def raw(self, path: str) -> str:
        """Give the bytes of a file, to show them.

        Steps up are taken here: a browser would take them in the address, and leave the sandbox.
        """
        place = posixpath.normpath(path).lstrip("/")
        return f"{self.base}files/{quote(to_bytes(place))}"

    def download(self, path: str, *, is_folder: bool) -> str:
        """Give a file to save; a folder comes as an archive."""
        if is_folder:
            return f"{self.base}download_files?{_arguments(path=path)}"
        return f"{self.raw(path)}?download=1"


def _arguments(**arguments: str) -> str:
    return urlencode({name: to_bytes(value) for name, value in arguments.items()}, quote_via=quote)
