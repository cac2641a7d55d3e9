"""The limits that backends share, as settings: what they are called and what they begin with."""

from traitlets import Int

from sandbook.sandbox.amounts import Amount


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
