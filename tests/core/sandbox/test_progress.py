"""What engines say, added up."""

from sandbook.sandbox.progress import BuildMeter, PullMeter


def test_a_pull_adds_up_bytes_and_layers():
    meter = PullMeter("python:3.12")
    meter.take({"status": "Pulling from library/python", "id": "3.12"})
    meter.take({"status": "Already exists", "id": "a", "progressDetail": {}})
    meter.take({"status": "Pulling fs layer", "id": "b", "progressDetail": {}})
    meter.take({"status": "Downloading", "id": "b", "progressDetail": {"current": 5, "total": 10}})

    progress = meter.take(
        {"status": "Downloading", "id": "c", "progressDetail": {"current": 1, "total": 30}}
    )

    assert (progress.done, progress.total) == (6, 40)
    assert (progress.layers_done, progress.layers_total) == (1, 3)
    assert progress.text == "c: Downloading"


def test_a_layer_that_is_complete_counts_as_a_whole():
    meter = PullMeter("x")
    meter.take({"status": "Downloading", "id": "b", "progressDetail": {"current": 5, "total": 10}})

    progress = meter.take({"status": "Pull complete", "id": "b", "progressDetail": {}})

    assert (progress.done, progress.total, progress.layers_done) == (10, 10, 1)
    assert not progress.finished
    assert meter.finish().finished


def test_a_build_counts_the_steps_of_both_builders():
    meter = BuildMeter("x")

    assert meter.take("Step 3/9 : RUN true").layers_done == 2
    assert meter.take("#7 [4/5] RUN true").layers_total == 5
    assert meter.take("#8 [stage-0 5/5] RUN true").layers_done == 4
    assert meter.finish().layers_done == 5


def test_a_build_keeps_its_last_lines_without_colours():
    meter = BuildMeter("x", last_lines=2)

    for line in ("one\n", "\x1b[36mtwo\x1b[0m\n", "\n", "three\n"):
        meter.take(line)

    assert meter.last_lines == ["two", "three"]
