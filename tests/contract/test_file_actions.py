"""`read` and `write`: what is told, which lines are meant, and what is wrong with a path."""

import base64
from unittest.mock import ANY

import pytest

from tests.contract.agent import (
    Expected,
    Like,
    check,
    failed,
    ran,
    read,
    run,
    upload,
    was_read,
    write,
    written,
)

NO_ENDS = "a\v\f\x85\u2028\u2029\rb"
"""What Python takes for the ends of lines, and no editor does."""
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAAB"
    "JRU5ErkJggg=="
)
BINARY = bytes(range(256)) * 4
ABC = [(write("a.txt", "l1\nl2\nl3"), written("{w}/a.txt"))]
NUMBERED = {"impl_source": "oh_aci"}
CAT = "Here's the result of running `cat -n` on {w}/a.txt:\n"


def stored(name, data):
    """Bring a file there that no action could write."""
    return (
        run(f"base64 -d >{name} <<<'{base64.b64encode(data).decode()}'"),
        ran(""),
    )


def lines(start, end, content):
    return [*ABC, (read("{w}/a.txt", start=start, end=end), was_read(content, "{w}/a.txt"))]


def range_of(view_range, content):
    told = was_read(content, "{w}/a.txt", "oh_aci")
    return [*ABC, (read("{w}/a.txt", view_range=view_range, **NUMBERED), told)]


def bad_range(view_range, reason):
    shown = str(view_range)
    return range_of(view_range, f"ERROR:\nInvalid `view_range` parameter: {shown}. {reason}")


def media(name, kind, data=b"plain"):
    told = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    return [stored(name, data), (read(name), was_read(told, f"{{w}}/{name}"))]


