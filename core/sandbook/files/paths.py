"""Names and paths as the sandbox has them: bytes, of which most are UTF-8. Pure."""

import posixpath

from sandbook.errors import FileError

NAME_LIMIT = 4096


def to_bytes(text: str) -> bytes:
    """Give the bytes of a name, also of one that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """Give a name as text that `to_bytes` takes back, whatever its bytes are."""
    return data.decode("utf-8", "surrogateescape")


def shown(path: str) -> str:
    """Give a name as something that can be printed and encoded."""
    return to_bytes(path).decode("utf-8", "backslashreplace")


def absolute(path: str, cwd: str) -> str:
    """Give the whole path; `..` stays in it, for only the sandbox knows where links lead.

    Raises:
        FileError: No file can have this name.
    """
    if "\0" in path:
        raise FileError("A path cannot contain a NUL character.")
    try:
        to_bytes(path)
    except UnicodeEncodeError as error:
        raise FileError("A path cannot contain half of a character.") from error
    if not path:
        raise FileError("The path is empty. Name a file or a folder.")
    parts = posixpath.join(cwd, path).split("/")
    return "/" + "/".join(part for part in parts if part not in {"", "."})


def member_name(name: str) -> str | None:
    """Give the name of a member of an archive without its frills; `None` if it leads elsewhere."""
    if name.startswith("/") or "\0" in name or len(name) > NAME_LIMIT:
        return None
    parts = [part for part in name.split("/") if part not in {"", "."}]
    return None if ".." in parts else "/".join(parts)


def stays_inside(link: str, target: str) -> bool:
    """Say whether a link of an archive leads to something of the same archive, wherever it lies.

    Only steps up at the beginning count: what is behind a name may be a link itself, so a step up
    from there may lead anywhere.
    """
    if not target or target.startswith("/") or "\0" in target:
        return False
    parts = [part for part in target.split("/") if part not in {"", "."}]
    ups = 0
    while ups < len(parts) and parts[ups] == "..":
        ups += 1
    return ".." not in parts[ups:] and ups <= link.count("/")
