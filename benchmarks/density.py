"""The time to start one more sandbox with a shell, when there are up to fifty already."""

import tempfile
import time
import uuid
from pathlib import Path
from statistics import median

from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.factory import SandboxFactory
from sandbook.session.bash import BashSession

COUNT = 50
STEP = 10


async def measure() -> dict[str, list[float]]:
    """Start fifty sandboxes of each kind, one after the other, and remove them all."""
    return {name: await _measure(name) for name in ("docker", "bubblewrap")}


async def _measure(name: str) -> list[float]:
    factory = SandboxFactory(backend=name)
    backend = await factory.choose()
    seconds: list[float] = []
    made: list[tuple[str, BashSession]] = []
    with tempfile.TemporaryDirectory() as workspace:
        for _ in range(COUNT):
            request = SandboxRequest(str(uuid.uuid4()), Path(workspace))
            begun = time.perf_counter()
            session = BashSession(await backend.create(request))
            await session.start()
            seconds.append(time.perf_counter() - begun)
            made.append((request.sandbox_id, session))
        for sandbox_id, session in made:
            session.close()
            await backend.remove(sandbox_id)
    left = {info.sandbox_id for info in await backend.list_all()} & {name for name, _ in made}
    factory.close()
    groups = [median(seconds[at : at + STEP]) for at in range(0, COUNT, STEP)]
    shown = "  ".join(f"{value:.3f}" for value in groups)
    print(f"  {name:<12} median of each ten: {shown} s   last/first {groups[-1] / groups[0]:.2f} x")
    print(f"  {'':<12} left behind: {len(left)}")
    return groups
