"""The file in a form, however the form is cut into pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbook.errors import InvalidRequestError
from sandbook_server.forms import FileForm

TYPE = "multipart/form-data; boundary=frontier"


def form(*parts):
    body = b"".join(
        b"--frontier\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % part for part in parts
    )
    return body + b"--frontier--\r\n"


FILE = b'name="file"; filename="a \xc3\xa9.txt"'


@given(st.binary(max_size=300), st.lists(st.integers(0, 600), max_size=8))
def test_it_is_found_wherever_the_pieces_end(data, cuts):
    data = data.replace(b"\r\n--frontier", b"")
    body = form((b'name="note"', b"passed over"), (FILE, data), (b'name="after"', b"too"))
    places = [0, *sorted(cuts), len(body)]
    reader = FileForm(TYPE)

    found = b"".join(reader.feed(body[begin:end]) for begin, end in pairwise(places))

    assert (reader.filename, found, reader.is_complete) == ("a é.txt", data, True)


def test_only_the_first_file_counts():
    reader = FileForm(TYPE)

    found = reader.feed(form((FILE, b"one"), (b'name="file"; filename="other"', b"two")))

    assert (reader.filename, found) == ("a é.txt", b"one")


def test_a_field_without_a_name_of_a_file_is_none():
    reader = FileForm(TYPE)

    assert reader.feed(form((b'name="file"', b"x"))) == b""
    assert reader.filename is None


def test_half_of_it_is_not_complete():
    reader = FileForm(TYPE)

    reader.feed(form((FILE, b"data"))[:-20])

    assert not reader.is_complete


@pytest.mark.parametrize("content_type", ["", "text/plain", "multipart/form-data"])
def test_what_is_no_form_is_refused(content_type):
    with pytest.raises(InvalidRequestError, match="multipart/form-data"):
        FileForm(content_type)


def test_a_broken_form_is_refused():
    with pytest.raises(InvalidRequestError, match="broken"):
        FileForm(TYPE).feed(b"something else")


def test_a_boundary_that_is_too_long_is_said():
    with pytest.raises(InvalidRequestError, match="256"):
        FileForm(f"multipart/form-data; boundary={'x' * 300}")
