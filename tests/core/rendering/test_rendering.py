"""What each kind of file looks like."""

import gzip
import json
import lzma
import tarfile
from base64 import b64encode

import pytest

from sandbook.files.mime import Kind, identify
from sandbook.rendering import syntax
from sandbook.rendering.render import bytes_wanted, render
from sandbook.rendering.source import Entry, Links, Source, Surface, View
from tests.core.rendering.allowed import inspected
from tests.core.rendering.examples import (
    EXAMPLES,
    FOLDER,
    code_cell,
    notebook,
    output,
    png,
    shown,
    shown_folder,
    tarred,
    zipped,
)


def text_of(rendered):
    return "".join(inspected(rendered.html).text)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_kind_is_a_document_a_part_of_a_notebook_and_plain_text(name):
    page = shown(name, EXAMPLES[name])
    part = shown(name, EXAMPLES[name], Surface.NOTEBOOK)

    assert page.html.startswith("<!DOCTYPE html>")
    assert page.title == f"File Viewer - {name}"
    assert part.html.startswith('<div class="sandbook-view">')
    assert "<body" not in part.html
    assert "--jp-" in part.html
    assert page.plain == part.plain
    assert page.plain.strip()


def test_a_picture_is_part_of_the_page():
    rendered = shown("a.png", png(30, 20))

    assert f'src="data:image/png;base64,{b64encode(png(30, 20)).decode()}"' in rendered.html
    assert "30 × 20 pixels" in text_of(rendered)  # noqa: RUF001
    assert rendered.plain.startswith("a.png: image/png, 30 × 20 pixels")  # noqa: RUF001


def test_a_picture_that_is_too_large_is_loaded_or_linked_to():
    kind = identify("a.png", png())
    source = Source("a.png", kind, png(), size=10**9)

    assert 'src="/files/x"' in render(source, View(links=Links(raw="/files/x"))).html
    assert "too large" in render(source, View(Surface.NOTEBOOK)).html


def test_films_and_sound_are_played_from_their_address():
    assert (
        '<video controls preload="metadata" src="/files/x">'
        in shown("a", EXAMPLES["film.mp4"]).html
    )
    assert (
        '<audio controls preload="metadata" src="/files/x">'
        in shown("a", EXAMPLES["sound.wav"]).html
    )


def test_a_small_sound_without_an_address_is_part_of_what_is_shown():
    sound = EXAMPLES["sound.wav"]

    whole = render(Source("a", identify("a", sound), sound))

    assert '<audio controls preload="metadata" src="data:audio/' in whole.html
    assert "too large to be played here" in shown("a", sound, links=Links()).html


def test_a_document_is_linked_to_and_embedded_only_where_that_works():
    linked, embedded = (shown("a.pdf", EXAMPLES["paper.pdf"], embeds=so) for so in (False, True))

    assert "7 pages" in text_of(linked)
    assert "<object" not in linked.html
    assert '<object class="sb-embed" type="application/pdf" data="/files/x">' in embedded.html


def test_markdown_is_typeset_and_its_files_are_found():
    rendered = shown(
        "a.md",
        "---\ntitle: x\n---\n# Head\n\n[a](b%20c.md) ![p](p.png) [w](https://example.org)\n\n"
        "| l | r |\n|:--|--:|\n| 1 | 2 |\n\n```python\nreturn 1\n```\n",
    ).html

    assert "<h1>Head</h1>" in rendered
    assert "title: x" not in rendered
    assert '<img src="/files/p.png" alt="p">' in rendered
    assert 'href="https://example.org" rel="noopener noreferrer nofollow"' in rendered
    assert '<td align="right">2</td>' in rendered
    assert '<span class="sb-keyword">return</span>' in rendered


def test_long_markdown_has_pages():
    text = "".join(f"# Part {number}\n\n{'word ' * 200}\n\n" for number in range(200))
    first = shown("a.md", text)

    pages = [shown("a.md", text, page=number) for number in range(1, first.pages + 1)]

    assert len(pages) > 2
    assert "".join(map(text_of, pages)).count("Part ") == 200
    assert 'href="?page=2"' in first.html


