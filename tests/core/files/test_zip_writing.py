"""Archives that we write are read by others."""

import io
import stat
import time
import zipfile
from itertools import repeat

from hypothesis import given
from hypothesis import strategies as st

from sandbook.files.zip_writing import Entry, ZipWriter

FILE = (stat.S_IFREG | 0o640) << 16
ZEROS = bytes(1 << 22)


def archive_of(entries):
    file = io.BytesIO()
    writer = ZipWriter(file)
    for entry, data, in_pieces in entries:
        if in_pieces:
            writer.add_pieces(entry, len(data), iter([data[:10], data[10:]]))
        else:
            writer.add(entry, data)
    writer.close()
    return file


@given(
    contents=st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=50),
        st.tuples(st.binary(max_size=100), st.booleans()),
        max_size=6,
    )
)
def test_what_went_in_comes_out(contents):
    wanted = {name: data for name, (data, _) in contents.items()}
    entries = [(Entry(name.encode(), FILE, 1e9), *rest) for name, rest in contents.items()]

    with zipfile.ZipFile(archive_of(entries)) as archive:
        found = {info.orig_filename: archive.read(info) for info in archive.infolist()}

        assert archive.testzip() is None
    assert found == wanted


def test_modes_and_times_are_kept():
    moment = time.mktime((2024, 5, 6, 7, 8, 10, 0, 0, -1))
    archive = zipfile.ZipFile(archive_of([(Entry(b"a", FILE, moment), b"x", False)]))

    (info,) = archive.infolist()

    assert stat.S_IMODE(info.external_attr >> 16) == 0o640
    assert info.date_time == (2024, 5, 6, 7, 8, 10)


class Sparse:
    """A file in which zeros take no space."""

    def __init__(self, file):
        self._file = file

    def write(self, data):
        if data is ZEROS:
            self._file.seek(len(data), 1)
        else:
            self._file.write(data)


def test_more_bytes_than_four_thousand_million(tmp_path):
    path = tmp_path / "large.zip"
    size = len(ZEROS) * 1100
    with path.open("wb") as file:
        writer = ZipWriter(Sparse(file))
        writer.add_pieces(Entry(b"large", FILE, 1e9), size, repeat(ZEROS, 1100))
        writer.add(Entry(b"small", FILE, 1e9), b"behind it")
        writer.close()

    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("large").file_size == size > 1 << 32
        assert archive.read("small") == b"behind it"


def test_more_entries_than_sixty_five_thousand():
    entries = ((Entry(b"%d" % number, FILE, 1e9), b"", False) for number in range(70_000))

    with zipfile.ZipFile(archive_of(entries)) as archive:
        assert len(archive.infolist()) == 70_000
