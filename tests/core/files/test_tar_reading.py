"""Our quick reader of tar says the same as the library, whatever wrote the tar."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbook.files.tar_reading import members

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=300)
FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]
KINDS = [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.FIFOTYPE, tarfile.LNKTYPE]


@st.composite
def infos(draw):
    info = tarfile.TarInfo(draw(NAMES))
    info.type = draw(st.sampled_from(KINDS))
    info.mode = draw(st.integers(0, 0o7777))
    info.mtime = draw(st.integers(0, 1 << 34))
    if info.type == tarfile.REGTYPE:
        info.size = draw(st.sampled_from([0, 1, 511, 512, 513, 5000]))
    elif info.type in {tarfile.SYMTYPE, tarfile.LNKTYPE}:
        info.linkname = draw(NAMES)
    return info


def tar_of(found, format_):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=format_) as tar:
        for number, info in enumerate(found):
            content = bytes([number % 251]) * info.size
            try:
                tar.addfile(info, io.BytesIO(content))
            except ValueError:  # too long a name for this format
                continue
    return file.getvalue()


def by_library(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for one in tar:
            content = tar.extractfile(one).read() if one.isreg() else b""
            yield one.name, one.type, one.mode, one.mtime, one.linkname, content


def by_us(data):
    for head, content in members(io.BytesIO(data)):
        name = head.name.rstrip("/") if head.kind == tarfile.DIRTYPE else head.name
        yield name, head.kind, head.mode, head.modified, head.target, content.read(head.size)


@given(found=st.lists(infos(), min_size=1, max_size=8), format_=st.sampled_from(FORMATS))
def test_both_read_the_same(found, format_):
    data = tar_of(found, format_)

    assert list(by_us(data)) == list(by_library(data))


@given(data=st.binary(max_size=2000), cut=st.integers(0, 3000), flip=st.integers(0, 3000))
def test_broken_streams_end_in_words(data, cut, flip):
    whole = bytearray(tar_of([tarfile.TarInfo("x" * 150), tarfile.TarInfo("y")], FORMATS[1]))
    whole[1024:1024] = data
    whole[flip % len(whole)] ^= 1 << flip % 8
    try:
        for head, content in members(io.BytesIO(bytes(whole[:cut]))):
            content.read(min(head.size, 1000))
    except tarfile.TarError:
        pass


def test_content_that_nobody_read_is_passed_over():
    first, second = tarfile.TarInfo("a"), tarfile.TarInfo("b")
    first.size, second.size = 3000, 7

    found = [head.name for head, _ in members(io.BytesIO(tar_of([first, second], FORMATS[1])))]

    assert found == ["a", "b"]


def test_a_stream_that_ends_in_a_file_is_an_error():
    info = tarfile.TarInfo("a")
    info.size = 3000
    data = tar_of([info], FORMATS[1])[:2000]

    with pytest.raises(tarfile.ReadError):
        [content.read(head.size) for head, content in members(io.BytesIO(data))]
