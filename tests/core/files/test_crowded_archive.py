"""An archive with very many files: one backend does, for it is the same work everywhere."""

import io
import zipfile

import pytest


async def pieces_of(data, size=1 << 16):
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.mark.parametrize("shared_sandbox", ["bubblewrap"], indirect=True)
async def test_a_hundred_thousand_files(files, machine):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(100_000):
            archive.writestr(f"d{number % 100}/f{number}", b"")

    assert await files.zip_in(pieces_of(buffer.getvalue())) == 100_000

    assert await machine.bash("find . -type f | wc -l; rm -r d*") == b"100000\n"
