"""Tables of ratios, and their targets."""

import json

import pytest

from benchmarks.report import Column, Table, Target, as_markdown, as_text, divide, p95


@pytest.fixture
def table():
    columns = [Column("ms", "p50 ms", 1), Column("ratio", "x floor")]
    made = Table("Times", columns, notes=["In turn."])
    made.rows = [
        {"label": "floor", "ms": 2.0, "ratio": 1.0},
        {"label": "ours", "ms": 3.0, "ratio": 1.5},
        {"label": "theirs", "failed": "could not be installed"},
    ]
    made.targets = [Target("ours / floor", made.ratio("ours", "floor", "ms"), 1.5)]
    return made


@pytest.mark.parametrize(
    ("measured", "at_least", "verdict"),
    [
        (1.5, False, "ok"),
        (1.51, False, "missed"),
        (1.5, True, "ok"),
        (1.49, True, "missed"),
        (None, False, "not measured"),
        (None, True, "not measured"),
    ],
)
def test_a_target_is_met_missed_or_not_measured(measured, at_least, verdict):
    assert Target("x", measured, 1.5, at_least=at_least).verdict == verdict


def test_a_ratio_with_somebody_who_failed_is_not_measured(table):
    assert table.ratio("ours", "floor", "ms") == 1.5
    assert table.ratio("theirs", "floor", "ms") is None
    assert table.ratio("ours", "nobody", "ms") is None
    assert divide(1.0, 0.0) is None


def test_a_table_on_the_terminal_shows_numbers_failures_and_verdicts(table):
    lines = [" ".join(line.split()) for line in as_text(table).splitlines()]

    assert "ours 3.0 1.50" in lines
    assert "theirs could not be installed" in lines
    assert "ours / floor at most 1.5 x 1.50 x ok" in lines


def test_a_table_in_a_document_is_markdown(table):
    lines = as_markdown(table).splitlines()

    assert "| ours | 3.0 | 1.50 |" in lines
    assert "| theirs | could not be installed |  |" in lines
    assert "| ours / floor | at most 1.5 x | 1.50 x | ok |" in lines
    assert lines[-1] == "In turn."


def test_a_bar_in_a_cell_does_not_break_the_table():
    table = Table("", [Column("said", "said")], rows=[{"label": "one", "said": "a | b"}])

    assert "| one | a \\| b |" in as_markdown(table)


def test_a_table_survives_json(table):
    held = json.loads(json.dumps(table.as_json()))

    assert held["targets"][0]["verdict"] == "ok"
    assert as_markdown(Table.from_json(held)) == as_markdown(table)


def test_p95_is_above_all_but_one_in_twenty():
    assert p95([1.0]) == 1.0
    assert p95([float(n) for n in range(101)]) == 95.0
