"""Who the programs of a sandbox run as. Pure."""

import re
from dataclasses import dataclass
from typing import Any

from traitlets import TraitError, Unicode

ROOT = "root"
FIRST_PERSON = 1000
"""The number of a named user where we ourselves are root, who has another name."""
NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
BAD_NAME = (
    "{!r} is no name of a user: at most 32 small letters, digits, `_` and `-`, "
    "of which a letter or `_` comes first"
)


@dataclass(frozen=True, slots=True)
class Identity:
    """A user as the kernel knows it and, if it was given one, its name."""

    uid: int
    gid: int
    name: str = ""

    @property
    def numbers(self) -> str:
        """Write user and group as an engine takes them."""
        return f"{self.uid}:{self.gid}"

    @property
    def home(self) -> str:
        """Its folder in the sandbox; nothing where it has no name."""
        return home_of(self.name) if self.name else ""

    @property
    def variables(self) -> dict[str, str]:
        """What programs look at to know who they work for; nothing where it has no name."""
        return variables_of(self.name) if self.name else {}


def identity_of(name: str, uid: int, gid: int) -> Identity:
    """Find who a name is where these are our own numbers: no name, and we are it ourselves."""
    if name == ROOT:
        return Identity(0, 0, ROOT)
    if name and uid == 0:
        return Identity(FIRST_PERSON, FIRST_PERSON, name)
    return Identity(uid, gid, name)


def home_of(name: str) -> str:
    """Name the home of a user."""
    return "/root" if name == ROOT else f"/home/{name}"


def lists_of(name: str, number: int) -> tuple[str, str]:
    """Write the lists of users and groups of a system that has root and this user."""
    user = f"{name}:x:{number}:{number}::{home_of(name)}:/bin/bash\n"
    return f"root:x:0:0:root:/root:/bin/bash\n{user}", f"root:x:0:\n{name}:x:{number}:\n"


def variables_of(name: str) -> dict[str, str]:
    """Give the variables that name a user and its home."""
    return {"HOME": home_of(name), "USER": name, "LOGNAME": name}


class UserName(Unicode[str, Any]):
    """The name of a user, as every Linux takes it; may be empty."""

    def validate(self, obj: Any, value: Any) -> str:
        """Refuse what would be no name, or more than one line or field of a list of users."""
        name = super().validate(obj, value)
        if name and not NAME.fullmatch(name):
            raise TraitError(BAD_NAME.format(name))
        return name
