"""What is to be shown, and how."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sandbook.files.encoding import Encoding
from sandbook.files.mime import FileType


class Surface(str, Enum):
    """Where something is shown."""

    PAGE = "page"
    """A document of its own, in the viewer."""
    NOTEBOOK = "notebook"
    """The output of a cell, among others."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a folder."""

    path: str
    """Relative to the folder, with `/` between its parts."""
    is_folder: bool = False
    size: int | None = None
    target: str = ""
    """Where it leads, if it is a symbolic link."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or as much of it as was read."""

    name: str
    type: FileType
    data: bytes = b""
    size: int | None = None
    """How large the file is; `None` where the data is all of it."""
    offset: int = 0
    """Where in the file the data begins."""
    first_line: int = 1
    """Which line of a text the data begins with."""
    entries: Sequence[Entry] = ()
    """What a folder has in it."""

    @property
    def full_size(self) -> int:
        """Tell how many bytes the file has."""
        return len(self.data) if self.size is None else self.size

    @property
    def is_cut(self) -> bool:
        """Tell whether the file goes on behind the data."""
        return self.offset + len(self.data) < self.full_size

    @property
    def text(self) -> str:
        """Read the data as the text that it is."""
        return (self.type.encoding or Encoding()).decode(self.data)


@dataclass(frozen=True, slots=True)
class Links:
    """Where a reader can go from here; what is not given is not offered.

    Paths are handed over as they are, relative to the file or the folder that is shown; to encode
    them for an address is for whoever makes it.
    """

    raw: str = ""
    """The bytes of the file, as something to show."""
    viewer: str = ""
    """The page of the viewer that shows the file; offered in notebooks."""
    page: Callable[[int], str] | None = None
    """Another page of the file, counted from 1."""
    view_of: Callable[[str], str] | None = None
    """The viewer of a path: an entry of a folder, or what a document links to."""
    raw_of: Callable[[str], str] | None = None
    """The bytes of a path: a picture in a document."""
    download: str = ""
    """The file as something to save; `raw` where it is not given."""
    folder: str = ""
    """The viewer of the folder in which it is."""


@dataclass(frozen=True, slots=True)
class View:
    """How a reader wants to see something."""

    surface: Surface = Surface.PAGE
    page: int = 1
    lines: tuple[int, int] | None = None
    """Only these lines of a text, both included."""
    links: Links = field(default_factory=Links)
    embeds: bool = False
    """Documents may be embedded: the page is served with `object-src` and without `sandbox`."""

    @property
    def is_page(self) -> bool:
        """Tell whether this is a document of its own."""
        return self.surface is Surface.PAGE


@dataclass(frozen=True, slots=True)
class Part:
    """What the renderer of one kind makes: the middle of what is shown."""

    body: str
    plain: str
    facts: Sequence[str] = ()
    """What is said about the file beside its name."""
    note: str = ""
    """What is said about that which is not shown."""
    pages: int = 1
    page: int = 1
