"""The file of a trajectory: what is kept, how much of it, and across restarts."""

import stat
from dataclasses import replace

import pytest

from sandbook.trajectory.entries import Entry, entries_from, line_from
from sandbook.trajectory.journal import FULL, Journal, journal_path, read_journal
from sandbook.trajectory.policy import TrajectoryPolicy

ENTRY = Entry(1, "2026-01-01T00:00:00.000+00:00", "agent", "run", "echo hi")


def journal(path, **settings):
    return Journal(path, TrajectoryPolicy(**settings))


def written(path, *entries, **settings):
    made = journal(path, **settings)
    for entry in entries:
        made.write(replace(entry, number=made.next_number()))
    made.close()
    return read_journal(path)


def test_entries_are_read_as_they_were_written(tmp_path):
    outputs = [{"output_type": "stream", "name": "stdout", "text": "hi\n"}]
    entry = replace(ENTRY, outputs=outputs, status="failed", seconds=1.5, hidden=True)

    assert written(tmp_path / "new" / "a.jsonl", entry) == [entry]
    assert stat.S_IMODE((tmp_path / "new" / "a.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_of_entries_with_a_number_the_last_counts_and_keeps_its_place():
    first, second = ENTRY, replace(ENTRY, number=2)
    later = replace(ENTRY, status="failed")

    assert entries_from([line_from(first), line_from(second), line_from(later)]) == [later, second]


def test_another_kernel_goes_on_also_after_half_a_line(tmp_path):
    path = tmp_path / "a.jsonl"
    written(path, ENTRY, ENTRY)
    with path.open("ab") as file:
        file.write(b'{"number": 3, "at": "20')

    found = written(path, ENTRY)

    assert [entry.number for entry in found] == [1, 2, 3]


def test_a_trajectory_ends_where_its_limit_is_and_says_so(tmp_path):
    large = replace(ENTRY, source="x" * 200_000)

    found = written(tmp_path / "a.jsonl", *[large] * 20, limit_mb=1)

    assert found[-1].kind == "note"
    assert found[-1].source == FULL
    assert (tmp_path / "a.jsonl").stat().st_size < 1 << 20
    assert written(tmp_path / "a.jsonl", ENTRY, limit_mb=1) == found


def test_one_huge_entry_does_not_end_it(tmp_path):
    huge = replace(ENTRY, source="x" * 3_000_000)

    first, second = written(tmp_path / "a.jsonl", huge, ENTRY, limit_mb=1)

    assert (first.kind, first.source) == ("note", "Not kept, for it is too large: run (2 MiB).")
    assert second == replace(ENTRY, number=2)


def test_the_oldest_trajectories_go(tmp_path):
    for name in "abc":
        written(tmp_path / f"{name}.jsonl", ENTRY, kept=2)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.jsonl", "c.jsonl"]


def test_nothing_is_kept_where_that_is_not_wished_or_not_possible(tmp_path):
    assert written(tmp_path / "a.jsonl", ENTRY, enabled=False) == []
    (tmp_path / "file").touch()
    made = journal(tmp_path / "file" / "a.jsonl")
    made.write(ENTRY)  # fails in its thread, and nobody minds
    made.close()
    assert not list(tmp_path.glob("*.jsonl"))


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".hidden", "a\nb", "é"])
def test_no_id_leads_anywhere_else(tmp_path, name):
    assert journal_path(tmp_path, name) is None


def test_an_id_has_a_file(tmp_path):
    assert journal_path(tmp_path, "3f2a-1.b") == tmp_path / "3f2a-1.b.jsonl"
