"""`make bench`: run all parts, or those named, and print what they measured.

python -m benchmarks [start] [density]
"""

import asyncio
import json
import sys
from datetime import datetime, timezone
from pathlib import Path

from benchmarks import density, start

PARTS = {"start": start.measure, "density": density.measure}
RESULT = Path(".build/bench.json")


def main(names: list[str]) -> None:
    """Measure, print tables, keep the numbers."""
    measured: dict[str, object] = {"date": datetime.now(timezone.utc).isoformat()}
    for name in names or PARTS:
        print(f"\n{name}: {sys.modules[PARTS[name].__module__].__doc__}")
        measured[name] = asyncio.run(PARTS[name]())
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(measured, indent=2), "utf-8")
    print(f"\nAll numbers: {RESULT}")


if __name__ == "__main__":
    main(sys.argv[1:])
