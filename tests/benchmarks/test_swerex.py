"""The driver of swe-rex, with a stand-in for it."""

import sys

import pytest

from benchmarks import swerex
from benchmarks.runner import Failure, NotFinished

STAND_IN = """
import json, sys, time
time.sleep(0.2)
print("ready", flush=True)
for line in sys.stdin:
    command = json.loads(line)
    if command == "die":
        sys.exit()
    time.sleep(60 if command == "sleep" else 0)
    error = "Oops: no\\nmore" if command == "fail" else ""
    print(json.dumps({"text": command, "error": error, "seconds": 0.5}), flush=True)
"""


@pytest.fixture
def runner(tmp_path, monkeypatch):
    driver = tmp_path / "driver.py"
    driver.write_text(STAND_IN)
    monkeypatch.setattr(swerex, "DRIVER", driver)
    made = swerex.SweRexRunner(sys.executable, tmp_path, {})
    yield made
    made.close(now=True)


def test_the_time_is_what_swe_rex_says_and_counts_from_when_it_is_ready(runner):
    run = runner.run("echo hi")

    assert (run.text, run.seconds, run.first_s) == ("echo hi", 0.5, 0.5)


def test_what_goes_wrong_fits_into_a_table(runner):
    with pytest.raises(Failure, match=r"^Oops: no$"):
        runner.run("fail")
    with pytest.raises(NotFinished, match="not finished in 0 s"):
        runner.run("sleep", timeout=0.1)


def test_a_driver_that_dies_is_told(runner):
    for _ in range(2):
        with pytest.raises(Failure, match="swe-rex died"):
            runner.run("die")


def test_a_driver_that_does_not_start_is_told(tmp_path, monkeypatch):
    driver = tmp_path / "driver.py"
    driver.write_text("import no_such_module_of_anybody")
    monkeypatch.setattr(swerex, "DRIVER", driver)

    with pytest.raises(Failure, match="swe-rex died"):
        swerex.SweRexRunner(sys.executable, tmp_path, {})
