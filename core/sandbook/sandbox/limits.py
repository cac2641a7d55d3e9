"""What a sandbox may use, and the settings for it that backends share."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from traitlets import Int

from sandbook.sandbox.amounts import Amount


@dataclass(frozen=True, slots=True)
class Limits:
    """What a sandbox may use; `None` means that nothing limits it."""

    memory_mb: int | None = None
    cpus: float | None = None
    pids: int | None = None
    process_memory_mb: int | None = None
    """Memory of each process alone, where nothing limits them together."""

    def to_json(self) -> dict[str, float]:
        """Give what limits something, and no more: older versions read it, too."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Limits":
        """Read what `to_json` gave, also that of a newer version."""
        names = {each.name for each in fields(cls)}
        return cls(**{name: limit for name, limit in value.items() if name in names})

    def __str__(self) -> str:
        parts = (
            f"{self.memory_mb} MiB memory" if self.memory_mb else "",
            f"{self.process_memory_mb} MiB memory per process" if self.process_memory_mb else "",
            f"{self.cpus:g} CPUs" if self.cpus else "",
            f"{self.pids} processes" if self.pids else "",
        )
        return ", ".join(part for part in parts if part) or "none"


def memory_mb(more: str = "") -> Int[int, int]:
    """Say how much memory a sandbox has, and what more there is to know about it."""
    text = f"Memory of a sandbox, in MiB, swap included.{more}"
    return Int(2048, min=64, help=text).tag(config=True)


def cpus(more: str = "") -> Amount:
    """Say how much it may compute."""
    text = f"How many CPUs a sandbox may keep busy.{more}"
    return Amount(2.0, min=0.01, help=text).tag(config=True)


def pids(more: str = ".") -> Int[int, int]:
    """Say how many processes it may have."""
    text = f"How many processes and threads a sandbox may have{more}"
    return Int(512, min=16, help=text).tag(config=True)


def open_files() -> Int[int, int]:
    """Say how many files a process may open."""
    text = "How many files each process of a sandbox may have open at once."
    return Int(16384, min=256, help=text).tag(config=True)


def tmp_mb(also: str = "", share: str = "a quarter") -> Int[int, int]:
    """Say how large /tmp is, which lies in memory."""
    return _folder_mb(f"/tmp{also}", 512, 1, share)  # noqa: S108 -- inside the sandbox


def home_mb() -> Int[int, int]:
    """Say how large a home is that lies in memory."""
    return _folder_mb("the home", 512, 1)


def shm_mb() -> Int[int, int]:
    """Say how much memory processes may share by files."""
    return _folder_mb("/dev/shm", 64, 8)  # noqa: S108 -- inside the sandbox


def _folder_mb(folder: str, size: int, least: int, share: str = "a quarter") -> Int[int, int]:
    text = f"Size of {folder}, in MiB. It is memory, so never more than {share} of that."
    return Int(size, min=least, help=text).tag(config=True)