def test_markup_without_end_is_cut_off():
    rendered = shown("a.html", "<!DOCTYPE html>" + "<div>" * 190_000 + "deep")

    assert "too long to be shown" in text_of(rendered)


def test_a_table_has_pages_and_says_how_many_rows_there_are():
    text = "name,n\n" + "".join(f"row {number},{number}\n" for number in range(2500))

    last = shown("a.csv", text, page=3)

    assert last.pages == 3
    assert "2,500 rows · 2 columns" in text_of(last)
    assert "Rows 2,001–2,500 of 2,500." in text_of(last)  # noqa: RUF001
    assert "row 2499" in text_of(last)
    assert "row 1999" not in text_of(last)
    assert 'href="?page=2"' in last.html
    assert "Next" not in text_of(last)
    assert shown("a.csv", text).plain.endswith("… 2,480 more rows")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "a,b\n1,x\n"),
        ("a.csv", "a;b\n1;x\n"),
        ("a.tsv", "a\tb\n1\tx\n"),
        ("a.csv", 'a,b\r\n"1",x\r\n'),
        ("a.csv", "a|b\n1|x\n"),
    ],
)
def test_a_table_is_read_whatever_stands_between_its_cells(name, text):
    rendered = shown(name, text).html

    assert '<th class="sb-right">a</th><th>b</th>' in rendered
    assert '<td class="sb-right">1</td><td>x</td>' in rendered


def test_numbers_are_not_taken_for_names_of_columns():
    assert "<thead>" not in shown("a.csv", "1,2\n3,4\n").html


def test_json_is_a_tree_and_keeps_its_numbers():
    rendered = shown("a.json", '{"big": 12345678901234567890.10, "list": [true, null, "x"]}')

    assert rendered.html.count("<details") == 2
    assert "12345678901234567890.10" in text_of(rendered)
    assert "[ 3 items ]" in text_of(rendered)


def test_long_json_has_pages_and_many_nodes_are_cut():
    rendered = shown("a.json", json.dumps([{"n": list(range(300))} for _ in range(450)]))

    assert rendered.pages == 3
    assert "… 100 more" in text_of(rendered)
    assert rendered.html.count("<li") < 6000


@pytest.mark.parametrize("text", ["{broken", "[" * 100_000, '{"a": 1'])
def test_what_is_no_json_is_shown_as_text(text):
    assert '<pre class="sb-code">' in shown("a.json", text).html


def test_lines_of_json_are_read_one_by_one():
    assert "2 items" in text_of(shown("a.jsonl", '{"a": 1}\n{"b": 2}\n'))


def test_of_many_lines_of_json_only_those_on_the_page_are_read():
    text = "1\n" * 300 + "{broken\n" + "2.50\n" * 99

    first, second = shown("a.jsonl", text), shown("a.jsonl", text, page=2)

    assert "400 items" in text_of(first)
    assert (first.pages, "broken" in first.html) == (2, False)
    assert '<span class="sb-muted">{broken</span>' in second.html
    assert second.html.count("2.50") == 99


def test_a_line_of_json_that_was_not_read_to_its_end_is_left_out():
    data = b'{"a": 1}\n{"b": 2}\n{"c'
    kind = identify("a.jsonl", data, is_whole=True)

    rendered = render(Source("a.jsonl", kind, data, size=1000))

    assert "2 items" in text_of(rendered)


def test_a_notebook_shows_cells_and_what_they_put_out():
    picture = b64encode(png()).decode()
    rendered = shown(
        "a.ipynb",
        notebook(
            {
                "cell_type": "markdown",
                "source": ["# Head\n", "![p](attachment:p.png)"],
                "attachments": {"p.png": {"image/png": picture}},
            },
            code_cell(
                "return 1",
                {"output_type": "stream", "text": ["said\n"]},
                {"output_type": "error", "traceback": ["\x1b[31mBad\x1b[0m: thing"]},
                output(**{"image/png": picture, "text/plain": "hidden"}),
                output(**{"text/html": "<table><tr><td>cell</td></tr></table>"}),
                output(**{"application/json": {"key": 1}}),
            ),
        ),
    )
    text = text_of(rendered)

    assert "2 cells · python" in text
    assert rendered.html.count(f"data:image/png;base64,{picture}") == 2
    assert '<span class="sb-keyword">return</span>' in rendered.html
    assert "Bad: thing" in text
    assert "<td>cell</td>" in rendered.html
    assert "key" in text
    assert "hidden" not in text


