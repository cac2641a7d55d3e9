"""What bash tells of jobs without being asked: `[1] 4711` at once, `[1]+  Done …` some time later.

Both differ from run to run, and the second stands in whichever cell comes next. A program may say
the same, so only what bash can have said is taken: numbers of jobs that the code has begun. Pure.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from sandbook.session.syntax import LARGE, parse

_MAY_BEGIN = re.compile(rb"&|coproc")
_NAMED = re.compile(rb"([\w.:+-]+)[ \t]*\(\)|\b(?:function|alias)[ \t]+([\w.:+-]+)")
_WORD = re.compile(rb"[\w.:+-]+")
_BEGUN = re.compile(rb"\[(\d{1,9})\] (\d{1,9})\n")
_ENDED = re.compile(rb"\[(\d{1,9})\][-+ ]  (?!Running|Stopped)[A-Z][^\n]*\n")
_OPEN = re.compile(rb"(?:;|\bdo|\bthen|\bin ?|<<-?[ '\"\\]*(\w+)['\"]?)\n")
"""Bash shows a loop, or what reads a here-document, in several lines; the first one ends so."""
_CLOSED = re.compile(rb"^ ?(?:done|fi|esac|\}|\))[^\n]*\n", re.MULTILINE)
_CANDIDATE = re.compile(rb"^[\[(]", re.MULTILINE)
_NOW = re.compile(rb"\(wd now: [^\n]*\)\n")
_PART = re.compile(rb"\[(?:\d+(?:\](?: \d*|[-+ ](?: (?: (?:[A-Z][^\n]*)?)?)?)?)?)?")
_PART_OF_NOW = re.compile(rb"\((?:w(?:d[^\n]*)?)?")
LONGEST = 1 << 12
"""A notice is no longer; what only begins like one must not wait for ever."""
_REPEATS = {"for_statement", "c_style_for_statement", "while_statement", "function_definition"}
_MANY = 1 << 20


class Notices:
    """Takes the notices of one shell out of what its terminal says."""

    def __init__(self) -> None:
        self._jobs: dict[bytes, int] = {}
        self._functions: set[bytes] = set()
        self._asking = {b"jobs"}
        self._expected = 0
        self._shown = self._asked = False
        self._begins_line = True
        self._ends_notice = False
        self._held = b""

    def begin(self, source: bytes, *, shown: bool = False) -> None:
        """Begin with a command; all notices may be shown while it runs."""
        self._held, self._begins_line, self._ends_notice = b"", True, False
        words = set(_WORD.findall(source))
        # `jobs` shows what the notices do, and not what they have shown before.
        asks = bool(words & self._asking)
        self._shown, self._asked = shown, shown or asks
        if asks:
            self._asking |= {one or other for one, other in _NAMED.findall(source)}
        self._expected = _MANY if words & self._functions else self._count(source)

    def strip(self, data: bytes) -> bytes:
        """Give back what was asked for; what may become a notice has to wait for its end."""
        if not (self._jobs or self._expected or self._held or self._ends_notice):
            return data
        data, self._held = self._held + data, b""
        kept, taken = bytearray(), 0
        for candidate in _CANDIDATE.finditer(data):
            at = candidate.start()
            if at < taken or not (at or self._begins_line):
                continue
            self._ends_notice = self._ends_notice and at == taken
            end = self._notice(data, at)
            if end is None:
                continue
            kept += data[taken:at]
            taken = end or len(data)
            if not end:
                self._held = data[at:]
        kept += data[taken:]
        self._ends_notice = self._ends_notice and taken == len(data)
        if data:
            self._begins_line = data.endswith(b"\n") or bool(self._held)
        return bytes(kept)

    def rest(self) -> bytes:
        """Give back what waited, now that the command has ended."""
        held, self._held, self._begins_line = self._held, b"", True
        return held

    def _notice(self, data: bytes, at: int) -> int | None:
        """Say where the notice ends that begins here; 0 if more must come, None if it is none."""
        if found := _BEGUN.match(data, at):
            return found.end() if self._begins(*found.groups()) and not self._shown else None
        if found := _ENDED.match(data, at):
            return self._end_of(found, data)
        part = _PART
        if self._ends_notice:
            if found := _NOW.match(data, at):
                return found.end()
            part = _PART_OF_NOW if data[at : at + 1] == b"(" else _PART
        return 0 if part.fullmatch(data, at) and len(data) - at < LONGEST else None

    def _begins(self, number: bytes, pid: bytes) -> bool:
        """Note that a job has begun, if it can have: process numbers rise."""
        known = self._jobs.get(number)
        if not self._expected or (known is not None and int(pid) <= known):
            return False
        self._expected -= 1
        self._jobs[number] = int(pid)
        return True

    def _end_of(self, found: "re.Match[bytes]", data: bytes) -> int | None:
        if found[1] not in self._jobs or self._asked:
            return None
        end = found.end()
        if opened := _OPEN.search(found[0]):
            name = opened[1] and re.compile(rb"^%b\n[^\n]*\n" % opened[1], re.MULTILINE)
            closed = (name or _CLOSED).search(data, end)
            if closed is None:
                return 0 if len(data) - found.start() < LONGEST else None
            end = closed.end()
        del self._jobs[found[1]]
        self._ends_notice = True
        return end

    def _count(self, source: bytes) -> int:
        """Say how many jobs the code may begin, and remember the functions that may."""
        if not _MAY_BEGIN.search(source):
            return 0
        if len(source) > LARGE or b"coproc" in source:
            return _MANY
        count = 0
        for name, repeats in _operators(parse(source)):
            count += _MANY if repeats else 1
            if name:
                self._functions.add(name)
        return count


def _operators(root: Node) -> Iterator[tuple[bytes, bool]]:
    """Find each `&`: in which function it stands, and whether it may be reached again."""
    nodes = [(root, b"", False)]
    while nodes:
        node, name, repeats = nodes.pop()
        if node.type == "&":
            yield name, repeats
        if node.type == "function_definition" and (named := node.child_by_field_name("name")):
            name = named.text or name
        repeats = repeats or node.type in _REPEATS
        nodes += [(child, name, repeats) for child in node.children]
