"""What the parts make of what they measured."""

import pytest

from benchmarks import agents, density, first_byte, latency, memory, output, session, start
from benchmarks.__main__ import PARTS, _parser
from benchmarks.contestants import (
    BASH_KERNEL,
    BUBBLEWRAP,
    DOCKER,
    IPYKERNEL,
    LOCAL,
    NOTHING,
    SWE_REX,
)
from benchmarks.runner import Run


def _verdicts(table):
    return {target.text: target.verdict for target in table.targets}


def test_start_is_beside_the_kernel_that_does_nothing():
    table = start.table_of({NOTHING: [1.0, 3.0, 1.0], DOCKER: [1.2, 9.0, 1.2]}, {SWE_REX: "gone"})

    assert table.value(DOCKER, "ratio") == pytest.approx(1.2)
    assert _verdicts(table) == {"sandbook, docker / do-nothing kernel": "ok"}
    assert table.rows[-1] == {"label": SWE_REX, "failed": "gone"}


def test_density_is_the_last_fifth_beside_the_first():
    table = density.table_of({"docker": [1.0] * 8 + [2.0] * 2}, {"docker": 0}, {})

    assert table.value("docker", "ratio") == 2.0
    assert list(_verdicts(table).values()) == ["missed", "ok"]


def test_latency_holds_peers_against_our_slowest_backend():
    seconds = {NOTHING: 0.004, DOCKER: 0.005, BUBBLEWRAP: 0.004, LOCAL: 0.007}
    seconds |= {BASH_KERNEL: 0.1, SWE_REX: 0.06}

    table = latency.table_of({label: [value] for label, value in seconds.items()}, {})

    assert _verdicts(table) == {
        "sandbook, docker / do-nothing kernel": "ok",
        "sandbook, bubblewrap / do-nothing kernel": "ok",
        "sandbook, local / do-nothing kernel": "missed",
        "bash_kernel / slowest sandbook": "ok",
        "swe-rex / slowest sandbook": "missed",
    }


def test_latency_without_any_floor_is_still_a_table():
    table = latency.table_of({DOCKER: [0.005]}, {NOTHING: "it died"})

    assert table.value(DOCKER, "p50_ms") == 5.0
    assert set(_verdicts(table).values()) == {"not measured"}


def test_a_session_is_beside_the_terminal_that_it_runs_on():
    seconds = {session.EXEC_CAT: [0.001], session.PTY_CAT: [0.0001], "session, docker": [0.002]}

    table = session.table_of({**seconds, "session, local": [0.0004]}, {})

    assert table.value("session, docker", "cat_ratio") == 2.0
    assert table.value("session, local", "cat_ratio") == pytest.approx(4.0)
    assert _verdicts(table)["session, docker / raw exec socket, cat"] == "ok"


def test_a_flood_is_beside_its_own_floor_and_failures_stay_in_the_table():
    measured = output.Measured
    results = {
        (output.RAW_EXEC, "52 MB"): measured(seconds=[2.0], found={"yes"}),
        (output.RAW_PTY, "52 MB"): measured(seconds=[1.0], found={"yes"}),
        (DOCKER, "52 MB"): measured(
            seconds=[3.0], peaks_mb=[70.0], found={"yes", "no, 3 of 5 bytes"}
        ),
        (LOCAL, "52 MB"): measured(seconds=[3.0], peaks_mb=[7.0], found={"yes, in the log"}),
        (SWE_REX, "15 MB"): measured(failed="DNF"),
    }

    table = output.table_of([output.RAW_EXEC, DOCKER, LOCAL, SWE_REX], results, {})

    verdicts = _verdicts(table)
    assert table.value(DOCKER, "52 MB ratio") == 1.5
    assert verdicts["sandbook, docker, peak over idle"] == "missed"
    assert verdicts["sandbook, docker, 52 MB complete"] == "missed"
    assert verdicts["sandbook, local, 52 MB / raw floor"] == "missed"
    assert verdicts["sandbook, local, 52 MB complete"] == "ok"
    assert table.rows[-1] == {"label": SWE_REX, "15 MB s": "DNF", "52 MB s": "skipped"}


def _run(text, said=""):
    return Run(0, 1, 0.1, text, said)


def test_output_is_complete_when_every_byte_is_in_the_cell():
    assert output.completeness(_run("1\r\n2\r\n3\r\n"), "1\n2\n3\n") == "yes"
    assert output.completeness(_run("1\n2\n"), "1\n2\n3\n") == "no, 3 of 5 bytes"


def test_output_is_complete_when_every_byte_is_in_the_log_that_the_cell_names(tmp_path):
    log = tmp_path / "sandbook" / "logs" / "cell-7.log"
    notice = f"... all of it: {log}]"

    assert output.completeness(_run("1\n", notice), "1\n2\n").startswith("no")
    log.parent.mkdir(parents=True)
    log.write_text("1\n")
    assert output.completeness(_run("1\n", notice), "1\n2\n") == "no, log of 2 bytes"
    log.write_text("1\n2\n")
    assert output.completeness(_run(f"1\n{notice}2\n"), "1\n2\n") == "yes, in the log"
    assert not log.exists()


def test_the_floods_are_as_long_as_they_say():
    assert len(output._flood("15 MB").expected) == pytest.approx(15e6, rel=1e-3)
    assert len(output._flood("52 MB").expected) == pytest.approx(52e6, rel=1e-3)


def test_the_first_byte_is_told_in_milliseconds():
    table = first_byte.table_of({DOCKER: [0.003, 0.060, 0.004], LOCAL: [0.051]}, {})

    assert table.value(DOCKER, "first_ms") == 4.0
    assert _verdicts(table) == {DOCKER: "ok", BUBBLEWRAP: "not measured", LOCAL: "missed"}


def test_memory_is_told_over_ipykernel():
    rss = {IPYKERNEL: [50.0], DOCKER: [64.0], LOCAL: [66.0]}

    table = memory.table_of(rss, rss, {})

    assert table.value(DOCKER, "over_mb") == 14.0
    assert list(_verdicts(table).values()) == ["ok", "not measured", "missed"]


def test_an_action_is_beside_a_cell_and_beside_what_the_other_design_allows():
    seconds = {agents.KERNEL: [0.004], agents.RUN: [0.010], agents.READ: [0.005]}
    found = agents.Measured({**seconds, agents.STREAM: [0.2]}, 250.0)
    found.memory_mb = {"server": [100.0] * 5 + [109.0] * 5, "kernel": [50.0] * 5 + [61.0] * 5}

    table = agents.table_of({DOCKER: found}, {BUBBLEWRAP: "gone"})

    run = f"{DOCKER}: {agents.RUN}"
    assert table.value(run, "ratio") == pytest.approx(2.5)
    assert table.value(run, "faster") == pytest.approx(50.0)
    assert table.rows[-1] == {"label": BUBBLEWRAP, "failed": "gone"}
    assert list(_verdicts(table).values()) == ["ok", "ok", "ok", "missed", "ok", "missed"]


def test_the_command_line_knows_all_parts_and_refuses_others(capsys):
    assert _parser().parse_args(["start", "--rounds", "2"]).rounds == 2
    for wrong in (["speed"], ["start", "--rounds", "0"]):
        with pytest.raises(SystemExit):
            _parser().parse_args(wrong)
    assert ", ".join(PARTS) in capsys.readouterr().err
