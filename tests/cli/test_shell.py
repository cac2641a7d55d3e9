"""sandbook shell, driven like a person drives it, on every backend."""

import re
import signal

import pexpect
import pytest


@pytest.fixture
def environment(environment):
    """What a terminal's size was when somebody exported it: it has another one now."""
    return {**environment, "LINES": "24", "COLUMNS": "80"}


@pytest.fixture
def terminal(command, environment, sandbox, sandbox_request):
    arguments = [*command[1:], "shell", sandbox_request.sandbox_id[:13]]
    child = pexpect.spawn(
        command[0], arguments, env=environment, timeout=60, dimensions=(31, 97), echo=False
    )
    child.expect(rb"[#$] ")
    child.sendline("PS1='ready''> '")
    child.expect_exact("ready> ")
    yield child
    if child.isalive():  # pexpect itself gives a process that is killed a tenth of a second
        child.kill(signal.SIGKILL)
        child.wait()
    child.close()


def test_it_starts_in_the_workspace_and_ends_with_the_code_of_the_shell(terminal, tmp_path):
    terminal.sendline("touch from-the-shell; exit 3")
    terminal.expect(pexpect.EOF)
    terminal.close()

    assert terminal.exitstatus == 3
    assert (tmp_path / "from-the-shell").exists()


def test_what_was_typed_ahead_is_not_lost(command, environment, sandbox, sandbox_request):
    arguments = [*command[1:], "shell", sandbox_request.sandbox_id]
    child = pexpect.spawn(command[0], arguments, env=environment, timeout=20)

    child.sendline("exit 5")
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 5


def test_it_has_the_size_of_this_terminal_and_follows_it(terminal):
    terminal.sendline("stty size")
    terminal.expect_exact("31 97")

    terminal.setwinsize(40, 111)
    terminal.sendline("until [ \"$(stty size)\" = '40 111' ]; do sleep 0.1; done; echo fol''lowed")

    terminal.expect_exact("followed")


def test_ctrl_c_is_for_the_program_inside(terminal):
    terminal.sendline("echo be''gun; sleep 60")
    terminal.expect_exact("begun")

    terminal.send("\x03")

    terminal.expect_exact("ready> ")
    terminal.sendline("echo code $?")
    terminal.expect_exact("code 130")


def test_a_job_in_the_background_does_not_keep_it_open(terminal):
    terminal.sendline("sleep 300 & disown; exit 0")
    terminal.expect(pexpect.EOF)
    terminal.close()

    assert terminal.exitstatus == 0


def test_a_flood_arrives_whole(terminal):
    terminal.sendline("stty -onlcr; seq 1 20000; echo en''d")
    terminal.expect(rb"\b1\n.*end", timeout=30)

    numbers = re.findall(rb"^\d+$", terminal.after, re.MULTILINE)
    assert len(numbers) == 20000


def test_pictures_are_for_the_terminal_of_the_person(terminal):
    terminal.sendline(r"printf '\033]1337;File=inline=1:aGk=\007'; exit 4")
    terminal.expect_exact("\x1b]1337;File=inline=1:aGk=\x07")
    terminal.expect(pexpect.EOF)
    terminal.close()

    assert terminal.exitstatus == 4


@pytest.mark.parametrize("mark", ["B;1", "E", "E;x", "E;;", "M;text/html;;PGI+", "\\033"])
def test_no_other_mark_ends_it(terminal, mark):
    terminal.sendline("nonce=$(tr '\\0' '\\n' </proc/$PPID/cmdline | tail -n 1)")
    terminal.sendline(rf"printf '\033]7717;%s;{mark}\007' $nonce 1234567890; echo st''ill")
    terminal.expect_exact("still")
    terminal.sendline("exit 6")
    terminal.expect(pexpect.EOF)
    terminal.close()

    assert terminal.exitstatus == 6


def test_without_a_terminal_it_says_what_to_use(sandbook, sandbox, sandbox_request):
    done = sandbook("shell", sandbox_request.sandbox_id)

    assert done.code == 1
    assert "needs a terminal" in done.err


def test_root_is_root_or_refused(command, environment, backend, sandbox, sandbox_request):
    arguments = [*command[1:], "shell", "--root", sandbox_request.sandbox_id]
    child = pexpect.spawn(command[0], arguments, env=environment, timeout=20)

    if backend.name == "bubblewrap":
        child.expect_exact("has no root here")
    else:
        child.sendline("echo user $(id -u); exit")
        child.expect_exact("user 0")
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == (1 if backend.name == "bubblewrap" else 0)
