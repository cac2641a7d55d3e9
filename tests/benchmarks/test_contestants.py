"""Who takes part, and that nobody stays."""

import pytest

from benchmarks.contestants import Contestants, all_alive
from benchmarks.runner import Failure, Run


class Fake:
    pid = 1

    def __init__(self, error=None):
        self.error = error
        self.closed = 0

    def run(self, code, timeout=60):
        if self.error:
            raise self.error
        return Run(0, 0.1, 0.1, "hi\n", "")

    def close(self, *, now=False):
        self.closed += 1


def _contestants(tmp_path, **runners):
    return Contestants({name: lambda made=made: made for name, made in runners.items()}, tmp_path)


def test_one_that_fails_is_left_out_and_the_others_go_on(tmp_path):
    good, bad = Fake(), Fake(Failure("it died"))

    with all_alive(_contestants(tmp_path, bad=bad, good=good)) as field:
        assert list(field.alive) == ["good"]
        assert field.out == {"bad": "it died"}

    assert (good.closed, bad.closed) == (1, 1)


def test_nobody_stays_when_the_run_is_stopped_while_they_start(tmp_path):
    first, second = Fake(), Fake(KeyboardInterrupt())

    with (
        pytest.raises(KeyboardInterrupt),
        all_alive(_contestants(tmp_path, first=first, second=second)),
    ):
        pytest.fail("it was stopped")

    assert (first.closed, second.closed) == (1, 1)


def test_one_that_cannot_be_ended_does_not_save_the_others(tmp_path):
    good, bad = Fake(), Fake()
    bad.close = lambda *, now=False: (_ for _ in ()).throw(RuntimeError("no"))

    with all_alive(_contestants(tmp_path, good=good, bad=bad)):
        pass

    assert good.closed == 1