CASES = {
    # write
    "a new file": [*ABC, (run("cat a.txt"), ran("l1\nl2\nl3"))],
    "a new file in new folders": [
        (write("d1/d2/a.txt", "x"), written("{w}/d1/d2/a.txt")),
        (run("cat d1/d2/a.txt"), ran("x")),
    ],
    "a relative path is below the shell's folder": [
        (run("mkdir sub && cd sub"), ran("", cwd="{w}/sub")),
        (write("b.txt", "x"), written("{w}/sub/b.txt")),
        (run("cd ..; ls sub"), ran("b.txt")),
    ],
    "a newline is always added": [
        (write("a.txt", "whole\n"), written("{w}/a.txt")),
        (read("a.txt"), was_read("whole\n\n", "{w}/a.txt")),
    ],
    "nothing is a line, too": [
        (write("a.txt", ""), written("{w}/a.txt")),
        (read("a.txt"), was_read("\n", "{w}/a.txt")),
    ],
    "just what is given": [
        (write("a.txt", "", exact=True), written("{w}/a.txt")),
        (read("a.txt"), was_read("", "{w}/a.txt")),
        (write("a.txt", "a\nb\nc", exact=True), written("{w}/a.txt")),
        (read("a.txt"), was_read("a\nb\nc", "{w}/a.txt")),
        (write("a.txt", "x\ny\n", exact=True, start=1, end=2), written("{w}/a.txt")),
        (read("a.txt"), was_read("a\nx\ny\nc", "{w}/a.txt")),
        (write("a.txt", "x", exact=False), written("{w}/a.txt")),
        (read("a.txt"), was_read("x\n", "{w}/a.txt")),
    ],
    "a line in the place of another": [
        *ABC,
        (write("a.txt", "X\nY", start=1, end=2), written("{w}/a.txt")),
        (read("a.txt"), was_read("l1\nX\nY\nl3\n", "{w}/a.txt")),
    ],
    "all lines from one on": [
        *ABC,
        (write("a.txt", "Z", start=2), written("{w}/a.txt")),
        (read("a.txt"), was_read("l1\nl2\nZ\n", "{w}/a.txt")),
    ],
    "lines before all others": [
        *ABC,
        (write("a.txt", "first", start=0, end=0), written("{w}/a.txt")),
        (read("a.txt"), was_read("first\nl1\nl2\nl3\n", "{w}/a.txt")),
    ],
    "lines behind all others": [
        *ABC,
        (write("a.txt", "last", start=9, end=9), written("{w}/a.txt")),
        (read("a.txt"), was_read("l1\nl2\nl3\nlast\n", "{w}/a.txt")),
    ],
    "all of a file again": [
        *ABC,
        (write("a.txt", "new"), written("{w}/a.txt")),
        (read("a.txt"), was_read("new\n", "{w}/a.txt")),
    ],
    "only a newline ends a line, when one is chosen": [
        stored("a.txt", f"{NO_ENDS}\nl2\r\nl3\n".encode()),
        (read("a.txt", start=0, end=1), was_read(f"{NO_ENDS}\n", "{w}/a.txt")),
        (read("a.txt", start=1, end=2), was_read("l2\r\n", "{w}/a.txt")),
        (
            read("{w}/a.txt", view_range=[2, 3], **NUMBERED),
            was_read(f"{CAT}     2\tl2\n     3\tl3\n", "{w}/a.txt", "oh_aci"),
        ),
    ],
    "only a newline ends a line, when one is replaced": [
        stored("a.txt", f"{NO_ENDS}\nl2\r\nl3\n".encode()),
        (write("a.txt", NO_ENDS, start=1, end=2), written("{w}/a.txt")),
        (read("a.txt"), was_read(f"{NO_ENDS}\n{NO_ENDS}\nl3\n", "{w}/a.txt")),
    ],
    "letters of all kinds": [
        (write("ü b.txt", "日本 ✓ é\ttab"), written("{w}/ü b.txt")),
        (read("ü b.txt"), was_read("日本 ✓ é\ttab\n", "{w}/ü b.txt")),
    ],
    "a new file has a mode of its own": [*ABC, (run("stat -c %a a.txt"), ran("664"))],
    "an old file keeps its mode": [
        *ABC,
        (run("chmod 750 a.txt"), ran("")),
        (write("a.txt", "x"), written("{w}/a.txt")),
        (run("stat -c %a a.txt"), ran("750")),
    ],
    "a folder cannot be written": [
        (write("{w}", "x"), failed("Path is a directory: {w}. You can only write to files"))
    ],
    "lines of what is no text cannot be replaced": [
        stored("b.txt", b"\xff\xfe\xff\n" * 3),
        (write("b.txt", "x", start=1), failed("File could not be decoded as utf-8: {w}/b.txt")),
    ],
    "a file is no folder": [
        *ABC,
        (write("a.txt/b", "x"), failed(Like(r".*{w}/a\.txt.*"))),
    ],
    # read
    "what is there": [*ABC, (read("a.txt"), was_read("l1\nl2\nl3\n", "{w}/a.txt"))],
    "an absolute path": [*ABC, (read("{w}/a.txt"), was_read("l1\nl2\nl3\n", "{w}/a.txt"))],
    "the first line": lines(0, 1, "l1\n"),
    "the second line": lines(1, 2, "l2\n"),
    "from the second line on": lines(1, -1, "l2\nl3\n"),
    "the last line": lines(2, -1, "l3\n"),
    "the last line, as a range that is moved": lines(2, 3, "l2\nl3\n"),
    "an empty range": lines(0, 0, "l1\n"),
    "an empty range further on": lines(2, 2, "l2\n"),
    "a range behind the end": lines(5, 9, "l2\nl3\n"),
    "a range that is too long": lines(0, 10, "l1\nl2\nl3\n"),
    "no newline at the end": [
        (run("printf 'a\\nb' >a.txt"), ran("")),
        (read("a.txt"), was_read("a\nb", "{w}/a.txt")),
    ],
    "an empty file": [(run(": >a.txt"), ran("")), (read("a.txt"), was_read("", "{w}/a.txt"))],
    "a file that is not there": [
        (
            read("nope.txt"),
            failed("File not found: {w}/nope.txt. Your current working directory is {w}."),
        )
    ],
    "names have large and small letters": [
        *ABC,
        (
            read("{w}/A.TXT"),
            failed("File not found: {w}/A.TXT. Your current working directory is {w}."),
        ),
    ],
    "a folder cannot be read": [
        (read("{w}"), failed("Path is a directory: {w}. You can only read files"))
    ],
    "what is no text": [stored("b.bin", BINARY), (read("b.bin"), failed("ERROR_BINARY_FILE"))],
    "text in another encoding": [
        stored("l1.txt", "caf\xe9 au lait, s'il vous pla\xeet\n".encode("latin-1") * 3),
        (read("l1.txt"), failed("File could not be decoded as utf-8: {w}/l1.txt.")),
    ],
    # media
    "a picture": media("p.png", "image/png", base64.b64decode(PIXEL)),
    "a picture, by an absolute path (the original says it is binary)": [
        stored("p.png", base64.b64decode(PIXEL)),
        (read("{w}/p.png"), was_read(f"data:image/png;base64,{PIXEL}", "{w}/p.png")),
    ],
    "a picture in large letters": media("P.PNG", "image/png"),
    "a picture that is none": media("t.png", "image/png"),
    "a photograph": media("p.jpg", "image/jpeg"),
    "another photograph": media("p.jpeg", "image/jpeg"),
    "an animation": media("p.gif", "image/gif"),
    "a bitmap": media("g.bmp", "image/bmp"),
    "a document": media("x.pdf", "application/pdf"),
    "a film": media("v.mp4", "video/mp4"),
    "another film": media("v.webm", "video/webm"),
    "a sound": media("v.ogg", "audio/ogg"),
    "a drawing is text": [
        (run("printf '<svg/>' >g.svg"), ran("")),
        (read("g.svg"), was_read("<svg/>", "{w}/g.svg")),
    ],
    # read as the editor shows it
    "with numbers": range_of(None, f"{CAT}     1\tl1\n     2\tl2\n     3\tl3\n     4\t\n"),
    "with numbers, some lines": range_of([2, 3], f"{CAT}     2\tl2\n     3\tl3\n"),
    "with numbers, to the end": range_of([2, -1], f"{CAT}     2\tl2\n     3\tl3\n"),
    "with numbers, further than the end": range_of(
        [1, 5],
        "NOTE: We only show up to 3 since there're only 3 lines in this file.\n"
        f"{CAT}     1\tl1\n     2\tl2\n     3\tl3\n",
    ),
    "a range of one number": bad_range([1], "It should be a list of two integers."),
    "a range of words": bad_range(["a", "b"], "It should be a list of two integers."),
    "a range that begins before the file": bad_range(
        [0, 2], "Its first element `0` should be within the range of lines of the file: [1, 3]."
    ),
    "a range that begins behind the file": bad_range(
        [4, 5], "Its first element `4` should be within the range of lines of the file: [1, 3]."
    ),
    "a range that ends before it begins": bad_range(
        [3, 2],
        "Its second element `2` should be greater than or equal to the first element `3`.",
    ),
    "a range of a folder": [
        (
            read("{w}", view_range=[1, 2], **NUMBERED),
            was_read(
                "ERROR:\nInvalid `view_range` parameter: [1, 2]. The `view_range` parameter is not "
                "allowed when `path` points to a directory.",
                "{w}",
                "oh_aci",
            ),
        )
    ],
    "with numbers, what is not there": [
        (
            read("{w}/nope", **NUMBERED),
            was_read(
                "ERROR:\nInvalid `path` parameter: {w}/nope. The path {w}/nope does not exist. "
                "Please provide a valid path.",
                "{w}/nope",
                "oh_aci",
            ),
        )
    ],
    "with numbers, a relative path": [
        *ABC,
        (
            read("a.txt", **NUMBERED),
            was_read(
                "ERROR:\nInvalid `path` parameter: a.txt. The path should be an absolute path, "
                "starting with `/`. Maybe you meant {w}/a.txt?",
                "a.txt",
                "oh_aci",
            ),
        ),
    ],
    "with numbers, what is no text": [
        stored("b.bin", BINARY),
        (read("{w}/b.bin", **NUMBERED), failed("ERROR_BINARY_FILE")),
    ],
    "a folder": [
        (run("mkdir -p d/e/f && touch b d/x d/e/y .h d/.g"), ran("")),
        (
            read("{w}", **NUMBERED),
            was_read(
                "Here's the files and directories up to 2 levels deep in {w}, "
                "excluding hidden items:\n{w}/\n{w}/b\n{w}/d/\n{w}/d/e/\n{w}/d/x\n\n"
                "1 hidden files/directories in this directory are excluded. "
                "You can use 'ls -la {w}' to see them.",
                "{w}",
                "oh_aci",
            ),
        ),
    ],
    "a file that was uploaded": [
        (upload("q.txt", b"one\n", destination="{w}"), Expected(ANY)),
        (read("q.txt"), was_read("one\n", "{w}/q.txt")),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_action(agent, place, name):
    check(agent, place, CASES[name])
