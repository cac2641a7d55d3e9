from sandbook.files.entries import FileInfo
from sandbook.rendering.file_table import MAX_ROWS, Listing, table_html, table_text
from tests.core.rendering.allowed import inspected


def info(name, kind="file", size=5, **more):
    return FileInfo(name, kind, size, 0o644, 0, 0, 0, "ada", "staff", **more)


ENTRIES = [
    info("src", "folder"),
    info("a.png"),
    info("lost", "link"),
    info("<img src=x onerror=alert(1)>\x1b[2J\udcff"),
]


def test_a_list_is_written_as_ls_does():
    assert table_text(Listing("/", ENTRIES[:3])) == "src/  a.png  lost@"
    (line,) = table_text(Listing("/", ENTRIES[1:2], long=True)).splitlines()
    assert line.startswith("-rw-r--r-- ada staff 5 19")
    assert line.endswith(" a.png")


def test_columns_are_filled_from_top_to_bottom():
    names = [info(f"a name that is quite long {number:02}") for number in range(5)]

    first, second = table_text(Listing("/", names)).splitlines()

    assert first.split("  ") == [names[0].name, names[2].name, names[4].name]
    assert second.split("  ") == [names[1].name, names[3].name]


def test_names_cannot_act():
    listing = Listing("/", ENTRIES, long=True)

    html = table_html(listing, lambda name: f"/view?path={len(name)}")

    assert "<img" not in html
    assert "\x1b" not in html + table_text(listing)
    assert "\\x1b[2J\\xff" in "".join(inspected(html).text)
    assert html.count('href="/view') == len(ENTRIES)
    assert "href" not in table_html(listing)


def test_a_very_long_list_says_what_is_left_out():
    many = Listing("/", [info(str(number)) for number in range(MAX_ROWS + 2)])

    assert table_text(many).endswith("… and 2 entries more")
    assert "… and 2 entries more" in table_html(many)
    assert table_html(many).count("<tr>") == MAX_ROWS + 1


def test_an_empty_folder_is_told():
    assert "0 entries" in table_html(Listing("/", []))
    assert table_text(Listing("/", [])) == ""
