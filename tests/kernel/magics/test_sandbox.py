import pytest

from sandbook_kernel.magics.sandbox import uptime


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3600, "1 h 0 min"), (90_061, "25 h 1 min")],
)
def test_an_uptime_is_told_in_two_units(seconds, words):
    assert uptime(seconds) == words
