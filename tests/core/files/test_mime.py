import codecs
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbook.files.encoding import Encoding, decoded, encoding_of
from sandbook.files.mime import HEAD_LENGTH, Kind, folder_type, identify

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
RUSSIAN = "Привет мир, как дела сегодня? Это просто текст.\n"
JAPANESE = "これは日本語のテキストです。今日はいい天気ですね。\n"


@pytest.mark.parametrize(
    ("name", "head", "kind", "media_type"),
    [
        ("a.txt", PNG, Kind.IMAGE, "image/png"),
        ("a.png", b"just text", Kind.TEXT, "text/plain"),
        ("a", b"\xff\xd8\xff\xe0", Kind.IMAGE, "image/jpeg"),
        ("a", b"RIFF\0\0\0\0WEBPVP8 ", Kind.IMAGE, "image/webp"),
        ("a", b"RIFF\0\0\0\0WAVEfmt ", Kind.AUDIO, "audio/wav"),
        ("a", b"\0\0\0\x20ftypisom", Kind.VIDEO, "video/mp4"),
        ("a", b"\x1a\x45\xdf\xa3\x01", Kind.VIDEO, "video/webm"),
        ("a", b"OggS\0\x02" + bytes(22) + b"\x01vorbis", Kind.AUDIO, "audio/ogg"),
        ("a", b"ID3\x04", Kind.AUDIO, "audio/mpeg"),
        ("a.bin", b"%PDF-1.7\n", Kind.PDF, "application/pdf"),
        ("a", b"PK\x03\x04" + bytes(30), Kind.ARCHIVE, "application/zip"),
        ("a", b"\x1f\x8b\x08\x00", Kind.ARCHIVE, "application/gzip"),
        ("a", bytes(257) + b"ustar\x0000", Kind.ARCHIVE, "application/x-tar"),
        ("a", b"7z\xbc\xaf\x27\x1c", Kind.BINARY, "application/x-7z-compressed"),
        ("a", b"\x7fELF\x02\x01", Kind.BINARY, "application/x-elf"),
        ("a.bin", bytes(range(256)), Kind.BINARY, "application/octet-stream"),
        ("a.csv", b"\0\1\2\3", Kind.BINARY, "text/csv"),
        ("a.txt", b"<svg xmlns='x'/>", Kind.SVG, "image/svg+xml"),
        ("a.svg", b"<?xml version='1.0'?>\n<!-- x -->\n<svg>", Kind.SVG, "image/svg+xml"),
        ("README.md", b"# Hi", Kind.MARKDOWN, "text/markdown"),
        ("a.csv", b"a,b\n1,2\n", Kind.TABLE, "text/csv"),
        ("a.TSV", b"a\tb\n", Kind.TABLE, "text/tab-separated-values"),
        ("a.json", b'{"a": 1', Kind.JSON, "application/json"),
        ("data", b'{"a": 1}', Kind.JSON, "application/json"),
        ("a.ipynb", b"{}", Kind.NOTEBOOK, "application/x-ipynb+json"),
        ("a.html", b"<p>", Kind.HTML, "text/html"),
        ("page", b"<!DOCTYPE html><html>", Kind.HTML, "text/html"),
        ("a.py", b"import os\n", Kind.CODE, "text/x-python"),
        ("notes", b"plain words", Kind.TEXT, "text/plain"),
        ("empty", b"", Kind.TEXT, "text/plain"),
    ],
)
def test_a_file_is_known_by_what_it_holds_and_then_by_its_name(name, head, kind, media_type):
    found = identify(name, head, is_whole=True)

    assert (found.kind, found.media_type) == (kind, media_type)


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.py", "", "python"),
        ("a.rs", "", "rust"),
        ("a.tsx", "", "tsx"),
        ("Dockerfile", "FROM x", "docker"),
        ("Makefile", "all:", "make"),
        ("run", "#!/bin/bash -e\n", "bash"),
        ("run", "#!/usr/bin/env python3.11\n", "python"),
        ("run", "#!/usr/bin/env -S node --flag\n", "javascript"),
        ("run", "#!/opt/nobody/knows\n", ""),
        ("a.txt", "#!", ""),
    ],
)
def test_the_language_of_code_is_told(name, text, language):
    assert identify(name, text.encode()).language == language


def test_a_folder_is_a_kind_too():
    assert folder_type().kind is Kind.FOLDER


def test_json_is_not_parsed_where_it_is_cut_off():
    assert identify("data", b'{"a": 1}').kind is Kind.TEXT


def test_deep_json_does_not_end_us():
    assert identify("data", b"[" * 60_000, is_whole=True).kind is Kind.TEXT


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("plain", "utf-8"),
        ("naïve café €", "utf-8"),
        ("café naïve\n", "latin-1"),
        ("5 € “quoted”", "cp1252"),
        (RUSSIAN * 3, "cp1251"),
        (RUSSIAN * 3, "koi8_r"),
        (JAPANESE * 3, "shift_jis"),
        (JAPANESE * 3, "euc_jp"),
        ("这是一个中文文本文件,用来测试编码检测。" * 3, "gb18030"),
        ("wide text without a mark", "utf-16-le"),
        ("wide text without a mark", "utf-16-be"),
    ],
)
def test_an_encoding_is_found_and_written_back(text, name):
    data = text.encode(name)

    found = decoded(data)

    assert found is not None
    assert found == (text, Encoding(name))
    assert found[1].encode(found[0]) == data


@pytest.mark.parametrize(
    ("bom", "name"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_mark_is_kept_but_is_no_text(bom, name):
    data = bom + "naïve\r\n".encode(name)

    text, encoding = decoded(data)

    assert text == "naïve\r\n"
    assert encoding.encode(text) == data


def test_a_character_that_the_encoding_lacks_makes_it_utf8():
    assert Encoding("latin-1").encode("a €") == "a €".encode()


def test_a_head_may_end_inside_a_character():
    data = ("é" * HEAD_LENGTH).encode()

    assert encoding_of(b"a" + data[: HEAD_LENGTH + 100]) == Encoding("utf-8")


@pytest.mark.parametrize(
    "data",
    [
        bytes(10),
        bytes(range(256)) * 20,
        b"\x01\x02\x03",
        b"text\0text",
        json.dumps("x").encode() + b"\0",
    ],
)
def test_binary_has_no_encoding(data):
    assert encoding_of(data) is None
    assert decoded(data) is None


def test_colours_of_a_terminal_are_text():
    assert encoding_of(b"\x1b[31mred\x1b[0m\n" * 10) == Encoding("utf-8")


@given(st.binary(max_size=200))
def test_what_is_read_as_text_is_written_back_byte_by_byte(data):
    found = decoded(data)

    assert found is None or found[1].encode(found[0]) == data
