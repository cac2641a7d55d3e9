"""Parts of files that clients ask for, however they do."""

from hypothesis import given
from hypothesis import strategies as st

from sandbook_server.headers import UnsatisfiableError, attachment, part_of


@given(st.text(alphabet="bytes=0123456789-, ", max_size=20), st.integers(0, 1000))
def test_a_part_is_always_inside_the_file(header, size):
    try:
        part = part_of(header, size)
    except UnsatisfiableError:
        return
    assert part is None or 0 <= part[0] < part[1] <= size


def test_numbers_and_units_are_taken_as_http_has_them():
    assert part_of("BYTES=2-3", 10) == (2, 4)
    assert part_of(f"bytes=0-{'9' * 50}", 10) == (0, 10)
    assert part_of(f"bytes={'9' * 5000}-", 10) is None
    assert part_of(f"bytes=-{'9' * 5000}", 10) is None


@given(st.text(max_size=30))
def test_no_name_breaks_out_of_its_header(name):
    header = attachment(name.encode("utf-8", "replace").decode())

    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2
