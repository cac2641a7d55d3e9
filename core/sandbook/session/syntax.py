"""Whether a piece of bash is whole: a quick look first, then bash's own words. Pure."""

import re
from collections.abc import Iterator
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

ASCII = 128
LARGE = 1 << 14
"""Larger pieces are left to bash, which says what is open when it gets there.

The parser takes seconds for some of 32 KiB, and crashes with some of 64: `a|a|a|...`.
"""

_LINE = re.compile(r"line (\d+): (.*)")
_OPEN = re.compile(r"unexpected EOF|unexpected end of file|delimited by end-of-file")
_CONDITION = re.compile(r"unexpected (?:token|argument) `(?:EOF|newline)'.* condition")
_HERE = re.compile(r"here-document at line (\d+) delimited by end-of-file \(wanted `(.*)'\)")
_MATCH = re.compile(r"unexpected EOF while looking for matching `(.*)'")
_CANDIDATE = re.compile(r"\bexec\b|\bset\s+-o\s+(?:vi|emacs)\b")
_EXEC = re.compile(
    rb"(?:(?:builtin|command)\s+)*\\?exec"
    rb"(?=\s+(?![0-9]*[<>&]|\{\w+(?:\[[^]\s]*\])?\}[<>]|--\s+(?:[0-9]*[<>&]|\{))\S)"
)
"""With a program. What only redirects must be bash's own, or it would be taken back."""
_OURS = b"${__sandbook_exec-exec}"
"""Bash's own `exec` wherever else the code may be run, such as in a function that is exported."""
_EDITING = re.compile(rb"set\s+-o\s+(vi|emacs)\s*")
"""Bash would go on to read from the terminal, past the rest of the code."""
_EVAL = re.compile(rb"(?:(?:builtin|command)\s+)*\\?eval\s")
_ELSEWHERE = {"subshell", "pipeline", "command_substitution", "process_substitution"}
SIGN = "\u2060\u2062\u2060".encode()
"""Stands in PS4 behind the character that bash repeats; nobody sees it, and `traces` finds it."""
_CONTINUES = re.compile(r"(?<!\\)(?:\\\\)*\\\n?$")


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def parse(source: bytes) -> Node:
    """Read code by the grammar."""
    return _parser().parse(source).root_node


def looks_incomplete(code: str) -> bool:
    """Say whether bash should be asked before the code is run: it may stop in the middle.

    Bash alone knows, but asking costs a process. So code that the grammar understands whole, and
    that holds no here-document, is taken for what it is.
    """
    if len(code) > LARGE:
        return False
    return "<<" in code or "coproc" in code or parse(code.encode("utf-8", "replace")).has_error


def fitted(code: str) -> str:
    """Put what does the same for the user in place of what would take the shell away from us."""
    if len(code) > LARGE or not _CANDIDATE.search(code):
        return code
    source = code.encode("utf-8", "surrogateescape")
    for start, end, instead in reversed(list(_unfit(source))):
        source = source[:start] + instead + source[end:]
    return source.decode("utf-8", "surrogateescape")


def _unfit(source: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Say from where to where to put something else, and what."""
    for command in _commands(parse(source)):
        name = command.child_by_field_name("name")
        start = name.start_byte if name else command.start_byte
        if _EDITING.fullmatch(source, start, command.end_byte):
            yield start, command.end_byte, b":"
        elif found := _EXEC.match(source, start):
            yield start, found.end(), b'"%s"' % _OURS
        elif _EVAL.match(source, start):
            for word in command.children:
                yield from _unfit_word(word)


def _commands(root: Node) -> Iterator[Node]:
    """Find what the shell itself would run, and none of its copies; it may be nested deeply."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.type == "command":
            yield node
        elif node.type not in _ELSEWHERE:
            nodes += reversed(node.children)


def _unfit_word(word: Node) -> Iterator[tuple[int, int, bytes]]:
    """Look into a word that is evaluated, as far as it stands there as it will be read."""
    text, start = word.text or b"", word.start_byte
    if word.type == "word" and text == b"exec":
        yield start, word.end_byte, b'"%s"' % _OURS
    elif word.type == "raw_string" or (word.type == "string" and not set(text) & set(b"\\`")):
        for begin, end, instead in _unfit(text[1:-1]):
            fit = instead if word.type == "raw_string" else instead.strip(b'"')
            yield start + 1 + begin, start + 1 + end, fit


def signed(source: bytes) -> bytes:
    """Sign what the code makes PS4, as `__sandbook_trace` has signed what it was before."""
    if len(source) > LARGE or b"PS4=" not in source:
        return source
    for at in reversed(list(_places_to_sign(parse(source)))):
        if source[at : at + 1] not in {b"$", b"`", b"\\", b""} and source[at] < ASCII:
            source = source[: at + 1] + SIGN + source[at + 1 :]
    return source


def _places_to_sign(node: Node) -> Iterator[int]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if node.type == "variable_assignment" and name and value and name.text == b"PS4":
        quoted = (value.text or b"")[:1] in {b"'", b'"'} and len(value.text or b"") > len("''")
        if quoted or value.type == "word":
            yield value.start_byte + quoted
    for child in node.children:
        yield from _places_to_sign(child)


def unclosed(words: str) -> tuple[int, str] | None:
    """Read from what `bash -n` says where something was left open, and what; else nothing."""
    for line in words.splitlines():
        match = _LINE.search(line)
        if match is None:
            continue
        if _CONDITION.search(line):
            return int(match[1]), "what is opened here is never closed: ]] is missing"
        if not _OPEN.search(line):
            continue
        if here := _HERE.search(line):
            return int(here[1]), f"the here-document that begins here has no end ({here[2]})"
        if quote := _MATCH.search(line):
            return int(match[1]), f"what is opened here is never closed: {quote[1]} is missing"
        return int(match[1]), "the end of something is missing, such as fi, done, esac or }"
    return None


def continues(code: str) -> bool:
    """Say whether the code ends in a backslash that carries on with the next line."""
    if not _CONTINUES.search(code):
        return False
    if "#" not in code.rstrip("\n").rpartition("\n")[2]:
        return True  # it is in no comment
    if len(code) > LARGE:
        return False
    source = code.rstrip("\n").encode("utf-8", "replace")
    last = parse(source).descendant_for_byte_range(len(source) - 1, len(source))
    return last is None or last.type != "comment"