def test_a_notebook_full_of_html_ends_as_text():
    html = "<b>x</b>" * 10_000
    cells = [code_cell("x", output(**{"text/html": html, "text/plain": "plain"}))] * 20

    text = text_of(shown("a.ipynb", notebook(*cells)))

    assert "plain" in text


def test_a_notebook_full_of_trees_text_and_code_has_an_end():
    tree = output(**{"application/json": [{"a": list(range(10))}] * 200})
    said = {"output_type": "stream", "text": "\u202e" * 40_000}
    cells = [code_cell("return 1\n" * 500, tree, said)] * 90

    rendered = shown("a.ipynb", notebook(*cells))

    assert rendered.html.count("<li") < 6000
    assert rendered.html.count('<span class="sb-keyword">return</span>') < 12_000
    assert len(rendered.html) < 50_000_000
    assert "too long to be shown here" in rendered.html


def test_what_is_no_notebook_is_shown_as_text():
    for data in (b"{", b"[]", b"{}", b'{"cells": 3}', b'{"cells": []}'):
        assert '<pre class="sb-code">' in shown("a.ipynb", data).html


def test_code_has_numbers_that_can_be_linked_to():
    page = shown("a.py", "x = 1\ny = 'two'\n").html
    part = shown("a.py", "x = 1\ny = 'two'\n", Surface.NOTEBOOK).html

    assert '<span class="sb-line" id="L2"><a class="sb-no" href="#L2">2</a>' in page
    assert '<span class="sb-string">two</span>' in page
    assert "id=" not in part
    assert '<span class="sb-no">2</span>' in part


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [((3, 5), 3, 5), ((0, 2), 1, 2), ((9, 99), 9, 10), ((50, 60), 10, 10)],
)
def test_lines_that_were_asked_for_are_shown(lines, first, last):
    text = "".join(f"line-{number}\n" for number in range(1, 11))
    rendered = shown("a.txt", text, lines=lines)

    assert rendered.plain == "\n".join(f"{n:6}\tline-{n}" for n in range(first, last + 1))
    assert rendered.html.count('class="sb-line"') == last - first + 1


def test_lines_of_a_document_are_shown_as_they_are_written():
    for name in ("a.md", "a.csv", "a.json", "a.ipynb", "a.html"):
        assert "<pre" in shown(name, "# a\n# b\n", lines=(1, 2)).html


def test_long_code_has_pages_and_keeps_its_colours():
    text = '"""\n' + "inside\n" * 1500 + '"""\n'
    second = shown("a.py", text, page=2)

    assert second.pages == 2
    assert 'id="L1001"' in second.html
    assert 'id="L1000"' not in second.html
    assert '<span class="sb-string">inside</span>' in second.html


def test_what_takes_too_long_to_colour_goes_on_without_colours(monkeypatch):
    monkeypatch.setattr(syntax, "MAX_COLOURING_S", -1.0)

    rendered = shown("a.py", "return 1\r\nreturn '<2>'\n")

    assert "sb-keyword" not in rendered.html.partition("<body>")[2]
    assert "return &#x27;&lt;2&gt;&#x27;" in rendered.html
    assert rendered.html.count('class="sb-line"') == 2


def test_many_long_lines_are_cut_shorter_than_one():
    rendered = shown("a.txt", ("x" * 4_900 + "\n") * 1_000)

    assert "3,900 more characters" in text_of(rendered)
    assert len(rendered.html) < 2_000_000


def test_a_line_without_end_is_cut():
    assert "95,000 more characters" in text_of(shown("a.js", "x" * 100_000))


