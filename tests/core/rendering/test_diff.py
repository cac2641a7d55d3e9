from sandbook.files.diff import unified_diff
from sandbook.rendering.diff import MAX_LINES, counted, diff_ansi, diff_html

DIFF = unified_diff("a", "one\ntwo\n", "one\n<b>three\x1b[2J\nfour\n", 3)


def test_lines_that_came_and_went_are_counted_and_coloured():
    assert counted(DIFF) == "+2 lines, −1 line"  # noqa: RUF001
    assert diff_ansi(DIFF) == (
        "\x1b[36m@@ -1,2 +1,3 @@\x1b[0m\n one\n\x1b[31m-two\x1b[0m\n"
        "\x1b[32m+<b>three\\x1b[2J\x1b[0m\n\x1b[32m+four\x1b[0m"
    )


def test_what_changed_cannot_act():
    html = diff_html("<i>a", "changed", DIFF)

    assert "<b>" not in html
    assert "<i>" not in html
    assert "\x1b" not in html
    assert html.count('<span class="sb-line sb-inserted">') == 2
    assert html.count('<span class="sb-line sb-deleted">') == 1


def test_a_long_diff_is_cut():
    diff = unified_diff("a", "", "x\n" * (MAX_LINES + 10))

    assert diff_html("a", "", diff).count('class="sb-line') == MAX_LINES + 1
    assert diff_ansi(diff).endswith("@ 11 more lines\x1b[0m")
