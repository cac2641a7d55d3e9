"""From the start of a kernel to its first output, beside a kernel that does nothing."""

import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.kernels import first_output, install_floor, started

ROUNDS = 7
KERNELS = {
    "do-nothing kernel": ("nothing", {}),
    "sandbook, docker": ("sandbook", {"SANDBOOK_BACKEND": "docker"}),
    "sandbook, bubblewrap": ("sandbook", {"SANDBOOK_BACKEND": "bubblewrap"}),
    "sandbook, local": ("sandbook", {"SANDBOOK_BACKEND": "local"}),
}


async def measure() -> dict[str, dict[str, float]]:
    """Start all kernels in turn, several times over."""
    seconds: dict[str, list[float]] = {label: [] for label in KERNELS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install_floor(folder)
        workspace = folder / "workspace"
        workspace.mkdir()
        for _ in range(ROUNDS):
            for label, (kernel, environment) in KERNELS.items():
                begun = time.perf_counter()
                async with started(kernel, workspace, **environment) as client:
                    seconds[label].append(await first_output(client, "echo hi") - begun)
    floor = median(seconds["do-nothing kernel"])
    rows = {
        label: {"median_s": median(values), "ratio": median(values) / floor}
        for label, values in seconds.items()
    }
    for label, row in rows.items():
        print(f"  {label:<22} {row['median_s']:6.3f} s   {row['ratio']:5.2f} x")
    return rows
