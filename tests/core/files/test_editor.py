import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbook.errors import EditError
from sandbook.files import editor, editor_texts
from sandbook.files.diff import unified_diff
from sandbook.files.edit_checks import Found, check_file, check_path
from sandbook.files.history import History

LONG = "".join(f"line {n}\n" for n in range(1, 31))


def test_a_range_shows_its_lines_only():
    shown = editor.view("/f", LONG, [29, -1])

    assert shown == (
        "Here's the result of running `cat -n` on /f:\n    29\tline 29\n    30\tline 30\n"
    )


@pytest.mark.parametrize(
    ("view_range", "reason"),
    [
        ([1], "It should be a list of two integers."),
        (["1", 2], "It should be a list of two integers."),
        ("ab", "It should be a list of two integers."),
        (7, "It should be a list of two integers."),
        ([0, 2], "Its first element `0` should be within the range of lines of the file: [1, 30]."),
        (
            [31, 40],
            "Its first element `31` should be within the range of lines of the file: [1, 30].",
        ),
        (
            [5, 3],
            "Its second element `3` should be greater than or equal to the first element `5`.",
        ),
    ],
)
def test_a_bad_range_is_refused_with_its_reason(view_range, reason):
    with pytest.raises(EditError) as caught:
        editor.view("/f", LONG, view_range)

    assert str(caught.value) == f"Invalid `view_range` parameter: {view_range}. {reason}"


def test_a_long_file_is_cut_and_says_how_to_go_on():
    shown = editor.view("/f", "x" * 20_000)

    assert "\t" + "x" * 16_000 + "<response clipped><NOTE>Due to the max output limit" in shown
    assert shown.endswith("line numbers of what you are looking for.</NOTE>\n")
    assert len(shown) < 16_500


def test_a_snippet_has_the_lines_around_the_edit():
    edit = editor.str_replace("/f", LONG, "line 10\n", "a\nb\n")

    assert edit.content.startswith(
        "The file /f has been edited. Here's the result of running `cat -n` on a snippet of /f:\n"
        "     7\tline 7\n     8\tline 8\n     9\tline 9\n    10\ta\n    11\tb\n    12\tline 11\n"
    )
    assert "    16\tline 15\n" in edit.content
    assert "line 16" not in edit.content


def test_the_snippet_of_an_insert_has_the_lines_around_it():
    edit = editor.insert("/f", LONG, 10, "new")

    assert "     7\tline 7\n" in edit.content
    assert "line 6\n" not in edit.content
    assert "    11\tnew\n    12\tline 11\n" in edit.content
    assert "    15\tline 14\n" in edit.content
    assert "line 15" not in edit.content


def test_white_space_around_is_forgiven_where_nothing_else_fits():
    assert editor.str_replace("/f", "a = 1\n", "  a = 1  ", " a = 2 ").text == "a = 2\n"


def test_all_lines_of_several_matches_are_told():
    with pytest.raises(EditError, match=r"in lines \[1, 3, 4\]\. Please ensure"):
        editor.str_replace("/f", "x\ny\nx x\nx\n", "x", "z")


def test_an_empty_string_stands_everywhere_but_in_an_empty_file_only_once():
    with pytest.raises(EditError, match=r"of old_str `` in lines \[1\]\. Please ensure"):
        editor.str_replace("/f", "abc", "", "z")
    with pytest.raises(EditError, match=r"of old_str `` in lines \[1, 2, 3\]\. Please ensure"):
        editor.str_replace("/f", "a\nb\n", "", "z")
    assert editor.str_replace("/f", "", "", "z").text == "z"


def test_very_many_matches_are_counted_in_time():
    with pytest.raises(EditError, match=r"in lines \[1, 2, 3, "):
        editor.str_replace("/f", "x\n" * 500_000, "x", "z")


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\n", "a\r\nb", "c\r\nd", "c\r\nd\r\n"),
        ("a\nb\r\nc\n", "b", "x", "a\nx\r\nc\n"),
        ("a\nb\r\nc\n", "a\nb\nc", "1\n2\n3", "1\n2\r\n3\n"),
        ("a\r\nb\r\nc", "c", "d", "a\r\nb\r\nd"),
        ("a\nb", "b", "c\r\nd", "a\nc\r\nd"),
        ("a\rb\n", "b", "c", "a\rc\n"),
        ("\ta\n", "\ta", "\tb", "\tb\n"),
    ],
)
def test_a_replacement_keeps_the_line_ends_of_the_file(before, old, new, after):
    assert editor.str_replace("/f", before, old, new).text == after


@pytest.mark.parametrize(
    ("before", "line", "new", "after"),
    [
        ("a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"),
        ("a\nb", 2, "c", "a\nb\nc\n"),
        ("", 0, "a", "a\n"),
        ("a\r\nb", 1, "c", "a\r\nc\r\nb"),
        ("a\u2028b\n\x0cc\n", 1, "x", "a\u2028b\nx\n\x0cc\n"),
    ],
)
def test_an_insert_keeps_the_line_ends_of_the_file(before, line, new, after):
    assert editor.insert("/f", before, line, new).text == after


