"""sandbook rm on every backend."""


def test_a_unique_beginning_is_enough(sandbook, many, listed):
    many("cli-rm-aa", "cli-rm-bb")

    done = sandbook("rm", "cli-rm-a")

    assert (done.code, done.out) == (0, "cli-rm-aa\n")
    assert listed() & {"cli-rm-aa", "cli-rm-bb"} == {"cli-rm-bb"}


def test_an_exact_id_wins_over_a_longer_one(sandbook, many, listed):
    many("cli-rm-a", "cli-rm-ab")

    assert sandbook("rm", "cli-rm-a").code == 0

    assert listed() & {"cli-rm-a", "cli-rm-ab"} == {"cli-rm-ab"}


def test_an_ambiguous_beginning_removes_nothing_and_lists_the_choice(sandbook, many, listed):
    many("cli-rm-aa", "cli-rm-ab", "cli-rm-c")

    done = sandbook("rm", "cli-rm-c", "cli-rm-a")

    assert done.code == 1
    assert "fits 2 sandboxes" in done.err
    assert "cli-rm-aa, cli-rm-ab" in done.err
    assert listed() >= {"cli-rm-aa", "cli-rm-ab", "cli-rm-c"}


def test_an_unknown_id_is_told(sandbook):
    done = sandbook("rm", "no-such-id")

    assert done.code == 1
    assert done.err == (
        "sandbook: No sandbox has an id that begins with 'no-such-id'. See: sandbook ps\n"
    )
