"""What a file is: by what it holds first, and by its name second. Pure."""

import json
import mimetypes
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath
from typing import Any

from pygments.lexers import find_lexer_class_by_name, find_lexer_class_for_filename
from pygments.util import ClassNotFound

from sandbook.files.encoding import Encoding, encoding_of
from sandbook.files.entries import HEAD_LENGTH
from sandbook.files.magic_numbers import media_type_of

__all__ = ["HEAD_LENGTH", "FileType", "Kind", "folder_type", "identify"]


class Kind(str, Enum):
    """What viewers know how to show."""

    IMAGE = "image"
    SVG = "svg"
    PDF = "pdf"
    VIDEO = "video"
    AUDIO = "audio"
    MARKDOWN = "markdown"
    TABLE = "table"
    JSON = "json"
    NOTEBOOK = "notebook"
    CODE = "code"
    ARCHIVE = "archive"
    FOLDER = "folder"
    HTML = "html"
    TEXT = "text"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class FileType:
    """What a file is."""

    kind: Kind
    media_type: str
    encoding: Encoding | None = None
    """`None` where it is binary."""
    language: str = ""
    """What Pygments calls the language of code."""


_TEXTS = {
    ".md": (Kind.MARKDOWN, "text/markdown"),
    ".markdown": (Kind.MARKDOWN, "text/markdown"),
    ".csv": (Kind.TABLE, "text/csv"),
    ".tsv": (Kind.TABLE, "text/tab-separated-values"),
    ".tab": (Kind.TABLE, "text/tab-separated-values"),
    ".json": (Kind.JSON, "application/json"),
    ".geojson": (Kind.JSON, "application/geo+json"),
    ".jsonl": (Kind.JSON, "application/x-ndjson"),
    ".ndjson": (Kind.JSON, "application/x-ndjson"),
    ".ipynb": (Kind.NOTEBOOK, "application/x-ipynb+json"),
    ".htm": (Kind.HTML, "text/html"),
    ".html": (Kind.HTML, "text/html"),
    ".xhtml": (Kind.HTML, "application/xhtml+xml"),
    ".txt": (Kind.TEXT, "text/plain"),
    ".log": (Kind.TEXT, "text/plain"),
}
_ARCHIVES = {
    *("application/zip", "application/x-tar", "application/gzip", "application/x-bzip2"),
    "application/x-xz",
}
_PARTS = {"image": Kind.IMAGE, "video": Kind.VIDEO, "audio": Kind.AUDIO}
_COMMENTS = r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*"
"""A comment ends where its first `-->` is: if it could go on, many would take years to match."""
_SVG = re.compile(rf"{_COMMENTS}(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]", re.S)
_HTML = re.compile(rf"{_COMMENTS}<(?:!doctype html|html|head|body)\b", re.S | re.I)
_LOOK = 4096
"""How far comments may go before a document begins; patterns need a bound."""


def folder_type() -> FileType:
    """Tell what a folder is."""
    return FileType(Kind.FOLDER, "inode/directory")


def is_binary(head: bytes) -> bool:
    """Tell whether a file with this beginning is no text; much quicker than to tell what it is."""
    return bool(head) and (bool(media_type_of(head)) or encoding_of(head) is None)


def identify(name: str, head: bytes, *, is_whole: bool = False) -> FileType:
    """Tell what a file is.

    Args:
        name: Its name or path.
        head: Its first bytes, `HEAD_LENGTH` of them if it has as many.
        is_whole: There is nothing beyond the head, so JSON can be recognised by parsing it.
    """
    if media_type := media_type_of(head):
        return FileType(_kind_of(media_type), media_type)
    encoding = encoding_of(head)
    if encoding is None:
        guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return FileType(Kind.BINARY, guessed)
    return _text_type(name, encoding.decode(head), encoding, is_whole=is_whole)


def _kind_of(media_type: str) -> Kind:
    if media_type == "application/pdf":
        return Kind.PDF
    if media_type in _ARCHIVES:
        return Kind.ARCHIVE
    return _PARTS.get(media_type.partition("/")[0], Kind.BINARY)


def _text_type(name: str, text: str, encoding: Encoding, *, is_whole: bool) -> FileType:
    suffix = PurePosixPath(name).suffix.lower()
    if _SVG.match(text[:_LOOK]):
        return FileType(Kind.SVG, "image/svg+xml", encoding, "xml")
    if suffix in _TEXTS:
        kind, media_type = _TEXTS[suffix]
        return FileType(kind, media_type, encoding, _language(name, text))
    if language := _language(name, text):
        media_type = mimetypes.guess_type(name)[0] or f"text/x-{language}"
        return FileType(Kind.CODE, media_type, encoding, language)
    if _HTML.match(text[:_LOOK]):
        return FileType(Kind.HTML, "text/html", encoding, "html")
    if is_whole and text.lstrip()[:1] in {"{", "["} and _is_json(text):
        return FileType(Kind.JSON, "application/json", encoding, "json")
    return FileType(Kind.TEXT, "text/plain", encoding)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _language(name: str, text: str) -> str:
    """Name the language of code by the file's name, or by the program that is to run it."""
    lexer: Any = find_lexer_class_for_filename(PurePosixPath(name).name, text[:_LOOK])
    if lexer is None and text.startswith("#!"):
        lexer = _by_program(_program(text[2:_LOOK].split("\n", 1)[0].split()))
    if lexer is None or "text" in lexer.aliases:
        return ""
    return str(next(iter(lexer.aliases), ""))


def _program(words: list[str]) -> str:
    """Find the program in the words after `#!`; `env` starts the first that is no option."""
    names = [PurePosixPath(word).name for word in words if not word.startswith("-")]
    return next((name for name in names if name != "env"), "")


def _by_program(program: str) -> Any:
    for name in (program, program.rstrip("0123456789.")):
        try:
            return find_lexer_class_by_name({"node": "javascript"}.get(name, name))
        except ClassNotFound:
            continue
    return None