def test_windows_line_ends_are_not_shown():
    assert editor.view("/f", "a\r\nb\r\n").endswith("     1\ta\n     2\tb\n     3\t\n")


@given(
    st.lists(st.sampled_from(["a", "b", "\n", "\r\n"])).map("".join),
    st.text("ab\n", max_size=8),
    st.data(),
)
def test_only_the_replaced_part_changes(before, new, data):
    shown = before.replace("\r\n", "\n")
    start = data.draw(st.integers(0, len(shown)))
    old = shown[start : data.draw(st.integers(start, len(shown)))]
    try:
        edit = editor.str_replace("/f", before, old, new)
    except EditError:
        return

    assert edit.text.replace("\r\n", "\n") == shown.replace(old, new)


def test_ten_edits_can_be_undone():
    history = History()
    text = "0"
    for number in range(1, 13):
        edit = editor.str_replace("/f", text, text, str(number))
        history.push("/f", edit.before)
        text = edit.text

    texts = []
    for _ in range(10):
        text = editor.undo("/f", text, history).text
        texts.append(text)

    assert texts == [str(number) for number in range(11, 1, -1)]
    with pytest.raises(EditError, match=r"No edit history found for /f\."):
        editor.undo("/f", text, history)


def test_the_history_of_one_file_knows_nothing_of_another():
    history = History()
    history.push("/a", "1")
    history.push("/b", "2")

    assert history.pop("/b") == "2"
    assert history.pop("/b") is None
    history.forget("/a")
    assert history.pop("/a") is None


def test_the_history_is_bounded():
    history = History(max_characters=25)
    for name in "abc":
        history.push(name, "x" * 10)

    assert history.pop("a") is None
    assert history.pop("b") == "x" * 10
    history.push("huge", "y" * 1000)
    assert history.pop("c") is None
    assert history.pop("huge") == "y" * 1000


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
@pytest.mark.parametrize("context", [0, 1, 3])
def test_a_diff_leads_from_the_old_to_the_new(context, old, new):
    before, after = "".join(f"{one}\n" for one in old), "".join(f"{one}\n" for one in new)

    diff = unified_diff("/f", before, after, context).splitlines()

    assert bool(diff) == (before != after)
    removed = [line[1:] for line in diff[2:] if line.startswith("-")]
    added = [line[1:] for line in diff[2:] if line.startswith("+")]
    assert len(added) - len(removed) == len(new) - len(old)
    assert _applied(old, diff[2:]) == new


def _applied(lines, diff):
    """Apply a diff as `patch` would."""
    result, at = [], 0
    for line in diff:
        if line.startswith("@@"):
            start, _, count = line.split()[1].lstrip("-").partition(",")
            first = int(start) - (count != "0")
            result += lines[at:first]
            at = first
        elif line[0] == "+":
            result.append(line[1:])
        else:
            assert lines[at] == line[1:]
            result += [line[1:]] if line[0] == " " else []
            at += 1
    return result + lines[at:]


def test_a_diff_with_context_looks_as_usual():
    old, new = LONG, LONG.replace("line 10\n", "ten\n").replace("line 20\n", "")
    usual = difflib.unified_diff(old.splitlines(), new.splitlines(), "/f", "/f", lineterm="")

    assert unified_diff("/f", old, new, context=3) == "\n".join(usual)


def test_two_large_texts_are_compared_in_no_time():
    old = "".join(f"{n}\n" for n in range(200_000))
    new = "".join(f"{n} {n}\n" for n in range(200_000))

    assert unified_diff("/f", old, new).splitlines()[2] == "@@ -1,200000 +1,200000 @@"


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Found(exists=True, size=11 << 20), r"File is too large \(11\.0MB\)\. Maximum .* is 10MB"),
        (Found(exists=True, is_binary=True), "File appears to be binary"),
    ],
)
def test_what_cannot_be_edited_is_refused(found, reason):
    with pytest.raises(EditError, match=f"File validation failed for /f: {reason}"):
        check_file("/f", found)


def test_documents_can_be_viewed_but_not_edited():
    pdf = Found(exists=True, is_binary=True)

    check_path("view", "/x.pdf", pdf)
    check_file("/x.pdf", pdf)
    with pytest.raises(EditError, match=r"points to a binary file \(\.pdf\)"):
        check_path("insert", "/x.pdf", pdf)


def test_hidden_entries_of_a_folder_are_counted():
    shown = editor_texts.folder("/w", ["b", "a/"], hidden=2)

    assert shown == (
        "Here's the files and directories up to 2 levels deep in /w, excluding hidden items:\n"
        "/w/\n/w/a/\n/w/b\n\n2 hidden files/directories in this directory are excluded. "
        "You can use 'ls -la /w' to see them."
    )


def test_a_large_folder_and_a_large_document_are_cut():
    assert "`ls -la` instead" in editor_texts.folder("/w", ["x" * 100] * 1000, hidden=0)
    assert "Please use Python libraries" in editor_texts.converted("/x.pdf", "x" * 17_000)
