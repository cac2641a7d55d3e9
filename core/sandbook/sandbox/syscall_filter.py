"""Which system calls processes in namespaces may not make, as a program for the kernel. Pure.

Containers have a list of all calls that are allowed (`seccomp.json`), which an engine translates.
Here nobody translates, so this is the short list of those that lead out: rings that go around every
other filter, keys of this machine's user, and the kernel's own tools for looking at itself. Of
sockets, it allows the kinds that a network namespace keeps apart: those between virtual machines
and their host belong to none.
"""

import platform
import struct
from collections.abc import Iterator, Sequence

LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER_AT, MACHINE_AT, FAMILY_AT = 0, 4, 16
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # with "Operation not permitted"
X32 = 0x40000000
"""From here on, calls of x86-64 are told in another way, with numbers of their own."""
RINGS = (425, 426, 427)
FAMILIES = (1, 2, 10, 16)
"""Sockets on this machine, of IPv4 and IPv6, and netlink; the same as in containers."""
SOCKET = {0xC000003E: 41, 0x40000003: 359, 0xC00000B7: 198, 0x40000028: 281}
REFUSED = {
    # machine: bpf, perf_event_open, userfaultfd, add_key, request_key, keyctl, open_by_handle_at
    0xC000003E: (*RINGS, 321, 298, 323, 248, 249, 250, 304),  # x86-64
    # and socketcall, which hides the kind of a socket in the memory of the caller
    0x40000003: (*RINGS, 357, 336, 374, 286, 287, 288, 342, 102),  # x86
    0xC00000B7: (*RINGS, 280, 241, 282, 217, 218, 219, 265),  # arm64
    0x40000028: (*RINGS, 386, 364, 388, 309, 310, 311, 371),  # arm
}
KNOWN = {"x86_64", "aarch64"}


def syscall_filter(machine: str | None = None) -> bytes:
    """Give the program; empty for a machine whose numbers we do not know."""
    if (machine or platform.machine()) not in KNOWN:
        return b""
    return b"".join(struct.pack("HBBI", *line) for line in _program())


def _program() -> Iterator[tuple[int, int, int, int]]:
    yield (LOAD, 0, 0, MACHINE_AT)
    for machine, numbers in REFUSED.items():
        block = list(_block(numbers, SOCKET[machine]))
        yield (EQUAL, 0, len(block), machine)
        yield from block
    yield (RETURN, 0, 0, REFUSE)  # a way of calling that we do not know


def _block(numbers: Sequence[int], socket: int) -> Iterator[tuple[int, int, int, int]]:
    """Refuse these calls, and sockets of other families; a jump tells how many lines it skips."""
    families = len(FAMILIES)
    rest = families + 2
    yield (LOAD, 0, 0, NUMBER_AT)
    yield (AT_LEAST, len(numbers) + rest, 0, X32)
    for index, number in enumerate(numbers, 1):
        yield (EQUAL, len(numbers) - index + rest, 0, number)
    yield (EQUAL, 0, rest, socket)
    yield (LOAD, 0, 0, FAMILY_AT)
    for index, family in enumerate(FAMILIES):
        yield (EQUAL, families - index, 0, family)
    yield (RETURN, 0, 0, REFUSE)
    yield (RETURN, 0, 0, ALLOW)
