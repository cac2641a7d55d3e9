"""Whether code is whole: also where it is long, and made to be slow to read."""

import time

import pytest

from sandbook.session.syntax import LARGE, continues, fitted, looks_incomplete

PIPELINE = "a|" * 40_000 + "a "


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("echo a \\", True),
        ("echo a \\\n", True),
        ("echo a \\\\", False),
        ("echo a", False),
        ("echo a # b \\", False),
        ("echo a#b \\", True),
        ("echo '# b' \\", True),
        ('echo "a\nb" # c \\', False),
        ("# a\necho b \\", True),
    ],
)
def test_a_backslash_at_the_end_continues_unless_it_is_in_a_comment(code, expected):
    assert continues(code) is expected


@pytest.mark.parametrize("end", ["\\", "# a \\", "'# a' \\", "", "exec sh"])
@pytest.mark.parametrize("code", [PIPELINE, PIPELINE[: LARGE - 20] + " ", "(" * (LARGE - 20)])
def test_no_code_keeps_the_processor_busy(code, end):
    begun = time.process_time()

    continues(code + end)
    looks_incomplete(code + end)
    fitted(code + end)

    assert time.process_time() - begun < 10  # it was a minute, or a crash