def test_a_file_that_was_not_read_to_its_end_says_so():
    data = b"words\n" * 2_000_000
    rendered = shown("a.txt", data)

    assert "Only the first 8.0 MB of 12 MB were read." in text_of(rendered)


def test_an_encoding_other_than_utf8_is_named():
    text = text_of(shown("a.txt", "naïve café".encode("latin-1")))

    assert "LATIN-1" in text
    assert "naïve café" in text


def test_windows_line_ends_do_not_show():
    assert "^M" not in text_of(shown("a.py", "x = 1\r\ny = 2\r\n"))


def test_a_folder_is_a_tree_with_links():
    rendered = shown_folder(FOLDER)

    assert '<a href="/view?path=src/main.py"><bdi>main.py</bdi></a>' in rendered.html
    assert "1.2 kB" in text_of(rendered)
    assert "3 entries" in text_of(rendered)
    assert rendered.plain == "src/\n  main.py  1.2 kB\nlatest → src/main.py"
    assert "It is empty." in text_of(shown_folder([]))


def test_a_large_folder_has_pages_and_a_deep_one_an_end():
    many = shown_folder([Entry(f"f{number:04}", size=1) for number in range(2500)], page=3)
    deep = shown_folder([Entry("/".join("d" * 5000), size=1)])

    assert many.pages == 3
    assert many.html.count("<li") == 500
    assert deep.html.count("<details") == 30


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_is_listed(mode):
    data = tarred([("a/b.txt", b"12345"), ("c", "/etc/passwd")], mode)
    rendered = shown("a.tar", data)

    assert rendered.plain == "a/\n  b.txt  5 bytes\nc → /etc/passwd  0 bytes"
    assert "2 entries · 5 bytes unpacked" in text_of(rendered)


def test_a_zip_is_listed_whatever_its_names_are():
    rendered = shown("a.zip", zipped(["../up", "/abs", "a/", "a/b", "n\nl", "ü"]))

    assert rendered.plain.splitlines() == [
        *("../", "  up  1 byte", "a/", "  b  1 byte", "abs  1 byte", r"n\nl  1 byte", "ü  1 byte"),
    ]


def test_a_zip_with_very_many_entries_is_listed_in_part():
    rendered = shown("a.zip", zipped(f"f{number}" for number in range(10_500)))

    assert rendered.pages == 10
    assert "only the first 10,000 entries are listed" in text_of(rendered)


def test_an_archive_that_grows_without_end_is_not_unpacked():
    head = tarfile.TarInfo("huge")
    head.size = 10**9
    bomb = head.tobuf() + bytes(100_000_000)

    for data in (gzip.compress(bomb, 1), lzma.compress(bomb, preset=0)):
        rendered = shown("a.tar.gz", data)
        assert rendered.plain.startswith("huge  1.0 GB")
        assert "too large to be listed" in text_of(rendered)


@pytest.mark.parametrize("data", [b"PK\x03\x04" + bytes(40), b"\x1f\x8b\x08" + bytes(40)])
def test_a_broken_archive_is_shown_byte_by_byte(data):
    rendered = shown("a", data)

    assert "This archive cannot be listed" in text_of(rendered)
    assert "00000000" in text_of(rendered)


def test_bytes_are_shown_a_page_at_a_time():
    data = bytes(range(256)) * 100
    second = shown("a.bin", data, page=2)

    assert second.pages == 4
    assert second.plain.startswith("00002000  00 01 02 03 04 05 06 07  08 09 0a")
    assert "0123456789:;&lt;=&gt;?" in second.html
    assert bytes_wanted(Kind.BINARY, 2) == (8192, 8192)


def test_a_page_that_is_not_there_becomes_the_nearest_that_is():
    text = "x\n" * 1500

    assert shown("a.txt", text, page=99).page == 2
    assert shown("a.txt", text, page=-5).page == 1


def test_a_notebook_offers_the_viewer_and_a_page_does_not():
    assert "Open in the viewer" in shown("a.txt", b"x", Surface.NOTEBOOK).html
    assert "Open in the viewer" not in shown("a.txt", b"x").html
