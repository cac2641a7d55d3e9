"""Whether bytes are text, in which encoding, and how to write it back the same. Pure."""

import codecs
import re
from dataclasses import dataclass

try:
    from charset_normalizer import from_bytes
except ImportError:  # where this module has travelled into a sandbox, without our dependencies
    from_bytes = None

from sandbook.files.entries import HEAD_LENGTH

MAX_CONTROLS = 0.02
"""The share of bytes that no text uses; logs of terminals have a few."""
LEAST_FOREIGN = 12
"""Fewer characters beyond ASCII say nothing about an alphabet."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\b\x1b"})
_NOT_ASCII = bytes(range(0x80, 0x100))
_ALPHABETS = [
    *("shift_jis", "euc_jp", "euc_kr", "gb18030", "big5"),
    *("koi8_r", "cp1251", "cp1253", "cp1255", "cp1256"),
]


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a text is stored."""

    name: str = "utf-8"
    bom: bytes = b""
    """The mark at the beginning, which is kept but is no part of the text."""

    def decode(self, data: bytes, *, strict: bool = False) -> str:
        """Read a text.

        Raises:
            UnicodeDecodeError: Only if strict: some bytes are none of this encoding.
        """
        return data.removeprefix(self.bom).decode(self.name, "strict" if strict else "replace")

    def encode(self, text: str) -> bytes:
        """Write a text; where this encoding lacks one of its characters, all of it in UTF-8."""
        try:
            return self.bom + text.encode(self.name)
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass")


def encoding_of(data: bytes) -> Encoding | None:
    """Tell the encoding of a file from its head, or `None` where it is binary.

    What is no Unicode is read in an encoding that gives every byte back when it is written.
    """
    head = data[:HEAD_LENGTH]
    for bom, name in _BOMS:
        if head.startswith(bom) and _is_sound(head[len(bom) :], name):
            return Encoding(name, bom)
    if wide := _wide_without_mark(head):
        return Encoding(wide)
    if b"\0" in head or _share(head, _CONTROLS) > MAX_CONTROLS:
        return None
    if _is_sound(head, "utf-8"):
        return Encoding()
    return Encoding(_legacy(head))


def decoded(data: bytes) -> tuple[str, Encoding] | None:
    """Read a whole text so that it can be written back byte by byte; `None` where it is binary."""
    encoding = encoding_of(data)
    if encoding is None or (b"\0" in data and not encoding.name.startswith("utf-")):
        return None
    for tried in (encoding, Encoding("latin-1")):
        try:
            text = tried.decode(data, strict=True)
        except UnicodeDecodeError:
            continue
        if tried.encode(text) == data:
            return text, tried
    return None


def _is_sound(head: bytes, name: str) -> bool:
    """Tell whether bytes decode; the last character may be cut off."""
    decoder = codecs.getincrementaldecoder(name)()
    try:
        decoder.decode(head, final=len(head) < HEAD_LENGTH - len(codecs.BOM_UTF32_LE))
    except UnicodeDecodeError:
        return False
    return True


def _wide_without_mark(head: bytes) -> str:
    """Recognise UTF-16 by its zeros, which stand at every other place in Western text."""
    if len(head) < LEAST_FOREIGN or head.count(0) < len(head) * 0.4:
        return ""
    for name, high, low in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        letters = head[low::2].replace(b"\0", b"")
        if not head[low::2].count(0) and head[high::2].count(0) > len(letters) * 0.8:
            sound = _is_sound(head, name) and _share(letters, _CONTROLS) <= MAX_CONTROLS
            return name if sound else ""
    return ""


def _legacy(head: bytes) -> str:
    """Guess which of the encodings before Unicode this is; Western ones are the usual case."""
    if from_bytes and len(head) - len(head.translate(None, _NOT_ASCII)) >= LEAST_FOREIGN:
        best = from_bytes(head, cp_isolation=[*_ALPHABETS, "cp1252"]).best()
        if best is not None and best.encoding in _ALPHABETS:
            return best.encoding
    is_windows = re.search(rb"[\x80-\x9f]", head) and _is_sound(head, "cp1252")
    return "cp1252" if is_windows else "latin-1"


def _share(data: bytes, of: bytes) -> float:
    return 1 - len(data.translate(None, of)) / len(data) if data else 0.0
