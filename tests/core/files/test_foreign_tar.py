"""The tar of a sandbox may be any program: nothing that it says takes memory without end."""

import io
import tarfile
import zipfile

import pytest

from sandbook.errors import FileError
from sandbook.files.archive import ArchivePolicy
from sandbook.files.conversion import convert
from sandbook.files.tar_reading import HEADS_LENGTH
from sandbook.files.zipping import from_tar, zip_from_tar


def head(kind, size, name="x"):
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, abs(size)
    block = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    if size < 0:
        block[124:136] = b"\xff" + size.to_bytes(11, "big", signed=True)
        block[148:156] = b"%06o\0 " % (sum(block[:148]) + 8 * ord(" ") + sum(block[156:]))
    return bytes(block)


async def zipped(pieces):
    with from_tar():
        made = convert(zip_from_tar(ArchivePolicy(), "/x"), pieces)
        return b"".join([piece async for piece in made])


class Endless:
    """Gives a beginning, and then the same for ever."""

    def __init__(self, start, piece):
        self.given = 0
        self._start, self._piece = start, piece

    async def __aiter__(self):
        yield self._start
        while True:
            self.given += len(self._piece)
            yield self._piece


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (head(tarfile.XHDTYPE, 8**11 - 1), bytes(1 << 16)),
        (head(tarfile.GNUTYPE_LONGNAME, 8**11 - 1), b"x" * (1 << 16)),
        (b"", head(tarfile.XHDTYPE, 0) * 128),
        (b"", head(tarfile.GNUTYPE_LONGNAME, 512) + b"x" * 512),
    ],
)
async def test_heads_without_end_are_refused(start, piece):
    pieces = Endless(start, piece)

    with pytest.raises(FileError):
        await zipped(aiter(pieces))
    assert pieces.given < HEADS_LENGTH + (8 << 20)


async def of(data):
    yield data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no tar at all" * 100,
        head(tarfile.REGTYPE, -512) + bytes(1024),
        head(tarfile.REGTYPE, 10) + bytes(512) + head(tarfile.REGTYPE, -1024) + bytes(1024),
        head(tarfile.REGTYPE, 5000) + b"cut off",
    ],
)
async def test_what_is_no_tar_is_one_clear_error(data):
    with pytest.raises(FileError, match="tar in the sandbox does not work"):
        await zipped(of(data))


async def test_any_time_of_a_file_is_taken():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for mtime in (-1e12, 0, 1e10, 1e18, 1e300):
            info = tarfile.TarInfo(f"{mtime:g}")
            info.mtime = mtime
            tar.addfile(info)

    archive = zipfile.ZipFile(io.BytesIO(await zipped(of(file.getvalue()))))

    assert len(archive.namelist()) == 5
