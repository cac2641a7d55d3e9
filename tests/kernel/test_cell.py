import pytest

from sandbook_kernel.cell import BashStep, MagicStep, parse

MAGICS = {"sandbox", "edit"}


@pytest.mark.parametrize(
    ("code", "steps"),
    [
        ("", []),
        ("  \n", []),
        ("ls\npwd", [BashStep("ls\npwd")]),
        ("%sandbox", [MagicStep("sandbox", "")]),
        ("%sandbox  now \nls", [MagicStep("sandbox", "now"), BashStep("ls")]),
        ("%%edit a.txt\none\n%sandbox\n", [MagicStep("edit", "a.txt", "one\n%sandbox\n")]),
        ("\n  # first\n%sandbox # now\n\n", [MagicStep("sandbox", "# now")]),
        ("%sandbox\n# then\n\nls", [MagicStep("sandbox", ""), BashStep("# then\n\nls")]),
        ("# one\nls\n%sandbox", [BashStep("# one\nls\n%sandbox")]),
        ("%1", [BashStep("%1")]),
        ("%%", [BashStep("%%")]),
        ("fg %2", [BashStep("fg %2")]),
        ("%unknown", [BashStep("%unknown")]),
        ("cat <<E\n%sandbox\nE", [BashStep("cat <<E\n%sandbox\nE")]),
    ],
)
def test_a_cell_is_magics_and_then_bash(code, steps):
    assert parse(code, MAGICS) == steps
