"""sandbook rm on every backend."""

import os

RM = f"cli-rm-{os.getpid()}"
"""How ids begin that no other run of the tests uses at this moment."""


def test_a_unique_beginning_is_enough(sandbook, many, listed):
    many(f"{RM}-aa", f"{RM}-bb")

    done = sandbook("rm", f"{RM}-a")

    assert (done.code, done.out) == (0, f"{RM}-aa\n")
    assert listed() & {f"{RM}-aa", f"{RM}-bb"} == {f"{RM}-bb"}


def test_an_exact_id_wins_over_a_longer_one(sandbook, many, listed):
    many(f"{RM}-a", f"{RM}-ab")

    assert sandbook("rm", f"{RM}-a").code == 0

    assert listed() & {f"{RM}-a", f"{RM}-ab"} == {f"{RM}-ab"}


def test_an_ambiguous_beginning_removes_nothing_and_lists_the_choice(sandbook, many, listed):
    many(f"{RM}-aa", f"{RM}-ab", f"{RM}-c")

    done = sandbook("rm", f"{RM}-c", f"{RM}-a")

    assert done.code == 1
    assert "fits 2 sandboxes" in done.err
    assert f"{RM}-aa, {RM}-ab" in done.err
    assert listed() >= {f"{RM}-aa", f"{RM}-ab", f"{RM}-c"}


def test_an_unknown_id_is_told(sandbook):
    done = sandbook("rm", "no-such-id")

    assert done.code == 1
    assert done.err == (
        "sandbook: No sandbox has an id that begins with 'no-such-id'. See: sandbook ps\n"
    )
