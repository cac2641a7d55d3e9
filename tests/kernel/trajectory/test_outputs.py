"""What a cell shows, as it is kept."""

from sandbook_kernel.trajectory.outputs import RICH_MAX, TEXT_MAX, Outputs


def kept(*messages):
    outputs = Outputs()
    for kind, content in messages:
        outputs.take(kind, content)
    return outputs.collected()


def said(text, name="stdout"):
    return "stream", {"name": name, "text": text}


def shown(data, display_id="", kind="display_data"):
    transient = {"transient": {"display_id": display_id}} if display_id else {}
    return kind, {"data": data, "metadata": {}, **transient}


def test_text_is_joined_and_errors_stay_in_their_place():
    failure = {"ename": "ExitStatus", "evalue": "exit status 1", "traceback": []}

    found = kept(said("a"), said("b"), said("c", "stderr"), ("error", failure))

    assert found == [
        {"output_type": "stream", "name": "stdout", "text": "ab"},
        {"output_type": "stream", "name": "stderr", "text": "c"},
        {"output_type": "error", **failure},
    ]


def test_a_display_is_shown_anew_in_its_place():
    found = kept(
        shown({"text/plain": "1"}, "x"),
        said("a"),
        shown({"text/plain": "2"}, "x", "update_display_data"),
    )

    assert found[0] == {"output_type": "display_data", "data": {"text/plain": "2"}, "metadata": {}}
    assert len(found) == 2


def test_what_is_cleared_is_gone_at_once_or_with_the_next():
    assert kept(said("a"), ("clear_output", {"wait": False})) == []
    assert kept(said("a"), ("clear_output", {"wait": True}))[0]["text"] == "a"
    assert kept(said("a"), ("clear_output", {"wait": True}), said("b"))[0]["text"] == "b"


def test_long_text_loses_its_middle():
    (found,) = kept(said("a" * TEXT_MAX), said("b" * TEXT_MAX), said("c" * TEXT_MAX))

    assert found["text"].startswith("a" * TEXT_MAX + f"\n[… {TEXT_MAX} characters are left out")
    assert found["text"].endswith("…]\n" + "c" * TEXT_MAX)


def test_pictures_that_are_too_large_are_left_out():
    large = {"image/png": "x" * (RICH_MAX + 1), "text/plain": "a picture"}

    assert kept(shown(large))[0]["data"] == {"text/plain": "a picture"}
