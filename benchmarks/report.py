"""What a part has measured, as a table with its targets: for terminals, files and documents."""

from dataclasses import asdict, dataclass, field
from statistics import quantiles
from typing import Any

MISSING = "–"  # noqa: RUF001 -- a dash, as in any table
ENOUGH_FOR_QUANTILES = 2

Value = float | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column of numbers."""

    key: str
    heading: str
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Target:
    """What a number should be at most, or at least."""

    text: str
    measured: float | None
    limit: float
    unit: str = "x"
    at_least: bool = False

    @property
    def verdict(self) -> str:
        """Say whether it is met."""
        if self.measured is None:
            return "not measured"
        met = self.measured >= self.limit if self.at_least else self.measured <= self.limit
        return "ok" if met else "missed"

    @property
    def wish(self) -> str:
        """The limit in words."""
        return f"{'at least' if self.at_least else 'at most'} {self.limit:g} {self.unit}"

    @property
    def found(self) -> str:
        """The measured number in words."""
        return MISSING if self.measured is None else f"{self.measured:.2f} {self.unit}"


@dataclass(slots=True)
class Table:
    """The result of one part."""

    title: str
    columns: list[Column]
    rows: list[dict[str, Value]] = field(default_factory=list)
    """Each has a `label`, and a value for each column or the reason in `failed`."""
    targets: list[Target] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rounds: int = 0
    date: str = ""

    def value(self, label: str, key: str) -> float | None:
        """Look up a number; `None` if there is none."""
        for row in self.rows:
            found = row.get(key)
            if row["label"] == label and isinstance(found, int | float):
                return found
        return None

    def ratio(self, label: str, floor: str, key: str) -> float | None:
        """Divide a number of one row by that of another."""
        return divide(self.value(label, key), self.value(floor, key))

    def add_failures(self, out: dict[str, str]) -> None:
        """Tell of those who could not take part."""
        self.rows += [{"label": label, "failed": why} for label, why in out.items()]

    def as_json(self) -> dict[str, Any]:
        """Give it as JSON holds it, with the verdicts."""
        targets = [{**asdict(target), "verdict": target.verdict} for target in self.targets]
        return {**asdict(self), "targets": targets}

    @classmethod
    def from_json(cls, held: dict[str, Any]) -> "Table":
        """Make it again from JSON."""
        known = {key: value for key, value in held.items() if key not in {"columns", "targets"}}
        columns = [Column(**column) for column in held["columns"]]
        targets = [_target(target) for target in held["targets"]]
        return cls(columns=columns, targets=targets, **known)


def _target(held: dict[str, Any]) -> Target:
    return Target(**{key: value for key, value in held.items() if key != "verdict"})


def divide(value: float | None, by: float | None) -> float | None:
    """Divide, where there is something to divide."""
    return None if value is None or not by else value / by


def p95(values: list[float]) -> float:
    """Give the value that one in twenty is above."""
    if len(values) < ENOUGH_FOR_QUANTILES:
        return values[0]
    return quantiles(values, n=20, method="inclusive")[-1]


def as_text(table: Table) -> str:
    """Lay a table out for a terminal."""
    lines = _aligned([["", *(column.heading for column in table.columns)], *_cells(table)])
    if table.targets:
        checks = [[t.text, t.wish, t.found, t.verdict] for t in table.targets]
        lines += ["", *_aligned([["target", "wished", "measured", ""], *checks])]
    return "\n".join(f"  {line}".rstrip() for line in lines)


def as_markdown(table: Table) -> str:
    """Lay a table out for a document."""
    head = ["", *(column.heading for column in table.columns)]
    parts = [_markdown([head, *_cells(table)])]
    if table.targets:
        checks = [[t.text, t.wish, t.found, t.verdict] for t in table.targets]
        parts.append(_markdown([["target", "wished", "measured", "verdict"], *checks]))
    parts += table.notes
    return "\n\n".join(parts)


def _cells(table: Table) -> list[list[str]]:
    return [[str(row["label"]), *_values(table.columns, row)] for row in table.rows]


def _values(columns: list[Column], row: dict[str, Value]) -> list[str]:
    if "failed" in row:
        return [str(row["failed"]), *[""] * (len(columns) - 1)]
    return [_shown(row.get(column.key), column.digits) for column in columns]


def _shown(value: Value, digits: int) -> str:
    if isinstance(value, str):
        return value
    return MISSING if value is None else f"{value:.{digits}f}"


def _aligned(lines: list[list[str]]) -> list[str]:
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]


def _markdown(lines: list[list[str]]) -> str:
    head, *rest = lines
    rows = [head, ["---"] * len(head), *rest]
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in row)} |" for row in rows)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
