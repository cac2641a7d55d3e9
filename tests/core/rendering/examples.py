"""Files of every kind, and a way to show them."""

import io
import json
import struct
import tarfile
import zipfile
import zlib

from sandbook.files.mime import HEAD_LENGTH, folder_type, identify
from sandbook.rendering.render import bytes_wanted, render
from sandbook.rendering.source import Entry, Links, Source, Surface, View

LINKS = Links(
    raw="/files/x",
    viewer="/view?path=x",
    page=lambda number: f"?page={number}",
    view_of=lambda path: f"/view?path={path}",
    raw_of=lambda path: f"/files/{path}",
)


def png(width=3, height=2):
    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes(width) for _ in range(height)))
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def zipped(names, content=b"x"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, content)
    return file.getvalue()


def tarred(members, mode="w"):
    """Pack members, each a name and either bytes or the target of a link."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def notebook(*cells, language="python"):
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"language_info": {"name": language}},
            "cells": cells,
        }
    ).encode()


def code_cell(source, *outputs):
    return {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {},
        "source": source,
        "outputs": outputs,
    }


def output(**data):
    return {"output_type": "display_data", "metadata": {}, "data": data}


def shown(name, data, surface=Surface.PAGE, *, links=LINKS, **view):
    """Show a file as a caller does that reads no more than it must."""
    data = data.encode() if isinstance(data, str) else data
    kind = identify(name, data[:HEAD_LENGTH], is_whole=len(data) <= HEAD_LENGTH)
    start, length = bytes_wanted(kind.kind, view.get("page", 1))
    part = data[start : start + length]
    source = Source(name, kind, part, len(data), start)
    return render(source, View(surface, links=links, **view))


def shown_folder(entries, surface=Surface.PAGE, name="/workspace", **view):
    return render(Source(name, folder_type(), entries=entries), View(surface, links=LINKS, **view))


EXAMPLES = {
    "picture.png": png(),
    "drawing.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><circle r="5"/></svg>',
    "paper.pdf": b"%PDF-1.4\n<</Type /Pages /Kids [3 0 R] /Count 7>>\n",
    "film.mp4": b"\0\0\0\x20ftypisom" + bytes(40),
    "sound.wav": b"RIFF\0\0\0\0WAVEfmt " + bytes(40),
    "README.md": b"# Title\n\nSome *text*.\n\n```python\nx = 1\n```\n",
    "table.csv": b"name,count\none,1\ntwo,2\n",
    "data.json": b'{"a": [1, 2.50, {"b": null}], "c": "text"}',
    "work.ipynb": notebook(code_cell("print(1)", {"output_type": "stream", "text": "1\n"})),
    "code.py": b"def f():\n    return 1  # one\n",
    "page.html": b"<!DOCTYPE html><html><body><h1>Hello</h1></body></html>",
    "notes.txt": b"just words\n",
    "many.zip": zipped(["a/b.txt", "c.txt"]),
    "many.tar.gz": tarred([("a/b.txt", b"xx"), ("link", "a/b.txt")], "w:gz"),
    "blob.bin": bytes(range(256)),
}
FOLDER = [
    Entry("src", is_folder=True),
    Entry("src/main.py", size=1200),
    Entry("latest", target="src/main.py"),
]
