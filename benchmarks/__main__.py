"""`make bench`: run all parts, or those named, print what they measured and keep it."""

import argparse
import signal
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import agents, density, files, first_byte, latency, memory, output, session, start
from benchmarks.contestants import gather
from benchmarks.document import PATH, write_document
from benchmarks.machine import describe
from benchmarks.peers import install_peers
from benchmarks.record import RESULT, add_part, begin_record, read_record, write_record
from benchmarks.report import as_text
from benchmarks.runner import Failure
from sandbook.errors import SandboxError

PARTS: dict[str, ModuleType] = {
    "start": start,
    "density": density,
    "latency": latency,
    "session": session,
    "output": output,
    "first-byte": first_byte,
    "memory": memory,
    "files": files,
    "agents": agents,
}
STOPPED = 130


def main() -> int:
    """Do what the command line says."""
    options = _parser().parse_args()
    if options.write_docs:
        return _write_docs()
    # Whoever ends us, by keyboard or not, wants nothing to be left behind.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        _measure(options.parts or list(PARTS), options.rounds)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return STOPPED
    return 0


def _parser() -> argparse.ArgumentParser:
    told = "\n".join(
        f"  {name:<12} {(part.__doc__ or '').strip()} ({part.ROUNDS} rounds)"
        for name, part in PARTS.items()
    )
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure Sandbook beside floors and peers, in one run.",
        epilog=f"parts, all by default:\n{told}\n\nThe numbers go to {RESULT}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="part", type=_part, help="which parts to run")
    parser.add_argument("--rounds", type=_count, help="how often, instead of each part's own count")
    parser.add_argument(
        "--write-docs",
        action="store_true",
        help=f"write {PATH} from the numbers of the last run; measures nothing",
    )
    return parser


def _part(name: str) -> str:
    if name not in PARTS:
        raise argparse.ArgumentTypeError(f"no part {name!r}; there are {', '.join(PARTS)}")
    return name


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds")
    return int(text)


def _measure(names: list[str], rounds: int | None) -> None:
    peers = install_peers()
    record = begin_record(describe(peers.versions), read_record())
    with tempfile.TemporaryDirectory(prefix="sandbook-bench-") as folder:
        contestants = gather(Path(folder), peers)
        for name in names:
            count = rounds or PARTS[name].ROUNDS
            print(f"\n{name}: {PARTS[name].__doc__}", flush=True)
            try:
                table = PARTS[name].measure(contestants, count)
            except (Failure, SandboxError, OSError) as error:
                print(f"  This part failed: {error}", flush=True)
                continue
            add_part(record, name, table, count)
            write_record(record)
            print(as_text(table), flush=True)
    print(f"\nAll numbers: {RESULT}")


def _write_docs() -> int:
    record: dict[str, Any] = read_record()
    if not record.get("parts"):
        print(f"There is no {RESULT} yet. Measure first: make bench", file=sys.stderr)
        return 1
    write_document(record, PARTS)
    print(f"Wrote {PATH}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
