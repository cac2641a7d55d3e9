"""Magics that are mistyped, or that stand where bash reads them."""

import pytest

from sandbook.errors import InvalidActionError
from sandbook_kernel.misplaced import Misread, refuse_misplaced
from tests.conftest import ISOLATED
from tests.kernel.client import execute, running_kernel, text_of


@pytest.mark.parametrize("backend", ISOLATED)
async def test_what_bash_takes_for_a_job_is_told_for_what_it_is(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        below, said_below = await execute(client, "echo first\n%sandbox   # which?\necho last")
        mistyped, said = await execute(client, "%veiw plot.png")
        of_cell, _ = await execute(client, "%%pyhton --timeout 5\ntouch made")
        late, _ = await execute(client, "touch made\n%%edit notes.txt\ntouch made")

    assert (below["status"], mistyped["status"]) == ("ok", "error")
    assert text_of(said_below, "stderr").startswith("Sandbook: %sandbox is a magic. Magics stand")
    assert text_of(said_below).endswith("last\n")
    assert "neither a job nor a magic %veiw. Did you mean %view?" in text_of(said, "stderr")
    assert "no magic %%pyhton. Did you mean %%python?" in of_cell["evalue"]
    assert "%%edit is a magic. Magics stand at the top" in late["evalue"]
    assert not (tmp_path / "made").exists()


JOBS = """
sleep 100 &
python3 -c 'import time; time.sleep(100)' &
jobs %python
kill %sleep
kill %2
cat <<E
%%python
E
fg %nothing
echo '
%sandbox'
"""


@pytest.mark.parametrize("backend", ISOLATED)
async def test_jobs_and_texts_that_look_like_magics_are_left_alone(backend, tmp_path):
    async with running_kernel(backend, tmp_path) as (_, client):
        reply, messages = await execute(client, JOBS)
        named, said = await execute(client, "view() { sleep 0.2; }\nview &\n%view")
        numbered, counted = await execute(client, "sleep 0.1 &\n%1\nsleep 0.1 &\nfg %1")
        current, last = await execute(client, "sleep 0.1 &\n%%")

    assert [one["status"] for one in (reply, named, numbered, current)] == ["ok"] * 4
    assert [text_of(one, "stderr") for one in (messages, said, counted, last)] == [""] * 4
    assert "python3 -c" in text_of(messages)
    assert text_of(messages).endswith("bash: fg: %nothing: no such job\n\n%sandbox\n")
    assert "\n%%python\n" in text_of(messages)
    assert not any("no such job" in text_of(one) for one in (said, counted, last))


@pytest.mark.parametrize(
    "code",
    [
        "%%",
        "%% # the current job",
        "fg %%sandbox",
        "cat <<E\n%%python\nE",
        "cat <<'A' <<B\nA\n%%python\nB",
        "x='\n%%python'",
        "case $x in\n%%python) ;; esac",
        "echo \\\n%%python",
        "a=(\n%%python)",
        f"echo {'x' * 100_000}\n%%python",
    ],
)
def test_only_a_command_is_refused(code):
    refuse_misplaced(code)


@pytest.mark.parametrize("code", ["ls\n%%python", "ls\n\n  %%nothing # x\nimport os", "%%html"])
def test_a_magic_of_a_whole_cell_is_refused(code):
    with pytest.raises(InvalidActionError, match="Nothing was run"):
        refuse_misplaced(code)


def test_what_bash_says_may_come_in_pieces_and_is_told_once():
    misread = Misread("%lss\n%lss; fg %put\n%1")
    for byte in b"bash: fg: %lss: no such job\nbash: fg: %put: no such job\n" * 2:
        misread.hear(bytes([byte]))

    (hint,) = misread.hints
    assert "Did you mean %ls?" in hint
