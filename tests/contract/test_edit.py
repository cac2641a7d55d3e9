"""`edit`: the texts of its answers, its diffs, and all its complaints."""

import pytest

from tests.contract.agent import Like, check, detail, edit, edited, ran, run

ON = ["docker"]
E = "{w}/e.txt"
CREATED = "File created successfully at: {w}/e.txt"
CAT = "Here's the result of running `cat -n` on"
REPLACED = f"The file {E} has been edited. {CAT} a snippet of {E}:\n"
INSERTED = f"The file {E} has been edited. {CAT} a snippet of the edited file:\n"
UNDONE = f"Last edit to {E} undone successfully. {CAT} {E}:\n"
CHECK = "Review the changes and make sure they are as expected. Edit the file again if necessary."
CHECK_LINES = (
    "Review the changes and make sure they are as expected (correct indentation, no duplicate "
    "lines, etc). Edit the file again if necessary."
)
HEAD = f"--- {E}\n+++ {E}\n"
NEW = (
    edit("create", file_text="one\ntwo\nthree\n"),
    edited(CREATED, f"{HEAD}@@ -0,0 +1,3 @@\n+one\n+two\n+three"),
)
ONLY_VIEW = "and only the `view` command can be used on"


def block(*lines, first=1):
    return "".join(f"{number:6}\t{line}\n" for number, line in enumerate(lines, first))


def replace(old, new, content, diff=""):
    given = {"old_str": old, "new_str": new}
    given = {key: value for key, value in given.items() if value is not None}
    return (edit("str_replace", **given), edited(content, diff, old=old, new=new))


def refused(request, reason, path=E, old=None, new=None):
    return (request, edited(f"ERROR:\n{reason}", path=path, old=old, new=new))


def bad_path(command, path, reason, **more):
    told = f"Invalid `path` parameter: {path}. {reason}"
    request = edit(command, path=path, **more)
    return refused(request, told, path, more.get("old_str"), more.get("new_str"))


AB = {"old_str": "a", "new_str": "b"}
LONG = [f"line {number}" for number in range(1, 21)]

