"""The peers, from PyPI, in an environment of their own."""

import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(".build/peers")
PACKAGES = ("bash_kernel", "calysto_bash", "ipykernel", "swe-rex")
LIST_VERSIONS = """
import json
from importlib.metadata import PackageNotFoundError, version
found = {}
for name in %r:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class Peers:
    """An environment with those peers that could be installed."""

    python: str
    versions: dict[str, str] = field(default_factory=dict)

    def why_missing(self, package: str) -> str:
        """Say why a peer cannot take part; nothing if it can."""
        return "" if package in self.versions else "could not be installed"


def install_peers(folder: Path = FOLDER) -> Peers:
    """Make the environment, once; whoever is missing from it is tried again."""
    python = (folder / "bin" / "python").absolute()
    if not python.with_name("pip").exists():
        print(f"Making {folder} for the peers", file=sys.stderr)
        try:
            venv.create(folder, clear=True, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"  It cannot be made: {error}", file=sys.stderr)
            return Peers(str(python))
    missing = [name for name in PACKAGES if name not in _versions(str(python))]
    if missing and not _pip_install(str(python), missing):
        for name in missing:
            _pip_install(str(python), [name])
    return Peers(str(python), _versions(str(python)))


def peer_environment() -> dict[str, str]:
    """Give what a peer is started with: ours, without the way to our own code."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _versions(python: str) -> dict[str, str]:
    program = LIST_VERSIONS % (PACKAGES,)
    command = [python, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def _pip_install(python: str, names: list[str]) -> bool:
    print(f"Installing {', '.join(names)}", file=sys.stderr)
    command = [python, "-m", "pip", "install", "--quiet", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"  pip could not: {done.stderr.strip()[-300:]}", file=sys.stderr)
    return done.returncode == 0
