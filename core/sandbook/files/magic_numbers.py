"""The first bytes by which binary formats are known. Pure."""

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x7fELF", "application/x-elf"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"\x89HDF\r\n\x1a\n", "application/x-hdf5"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BOXES = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"M4A ": "audio/mp4",
    b"qt  ": "video/quicktime",
}
_MPEG_AUDIO = {0xFA, 0xFB, 0xF2, 0xF3}
_TAR_AT = 257
_OGG_LOOK = 64


def media_type_of(head: bytes) -> str:
    """Name the type of a binary file by its first bytes; empty if they are none that is known."""
    for beginning, media_type in _BEGINNINGS:
        if head.startswith(beginning):
            return media_type
    return _inside(head)


def _inside(head: bytes) -> str:
    """Look at formats that tell only after some bytes what they are."""
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12], "")
    if head[4:8] == b"ftyp":
        return _BOXES.get(head[8:12], "video/mp4")
    if head[:4] == b"OggS":
        return "video/ogg" if b"theora" in head[:_OGG_LOOK] else "audio/ogg"
    if head[:2] == b"BM" and head[6:10] == bytes(4) and len(head) > _OGG_LOOK:
        return "image/bmp"
    if head[:1] == b"\xff" and head[1:2] and head[1] in _MPEG_AUDIO:
        return "audio/mpeg"
    return "application/x-tar" if head[_TAR_AT : _TAR_AT + 5] == b"ustar" else ""
