"""How large a picture is. Pure."""

import struct

Size = tuple[int, int] | tuple[()]
"""Width and height in pixels, or nothing where they are not known."""

_JPEG_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = {0x01, *range(0xD0, 0xD9)}
_MARK = 0xFF
_MAX_STEPS = 10_000
"""A real file describes its frame after a few segments."""


def size_of(data: bytes) -> Size:
    """Read the size from the head of a PNG, GIF, BMP, WebP or JPEG."""
    try:
        if data.startswith(b"\x89PNG"):
            return struct.unpack_from(">II", data, 16)
        if data.startswith(b"GIF8"):
            return struct.unpack_from("<HH", data, 6)
        if data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
            return abs(width), abs(height)
        if data.startswith(b"RIFF"):
            return _webp(data)
        return _jpeg(data) if data.startswith(b"\xff\xd8\xff") else ()
    except (struct.error, IndexError):
        return ()  # cut off


def _webp(data: bytes) -> Size:
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = data[24:27], data[27:30]
        return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _jpeg(data: bytes) -> Size:
    """Walk over the segments to the one that describes the frame."""
    at = 2
    for _ in range(_MAX_STEPS):
        if data[at] != _MARK:
            break
        kind = data[at + 1]
        if kind in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if kind == _MARK:  # filling
            at += 1
        elif kind in _JPEG_BARE:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return ()
