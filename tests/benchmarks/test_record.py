"""The file of the numbers, and the document made of it."""

import pytest

from benchmarks.document import as_document, write_document
from benchmarks.record import add_part, begin_record, read_record, write_record
from benchmarks.report import Column, Table

MACHINE = {
    "cpus": 2,
    "system": "Some Linux",
    "versions": {"Python": "3.11"},
    "peers": {"bash_kernel": "0.10.0"},
}


@pytest.fixture
def record():
    made = begin_record(MACHINE, {})
    rows = [{"label": "ours", "s": 0.5}]
    add_part(made, "start", Table("From start to output", [Column("s", "seconds")], rows), 7)
    return made


def test_nothing_is_known_before_the_first_run(tmp_path):
    assert read_record(tmp_path / "bench.json") == {}


def test_what_was_written_is_read(tmp_path, record):
    path = tmp_path / "new" / "bench.json"

    write_record(record, path)

    assert read_record(path) == record


def test_parts_of_an_earlier_run_stay_if_machine_and_versions_are_the_same(record):
    assert begin_record(MACHINE, record)["parts"] == record["parts"]
    assert begin_record({**MACHINE, "cpus": 4}, record)["parts"] == {}


def test_the_document_tells_of_machine_versions_date_and_parts(tmp_path, record):
    path = tmp_path / "benchmarks.md"

    write_document(record, ["start", "density"], path)

    text = path.read_text()
    assert text.startswith("# Benchmarks\n")
    assert "make bench" in text
    assert record["parts"]["start"]["date"][:10] in text
    assert "| machine | 2 CPUs, Some Linux |" in text
    assert "bash_kernel 0.10.0" in text
    assert "## From start to output\n\nPart `start`, 7 rounds, ended 20" in text
    assert "| ours | 0.50 |" in text
    assert "Not measured: density." in text


def test_the_document_keeps_the_order_of_the_parts(record):
    add_part(record, "density", Table("One more", [Column("s", "seconds")]), 50)

    text = as_document(record, ["density", "start"])

    assert text.index("## One more") < text.index("## From start")
