"""Which system calls processes in namespaces may not make, as a program for the kernel. Pure.

Containers have a list of all calls that are allowed (`seccomp.json`), which an engine translates.
Here nobody translates, so this is the short list of those that lead out: rings that go around every
other filter, keys of this machine's user, and the kernel's own tools for looking at itself. Of
sockets, it allows the kinds that a network namespace keeps apart: those between virtual machines
and their host belong to none.

It also refuses set-user-ID and set-group-ID bits: a file of the workspace is a file of this
machine, where such a bit lends the rights of its owner to every user who runs the file.
"""

import errno
import platform
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LOAD, EQUAL, AT_LEAST, HAS_ANY, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT, ARGUMENT_SIZE = 0, 4, 16, 8
ALLOW, FAIL = 0x7FFF0000, 0x00050000
REFUSE = FAIL | errno.EPERM
MISSING = FAIL | errno.ENOSYS
"""For calls whose arguments a filter cannot see: programs then fall back to the older ones."""
X32 = 0x40000000
"""From here on, calls of x86-64 are told in another way, with numbers of their own."""
SET_ID_BITS = 0o6000
CREATES = 0o20000100
"""The flags of `open` with which it takes a mode: O_CREAT, or the kernel's part of O_TMPFILE."""
RINGS = (425, 426, 427)
OPENAT2, FCHMODAT2 = 437, 452
FAMILIES = (1, 2, 10, 16)
"""Sockets on this machine, of IPv4 and IPv6, and netlink; the same as in containers."""

Line = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Calls:
    """The numbers that one kind of machine has for the calls we look at."""

    refused: tuple[int, ...]
    """bpf, perf_event_open, userfaultfd, add_key, request_key, keyctl, open_by_handle_at."""
    socket: int
    modes: dict[int, int]
    """Calls that take the mode of a file, and which argument that is."""
    opens: dict[int, int]
    """Calls that take flags and then, with some flags, a mode; and which argument the flags are."""


CALLS = {
    0xC000003E: Calls(  # x86-64
        refused=(321, 298, 323, 248, 249, 250, 304),
        socket=41,
        modes={90: 1, 91: 1, 268: 2, 85: 1, 133: 1, 259: 2},
        opens={2: 1, 257: 2},
    ),
    0x40000003: Calls(  # x86; also socketcall, which hides the kind of a socket
        refused=(357, 336, 374, 286, 287, 288, 342, 102),
        socket=359,
        modes={15: 1, 94: 1, 306: 2, 8: 1, 14: 1, 297: 2},
        opens={5: 1, 295: 2},
    ),
    0xC00000B7: Calls(  # arm64
        refused=(280, 241, 282, 217, 218, 219, 265),
        socket=198,
        modes={52: 1, 53: 2, 33: 2},
        opens={56: 2},
    ),
    0x40000028: Calls(  # arm
        refused=(386, 364, 388, 309, 310, 311, 371),
        socket=281,
        modes={15: 1, 94: 1, 333: 2, 8: 1, 14: 1, 324: 2},
        opens={5: 1, 322: 2},
    ),
}
KNOWN = {"x86_64", "aarch64"}


def syscall_filter(machine: str | None = None) -> bytes:
    """Give the program; empty for a machine whose numbers we do not know."""
    if (machine or platform.machine()) not in KNOWN:
        return b""
    return b"".join(struct.pack("HBBI", *line) for line in _program())


def _program() -> Iterator[Line]:
    yield (LOAD, 0, 0, MACHINE_AT)
    for machine, calls in CALLS.items():
        block = list(_block(calls))
        yield (EQUAL, 0, len(block), machine)
        yield from block
    yield (RETURN, 0, 0, REFUSE)  # a way of calling that we do not know


def _block(calls: Calls) -> Iterator[Line]:
    """Decide about the calls of one machine."""
    yield (LOAD, 0, 0, NUMBER_AT)
    yield from ((AT_LEAST, 0, 1, X32), (RETURN, 0, 0, REFUSE))
    for number in (*RINGS, *calls.refused):
        yield from _if(number, [(RETURN, 0, 0, REFUSE)])
    for number in (OPENAT2, FCHMODAT2):
        yield from _if(number, [(RETURN, 0, 0, MISSING)])
    for number, mode in calls.modes.items():
        yield from _if(number, list(_check_mode(mode)))
    for number, flags in calls.opens.items():
        yield from _if(number, list(_check_open(flags)))
    yield from _if(calls.socket, list(_check_family()))
    yield (RETURN, 0, 0, ALLOW)


def _if(number: int, then: Sequence[Line]) -> Iterator[Line]:
    """Do something, which must end with a decision, if this is the call; a jump skips lines."""
    yield (EQUAL, 0, len(then), number)
    yield from then


def _argument(index: int) -> Line:
    """Load the low half of an argument: modes, flags and families fit in it."""
    return (LOAD, 0, 0, ARGUMENTS_AT + ARGUMENT_SIZE * index)


def _check_mode(argument: int) -> Iterator[Line]:
    yield _argument(argument)
    yield (HAS_ANY, 0, 1, SET_ID_BITS)
    yield (RETURN, 0, 0, REFUSE)
    yield (RETURN, 0, 0, ALLOW)


def _check_open(flags: int) -> Iterator[Line]:
    yield _argument(flags)
    yield (HAS_ANY, 1, 0, CREATES)  # without these flags, the mode may be anything
    yield (RETURN, 0, 0, ALLOW)
    yield from _check_mode(flags + 1)


def _check_family() -> Iterator[Line]:
    yield _argument(0)
    for index, family in enumerate(FAMILIES):
        yield (EQUAL, len(FAMILIES) - index, 0, family)
    yield (RETURN, 0, 0, REFUSE)
    yield (RETURN, 0, 0, ALLOW)
