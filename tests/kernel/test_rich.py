"""What programs show becomes what a front end can show."""

import json
import struct
import zlib
from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbook.errors import InvalidActionError
from sandbook_kernel.pictures import size_of
from sandbook_kernel.rich import display_from, iterm_image, sniff

GIF = b"GIF89a" + struct.pack("<HH", 3, 2) + b"\0\0\0;"
JPEG = b"\xff\xd8\xff\xe0\x00\x04AB\xff\xff\xc0\x00\x0b\x08\x00\x10\x00\x20\x01\x01\x11\x00"
SVG = b'<?xml version="1.0"?>\n<!-- made by hand -->\n<svg width="1"/>'


def png(width, height):
    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\x80" * width) * height)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (png(2, 2), "image/png"),
        (JPEG, "image/jpeg"),
        (GIF, "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"%PDF-1.7\n", "application/pdf"),
        (SVG, "image/svg+xml"),
        (b"<svg xmlns='x'></svg>", "image/svg+xml"),
        (b"<!doctype html><p>hi", "text/html"),
        (b" <div class='x'>hi</div>", "text/html"),
        (b'{"a": 1}', "application/json"),
        (b"[1, 2]", "application/json"),
        (b"[not json", "text/plain"),
        (b"42", "text/plain"),
        (b"# Title", "text/plain"),
        (b"a < b > c", "text/plain"),
        (b"<!---->" * 500 + b"x", "text/plain"),
        (b"", "text/plain"),
        (b"\x00\xff\xfe", "application/octet-stream"),
    ],
)
def test_data_is_recognised_by_its_look(data, mime):
    assert sniff(data) == mime


@pytest.mark.parametrize(
    ("data", "size"),
    [(png(640, 480), (640, 480)), (GIF, (3, 2)), (JPEG, (32, 16)), (JPEG[:12], ()), (b"x", ())],
)
def test_the_size_of_a_picture_stands_in_its_head(data, size):
    assert size_of(data) == size


def test_a_picture_is_base64_with_its_size_and_words_for_a_terminal():
    picture = png(640, 480)

    shown = display_from("auto", picture)

    assert b64decode(shown.data["image/png"]) == picture
    assert shown.data["text/plain"].startswith("image/png, 640\xd7480, ")
    assert shown.metadata == {"image/png": {"width": 640, "height": 480}}


@pytest.mark.parametrize(
    ("mime", "data", "bundle"),
    [
        ("text/html", b"<b>", {"text/html": "<b>", "text/plain": "text/html, 3 bytes"}),
        ("text/markdown", b"# A\n", {"text/markdown": "# A\n", "text/plain": "# A"}),
        ("text/plain", b"hi\n", {"text/plain": "hi"}),
        ("text/plain", b"\xff", {"text/plain": "\ufffd"}),
        ("application/json", b'{"a": 1}', {"application/json": {"a": 1}}),
        ("application/vnd.vega.v5+json", b"{}", {"application/vnd.vega.v5+json": {}}),
        ("image/svg+xml", SVG, {"image/svg+xml": SVG.decode()}),
        ("auto", b"\0\xff", {"text/plain": "application/octet-stream, 2 bytes"}),
    ],
)
def test_each_type_is_shown_as_the_front_end_wants_it(mime, data, bundle):
    assert display_from(mime, data).data.items() >= bundle.items()
    assert "text/plain" in display_from(mime, data).data


@pytest.mark.parametrize("data", [b"{", b"", b"\xff", b"[" * 100_000])
def test_bad_json_is_an_error_in_words(data):
    with pytest.raises(InvalidActionError, match="is no JSON"):
        display_from("application/json", data)


@pytest.mark.parametrize("mime", ["", "png", "image/", "a b/c", "image/png\n"])
def test_what_is_no_type_is_an_error_in_words(mime):
    with pytest.raises(InvalidActionError, match="no MIME type"):
        display_from(mime, b"x")


@given(st.binary(max_size=100) | st.binary(max_size=40).map(JPEG[:4].__add__))
def test_any_data_can_be_shown(data):
    json.dumps(display_from("auto", data).data)


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        ("inline=1", {"width": 100, "height": 50}),
        ("inline=1;width=auto", {"width": 100, "height": 50}),
        ("width=50px;inline=1", {"width": 50}),
        ("inline=1;height=2", {"height": 34}),
        ("inline=1;width=50%", {"width": 100, "height": 50}),
        ("inline=1;width=50px;height=50px", {"width": 50, "height": 25}),
        ("inline=1;width=50px;height=50px;preserveAspectRatio=0", {"width": 50, "height": 50}),
    ],
)
def test_an_iterm_image_is_as_large_as_asked_for(arguments, size):
    shown = iterm_image(f"File={arguments}".encode(), b64encode(png(100, 50)))

    assert shown is not None
    assert shown.metadata == {"image/png": size}


def test_an_iterm_image_may_have_a_name():
    name = b64encode(b"cat.png").decode()
    shown = iterm_image(f"name={name};size=9;inline=1".encode(), b64encode(png(100, 50)))

    assert shown is not None
    assert shown.data["text/plain"].startswith("cat.png: image/png, 100\xd750")


@pytest.mark.parametrize(
    ("arguments", "base64"),
    [
        (b"inline=0", b64encode(GIF)),
        (b"", b64encode(GIF)),
        (b"inline=1", b"!"),
        (b"inline=1", b"A"),
        (b"inline=1", b64encode(b"no picture")),
    ],
)
def test_what_is_no_inline_image_is_not_shown(arguments, base64):
    assert iterm_image(arguments, base64) is None
