"""What all commands share: help, version, errors, exit codes."""

import subprocess

import pytest

import sandbook as package

COMMANDS = [
    *(["ps"], ["rm"], ["prune"], ["logs"], ["shell"]),
    *(["image"], ["image", "build"], ["image", "pull"], ["image", "ls"]),
    *(["kernelspec"], ["kernelspec", "install"], ["kernelspec", "list"]),
    ["kernelspec", "remove"],
]


@pytest.mark.parametrize("words", [[], *COMMANDS], ids=" ".join)
def test_every_command_has_help(sandbook, words):
    done = sandbook(*words, "--help")

    assert done.code == 0
    assert done.out.startswith(f"usage: {' '.join(['sandbook', *words])}")


def test_the_version_is_that_of_the_package(sandbook):
    assert sandbook("--version").out == f"sandbook {package.__version__}\n"


@pytest.mark.parametrize("words", [[], ["rm"], ["nonsense"], ["ps", "--nonsense"]], ids=" ".join)
def test_wrong_usage_is_told_with_exit_code_2(sandbook, words):
    done = sandbook(*words)

    assert done.code == 2
    assert "usage:" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ["rm", ""],
        ["shell", " "],
        ["logs", "-n", "-3", "x"],
        ["logs", "-n", "many", "x"],
        ["image", "pull", ""],
        ["image", "pull", "no name"],
        ["image", "build", "--tag", "--force"],
        ["kernelspec", "install", "--name", "x", "--image", "no name"],
        ["kernelspec", "install", "--name", "x", "--memory", "lots"],
    ],
    ids=" ".join,
)
def test_a_word_that_cannot_be_is_told_before_anything_is_done(sandbook, words):
    done = sandbook(*words)

    assert done.code == 2
    assert "usage:" in done.err


def test_an_engine_that_does_not_answer_is_one_clear_line(sandbook):
    done = sandbook("image", "ls", DOCKER_HOST="unix:///nothing/here.sock")

    assert done.code == 1
    assert done.err.startswith("sandbook: No Docker engine answers")
    assert done.err.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_error(command, environment):
    script = '"$@" --json | true; echo "${PIPESTATUS[0]}"'

    done = subprocess.run(
        ["bash", "-c", script, "bash", *command, "ps"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )

    assert done.stdout.strip() in {"0", "1"}
    assert not done.stderr
