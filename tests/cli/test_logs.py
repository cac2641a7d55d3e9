"""sandbook logs: the container's own, or a sentence."""

import pytest

from sandbook.rendering.safe import terminal_text


def test_the_log_of_a_container_or_a_clear_message(sandbook, sandbox, backend, sandbox_request):
    done = sandbook("logs", sandbox_request.sandbox_id[:13])

    if backend.name == "docker":
        assert done.code == 0
        assert "empty" in done.err
    else:
        assert done.code == 1
        assert f"The {backend.name} backend keeps no logs" in done.err


HOSTILE = (
    r"\033[31mred\033[0m \033]0;title\007 \033[2J\033[6n \033]52;c;eA==\033\\"
    r" \302\23331m \342\200\256\n\033[8mhidden\nlast \033[1;32m\033[m green\n"
)


@pytest.mark.parametrize("backend", ["docker"], indirect=True)
async def test_a_log_does_nothing_to_a_terminal(sandbook, sandbox, sandbox_request):
    """Whoever is root in a container can write to the output of its first process."""
    await sandbox.run("sh", "-c", f"printf '{HOSTILE}' >/proc/1/fd/1", root=True)

    done = sandbook("logs", sandbox_request.sandbox_id)
    last = sandbook("logs", sandbox_request.sandbox_id, "-n", "1")

    assert done.out == (
        "\x1b[31mred\x1b[0m \\x1b]0;title\\x07 \\x1b[2J\\x1b[6n \\x1b]52;c;eA==\\x1b\\"
        " \\x9b31m \\u202e\n\x1b[0m\\x1b[8mhidden\nlast \x1b[1;32m\x1b[m green\n\x1b[0m"
    )
    assert last.out == "last \x1b[1;32m\x1b[m green\n\x1b[0m"


@pytest.mark.parametrize(
    "sequence", ["\x1b[7m", "\x1b[41m", "\x1b[38;5;1m", "\x1b[31;8m", "\x1b[1A", "\x1bc", "\x1b["]
)
def test_of_escapes_only_colours_of_letters_are_kept(sequence):
    assert terminal_text(f"a{sequence}b\r\n") == f"a\\x1b{sequence[1:]}b\n"
