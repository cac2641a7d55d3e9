"""What kind of picture some bytes are, and how large. Pure."""

import struct

Size = tuple[int, int] | tuple[()]
"""Width and height in pixels, or nothing where they are not known."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_JPEG_SIZES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""The segments of a JPEG that tell its size."""
_JPEG_BARE = {0x01, *range(0xD0, 0xD9)}
"""Those without any content."""


def type_of(data: bytes) -> str:
    """Tell the MIME type of a picture or a PDF; empty if it is neither."""
    for begin, mime in (
        (_PNG, "image/png"),
        (_JPEG, "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"%PDF-", "application/pdf"),
    ):
        if data.startswith(begin):
            return mime
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def size_of(data: bytes) -> Size:
    """Read the size from the head of a PNG, a JPEG or a GIF."""
    try:
        match type_of(data):
            case "image/png":
                return struct.unpack_from(">II", data, 16)
            case "image/gif":
                return struct.unpack_from("<HH", data, 6)
            case "image/jpeg":
                return _size_of_jpeg(data)
            case _:
                return ()
    except struct.error:
        return ()  # cut off


def _size_of_jpeg(data: bytes) -> Size:
    at = 2
    while True:
        sign, kind = struct.unpack_from(">BB", data, at)
        if sign != 0xFF:  # noqa: PLR2004 -- every segment begins so
            return ()
        if kind in _JPEG_SIZES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 if kind in _JPEG_BARE else 1 if kind == sign else _length_of_segment(data, at)


def _length_of_segment(data: bytes, at: int) -> int:
    (length,) = struct.unpack_from(">H", data, at + 2)
    return 2 + length
