import pytest

from sandbook.rendering.addresses import Addresses

HERE = Addresses("/user/ada/", "id")


@pytest.mark.parametrize(
    ("path", "quoted"),
    [
        ("/workspace/a b&c?.txt", "/workspace/a%20b%26c%3F.txt"),
        ("/tmp/é\udcff", "/tmp/%C3%A9%FF"),
        ("/tmp/a\nb", "/tmp/a%0Ab"),
    ],
)
def test_a_path_is_part_of_its_addresses(path, quoted):
    assert HERE.view(path) == f"/user/ada/sandbook/id/view?path={quoted}"
    assert HERE.view(path, 3) == f"/user/ada/sandbook/id/view?path={quoted}&page=3"
    further = HERE.links(path, lines=(7, 9)).page(2)
    assert further == f"/user/ada/sandbook/id/view?path={quoted}&lines=7:9&page=2"
    assert HERE.raw(path) == f"/user/ada/sandbook/id/files{quoted}"
    assert HERE.download(path) == f"/user/ada/sandbook/id/files{quoted}?download=1"
    assert HERE.download(path, is_folder=True) == (
        f"/user/ada/sandbook/id/download_files?path={quoted}"
    )


def test_no_path_leads_out_of_the_sandbox():
    assert HERE.raw("/workspace/../../../api") == "/user/ada/sandbook/id/files/api"


def test_links_go_from_the_folder_of_a_document():
    links = HERE.links("/workspace/docs/a.md")

    assert links.raw_of("../b.png") == "/user/ada/sandbook/id/files/workspace/b.png"
    assert links.view_of("c.md") == "/user/ada/sandbook/id/view?path=/workspace/docs/c.md"
    folder = HERE.links("/workspace", is_folder=True)
    assert folder.view_of("src/a.py") == "/user/ada/sandbook/id/view?path=/workspace/src/a.py"
    assert folder.raw == ""
