"""Addresses for paths, whatever is in them."""

from urllib.parse import parse_qs, urljoin, urlsplit

import pytest

from sandbook_server.addresses import Addresses

HERE = Addresses("/base/sandbook/id/")


@pytest.mark.parametrize(
    "path",
    [
        "/workspace/../../../../api/contents",
        "/../api",
        "//api",
        "/..",
        "/workspace/%2e%2e/%2e%2e/%2e%2e/api",
        "/a?b#c",
    ],
)
def test_no_path_leads_out_of_the_sandbox(path):
    for address in (HERE.raw(path), HERE.download(path, is_folder=False)):
        resolved = urlsplit(urljoin("http://host/base/sandbook/id/view", address))

        assert resolved.netloc == "host"
        assert resolved.path.startswith("/base/sandbook/id/files/")
        assert "/../" not in f"{resolved.path}/"


def test_a_path_comes_back_as_it_was():
    path = "/workspace/a b&c=+%41\n\udcff"

    query = urlsplit(HERE.view(path, page="2")).query

    assert parse_qs(query, errors="surrogateescape") == {"path": [path], "page": ["2"]}
