import pytest

from sandbook.sandbox.progress import Progress
from sandbook_kernel.display import progress_bar, table


def test_a_table_is_aligned():
    assert table({"a": "1", "long": "2"}).data["text/plain"] == "a     1\nlong  2"


@pytest.mark.parametrize(
    ("progress", "plain"),
    [
        (Progress("pull", "starting"), "starting"),
        (
            Progress("pull", "abc: Downloading", 1_000_000, 2_000_000, 1, 4),
            f"[{'#' * 15}{' ' * 15}] 1.0 of 2.0 MB, 1 of 4 layers: abc: Downloading",
        ),
        (
            Progress("build", "Step 2/4 : RUN x", None, None, 1, 4),
            f"[{'#' * 8}{' ' * 22}] 1 of 4 steps: Step 2/4 : RUN x",
        ),
        (Progress("pull", "ready", finished=True), f"[{'#' * 30}] ready"),
    ],
)
def test_progress_is_a_bar_with_bytes_and_layers(progress, plain):
    assert progress_bar(progress).data["text/plain"] == plain


def test_what_an_engine_says_cannot_become_html():
    html = progress_bar(Progress("build", "<script>alert(1)</script>")).data["text/html"]

    assert "<script>" not in html
