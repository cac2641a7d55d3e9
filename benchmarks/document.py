"""The document of the numbers, written from the file of the numbers."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.report import Table, as_markdown

PATH = Path("docs/benchmarks.md")
HEAD = """\
# Benchmarks

`make bench` measures on your machine and writes `.build/bench.json`; from that,
`make bench PARTS=--write-docs` wrote this page. Only the ratios within one run count, since
machines are noisy. A missed target fails nothing.
"""


def write_document(record: dict[str, Any], order: Iterable[str], path: Path = PATH) -> None:
    """Write the page."""
    path.write_text(as_document(record, order), "utf-8")


def as_document(record: dict[str, Any], order: Iterable[str]) -> str:
    """Lay out what is known of each part, and name the parts that are not measured."""
    measured = {name: Table.from_json(record["parts"][name]) for name in record["parts"]}
    known = [name for name in order if name in measured]
    sections = [HEAD.rstrip(), _machine(record["machine"], measured)]
    sections += [_section(name, measured[name]) for name in known]
    if missing := [name for name in order if name not in measured]:
        sections.append(f"Not measured: {', '.join(missing)}.")
    return "\n\n".join(sections) + "\n"


def _machine(machine: dict[str, Any], measured: dict[str, Table]) -> str:
    dates = sorted({table.date[:10] for table in measured.values()})
    rows = {
        "measured": ", ".join(dates),
        "machine": f"{machine['cpus']} CPUs, {machine['system']}",
        "versions": _listed(machine["versions"]),
        "peers": _listed(machine["peers"]) or "none",
    }
    lines = ["| | |", "| --- | --- |", *(f"| {name} | {text} |" for name, text in rows.items())]
    return "\n".join(lines)


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _section(name: str, table: Table) -> str:
    ended = table.date[:16].replace("T", " ")
    made = f"Part `{name}`, {table.rounds} rounds, ended {ended} UTC."
    return f"## {table.title}\n\n{made}\n\n{as_markdown(table)}"