CASES = {
    # create
    "a new file": [NEW, (run("cat e.txt"), ran("one\ntwo\nthree"))],
    "a new file without a newline": [
        (edit("create", file_text="x"), edited(CREATED, f"{HEAD}@@ -0,0 +1 @@\n+x")),
        (run("cat e.txt"), ran("x")),
    ],
    "an empty file": [(edit("create", file_text=""), edited(CREATED))],
    "a file that is there": [
        NEW,
        bad_path(
            "create",
            E,
            f"File already exists at: {E}. Cannot overwrite files using command `create`.",
            file_text="x",
        ),
    ],
    "nothing to write": [
        refused(edit("create"), "Parameter `file_text` is required for command: create.")
    ],
    "a folder that is missing": [
        refused(
            edit("create", path="{w}/no/e.txt", file_text="x"),
            "Ran into [Errno 2] No such file or directory: '{w}/no/e.txt' while trying to write "
            "to {w}/no/e.txt",
            "{w}/no/e.txt",
        )
    ],
    # view
    "a file is shown": [
        NEW,
        (edit("view"), edited(f"{CAT} {E}:\n" + block("one", "two", "three", ""))),
    ],
    "a folder is shown": [
        (run("mkdir d && touch b d/x"), ran("")),
        (
            edit("view", path="{w}"),
            edited(
                "Here's the files and directories up to 2 levels deep in {w}, "
                "excluding hidden items:\n{w}/\n{w}/b\n{w}/d/\n{w}/d/x",
                path="{w}",
            ),
        ),
    ],
    "a long file is cut": [
        (run("printf 'x%.0s' {1..20000} >e.txt"), ran("")),
        (
            edit("view"),
            edited(
                f"{CAT} {E}:\n     1\t" + "x" * 16000 + "<response clipped><NOTE>Due to the max "
                "output limit, only part of this file has been shown to you. You should retry "
                "this tool after you have searched inside the file with `grep -n` in order to "
                "find the line numbers of what you are looking for.</NOTE>\n"
            ),
        ),
    ],
    "a large folder is cut": [
        (run("touch a-rather-long-name-of-a-file-{1..400}"), ran("")),
        (
            edit("view", path="{w}"),
            edited(
                Like(
                    ".*<response clipped><NOTE>Due to the max output limit, only part of this "
                    "directory has been shown to you. You should use `ls -la` instead to view "
                    "large directories incrementally.</NOTE>"
                ),
                path="{w}",
            ),
        ),
    ],
    "what is not there is not shown": [
        bad_path(
            "view", "{w}/nope", "The path {w}/nope does not exist. Please provide a valid path."
        )
    ],
    "what is no text is not shown": [
        (run("printf '\\0\\1\\2\\377%.0s' {1..300} >b.bin"), ran("")),
        refused(
            edit("view", path="{w}/b.bin"),
            "File validation failed for {w}/b.bin: File appears to be binary and this file type "
            "cannot be read or edited by this tool.",
            "{w}/b.bin",
        ),
    ],
    "what is too large is not shown": [
        (run("truncate -s 11M big.txt"), ran("")),
        refused(
            edit("view", path="{w}/big.txt"),
            "File validation failed for {w}/big.txt: File is too large (11.0MB). "
            "Maximum allowed size is 10MB.",
            "{w}/big.txt",
        ),
        (run("rm big.txt"), ran("")),
    ],
    # str_replace
    "a word in the place of another": [
        NEW,
        replace(
            "two",
            "TWO",
            REPLACED + block("one", "TWO", "three", "") + CHECK,
            f"{HEAD}@@ -2 +2 @@\n-two\n+TWO",
        ),
        (run("cat e.txt"), ran("one\nTWO\nthree")),
    ],
    "lines go": [
        NEW,
        replace(
            "one\n",
            None,
            REPLACED + block("two", "three", "") + CHECK,
            f"{HEAD}@@ -1 +0,0 @@\n-one",
        ),
    ],
    "the lines around are shown": [
        (run("seq -f 'line %g' 1 20 >e.txt"), ran("")),
        replace(
            "line 10\n",
            "X\nY\n",
            REPLACED + block(*LONG[6:9], "X", "Y", *LONG[10:15], "", first=7) + CHECK,
            f"{HEAD}@@ -10 +10,2 @@\n-line 10\n+X\n+Y",
        ),
    ],
    "blanks around it are forgiven": [
        NEW,
        replace(
            "  two  ",
            "  TWO  ",
            REPLACED + block("one", "TWO", "three", "") + CHECK,
            f"{HEAD}@@ -2 +2 @@\n-two\n+TWO",
        ),
    ],
    "a word that is not there": [
        NEW,
        replace(
            "zzz",
            "x",
            f"ERROR:\nNo replacement was performed, old_str `zzz` did not appear verbatim in {E}.",
        ),
    ],
    "a word that is there twice": [
        NEW,
        replace(
            "e",
            "x",
            "ERROR:\nNo replacement was performed. Multiple occurrences of old_str `e` in lines "
            "[1, 3]. Please ensure it is unique.",
        ),
    ],
    "no word": [
        NEW,
        replace(None, "x", "ERROR:\nParameter `old_str` is required for command: str_replace."),
    ],
    "the same word": [
        NEW,
        replace(
            "one",
            "one",
            "ERROR:\nInvalid `new_str` parameter: one. No replacement was performed. `new_str` and "
            "`old_str` must be different.",
        ),
    ],
    # insert
    "a line": [
        NEW,
        (
            edit("insert", insert_line=1, new_str="INS"),
            edited(
                INSERTED + block("one", "INS", "two", "three", "") + CHECK_LINES,
                f"{HEAD}@@ -1,0 +2 @@\n+INS",
                new="INS",
            ),
        ),
    ],
    "a line before the first, whose number is a text": [
        NEW,
        (
            edit("insert", insert_line="0", new_str="S"),
            edited(
                INSERTED + block("S", "one", "two", "three", "") + CHECK_LINES,
                f"{HEAD}@@ -0,0 +1 @@\n+S",
                new="S",
            ),
        ),
    ],
    "a line behind the last": [
        NEW,
        (
            edit("insert", insert_line=3, new_str="end"),
            edited(
                INSERTED + block("one", "two", "three", "end", "") + CHECK_LINES,
                f"{HEAD}@@ -3,0 +4 @@\n+end",
                new="end",
            ),
        ),
    ],
    "a line where there is none": [
        NEW,
        refused(
            edit("insert", insert_line=99, new_str="x"),
            "Invalid `insert_line` parameter: 99. It should be within the range of allowed values: "
            "[0, 3]",
            new="x",
        ),
    ],
    "a line before all": [
        NEW,
        refused(
            edit("insert", insert_line=-1, new_str="x"),
            "Invalid `insert_line` parameter: -1. It should be within the range of allowed values: "
            "[0, 3]",
            new="x",
        ),
    ],
    "no number of a line": [
        NEW,
        refused(
            edit("insert", new_str="x"),
            "Parameter `insert_line` is required for command: insert.",
            new="x",
        ),
    ],
    "a number that is none": [
        NEW,
        refused(
            edit("insert", insert_line="ab", new_str="x"),
            "Invalid insert_line value: 'ab'. Expected an integer.",
            new="x",
        ),
    ],
    "nothing to insert": [
        NEW,
        refused(
            edit("insert", insert_line=1), "Parameter `new_str` is required for command: insert."
        ),
    ],
    # undo_edit
    "an edit is undone, and then the creation, which changes nothing": [
        NEW,
        replace(
            "two",
            "TWO",
            REPLACED + block("one", "TWO", "three", "") + CHECK,
            f"{HEAD}@@ -2 +2 @@\n-two\n+TWO",
        ),
        (
            edit("undo_edit"),
            edited(UNDONE + block("one", "two", "three", ""), f"{HEAD}@@ -2 +2 @@\n-TWO\n+two"),
        ),
        (edit("undo_edit"), edited(UNDONE + block("one", "two", "three", ""))),
        refused(edit("undo_edit"), f"No edit history found for {E}."),
    ],
    "nothing to undo": [
        (run("echo x >e.txt"), ran("")),
        refused(edit("undo_edit"), f"No edit history found for {E}."),
    ],
    # what is no edit
    "a command that there is not": [
        NEW,
        refused(
            edit("frob"),
            "Unrecognized command frob. The allowed commands for the oh_editor tool are: "
            "view, create, str_replace, insert, undo_edit",
        ),
    ],
    "no command": [
        NEW,
        refused(
            edit(""),
            "Unrecognized command . The allowed commands for the oh_editor tool are: "
            "view, create, str_replace, insert, undo_edit",
        ),
    ],
    "a relative path": [
        bad_path(
            "str_replace",
            "rel.txt",
            "The path should be an absolute path, starting with `/`.",
            **AB,
        )
    ],
    "a relative path that means something": [
        NEW,
        bad_path(
            "str_replace",
            "e.txt",
            f"The path should be an absolute path, starting with `/`. Maybe you meant {E}?",
            **AB,
        ),
    ],
    "a folder is not edited": [
        bad_path(
            "str_replace", "{w}", f"The path {{w}} is a directory {ONLY_VIEW} directories.", **AB
        )
    ],
    "a document is not edited": [
        (run("echo x >x.pdf"), ran("")),
        bad_path(
            "str_replace",
            "{w}/x.pdf",
            f"The path {{w}}/x.pdf points to a binary file (.pdf) {ONLY_VIEW} "
            "supported binary files.",
            **AB,
        ),
    ],
    "what is not there is not edited": [
        bad_path(
            "str_replace",
            "{w}/nope",
            "The path {w}/nope does not exist. Please provide a valid path.",
            **AB,
        )
    ],
    "an edit by a language model is the client's": [
        (
            edit("", impl_source="llm_based_edit", content="x"),
            detail(Like("Internal server error: Edits by a language model .*"), 400),
        )
    ],
    "line ends stay as they are": [
        (run("printf 'a\\r\\nb\\r\\n' >e.txt"), ran("")),
        replace("b", "c", Like(".*has been edited.*"), Like(".*-b\n\\+c")),
        (run("od -c e.txt | head -1"), ran(r"0000000   a  \r  \n   c  \r  \n")),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_an_edit(agent, place, name):
    check(agent, place, CASES[name])
