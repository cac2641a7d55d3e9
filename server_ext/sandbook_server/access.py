"""What the user of a sandbox may write, guessed from outside: a hint for editors. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbook.files.entries import FileInfo

DAC_OVERRIDE = 1 << 1
OWNER_WRITES, GROUP_WRITES, OTHERS_WRITE = 0o200, 0o020, 0o002
MOUNT_POINT, OPTIONS = 4, 5
"""Which words of a line of mountinfo those are."""


@dataclass(frozen=True, slots=True)
class Access:
    """Who the programs in a sandbox are, and which of its folders nobody can write."""

    uid: int = 0
    groups: frozenset[int] = frozenset()
    is_almighty: bool = True
    mounts: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Whether each of them is read-only."""

    def may_write(self, path: str, info: FileInfo) -> bool:
        """Say whether a file can be changed, or something put into a folder."""
        if self._is_read_only(path):
            return False
        if self.is_almighty:
            return True
        if info.uid == self.uid:
            return bool(info.mode & OWNER_WRITES)
        return bool(info.mode & (GROUP_WRITES if info.gid in self.groups else OTHERS_WRITE))

    def _is_read_only(self, path: str) -> bool:
        above = [point for point in self.mounts if f"{path}/".startswith(f"{point.rstrip('/')}/")]
        return bool(above) and self.mounts[max(above, key=len)]


def access_from(status: str, mountinfo: str) -> Access:
    """Read what Linux says about a process in `/proc/self`."""
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    uid = int(lines["Uid"].split()[1])
    groups = {int(lines["Gid"].split()[1]), *map(int, lines.get("Groups", "").split())}
    almighty = bool(int(lines.get("CapEff", "0"), 16) & DAC_OVERRIDE)
    return Access(uid, frozenset(groups), almighty, dict(map(_mount, mountinfo.splitlines())))


def _mount(line: str) -> tuple[str, bool]:
    own, _, shared = line.partition(" - ")
    words = own.split()
    point = words[MOUNT_POINT].encode().decode("unicode_escape")
    options = {*words[OPTIONS].split(","), *shared.split()[-1].split(",")}
    return point, "ro" in options
