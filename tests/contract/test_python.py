"""`run_ipython`: output of all kinds, state, the folder, time and death."""

import pytest

from tests.contract.agent import Like, check, executed, python, ran, read, run, was_read

NOTHING = "[Code executed successfully with no output]"
BARE = {"include_extra": False}
DATA_URL = Like("data:image/png;base64,[A-Za-z0-9+/]+=*")
PICTURE = (
    "from IPython.display import Image, display\n"
    "import base64\n"
    "display(Image(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')))"
)


def extra(text, folder="{w}"):
    return Like(
        rf"{text}\n\[Jupyter current working directory: {folder}\]"
        r"\n\[Jupyter Python interpreter: /\S+\]"
    )


CASES = {
    "a word": [(python("print(1)"), executed(extra("1"), code="print(1)"))],
    "no word": [(python("x = 1", **BARE), executed(NOTHING))],
    "no word, and where": [(python("x = 1"), executed(extra(r"\[Code executed .* no output\]")))],
    "a result": [(python("1 + 1", **BARE), executed("2"))],
    "words, then a result": [(python("print('a')\n'b'", **BARE), executed("a\n'b'"))],
    "both streams": [
        (
            python("import sys; print('a', flush=True); print('b', file=sys.stderr)", **BARE),
            executed("a\nb"),
        )
    ],
    "state is kept": [
        (python("kept = 41", **BARE), executed(NOTHING)),
        (python("kept + 1", **BARE), executed("42")),
    ],
    "a mistake is told in black and white, and is a success": [
        (python("1/0", **BARE), executed(Like(r"[^\x1b]*ZeroDivisionError: division by zero")))
    ],
    "a syntax error": [(python("if", **BARE), executed(Like(".*SyntaxError.*")))],
    "the folder is the shell's": [
        (run("mkdir sub && cd sub"), ran("", cwd="{w}/sub")),
        (python("import os; print(os.getcwd())"), executed(extra("{w}/sub", "{w}/sub"))),
        (run("cd .."), ran("")),
        (python("print(os.getcwd())", **BARE), executed("{w}")),
    ],
    "files are the shell's": [
        (python("open('p.txt', 'w').write('x')", **BARE), executed("1")),
        (read("p.txt"), was_read("x", "{w}/p.txt")),
    ],
    "a picture": [(python(PICTURE, **BARE), executed(Like(".*Image.*"), [DATA_URL]))],
    "what comes late comes, too": [
        (
            python("import time\nfor i in range(3): print(i, flush=True); time.sleep(0.1)", **BARE),
            executed("0\n1\n2"),
        )
    ],
    "lines of IPython": [(python("%pwd", **BARE), executed("'{w}'"))],
    "a question has no answer": [
        (python("input('? ')", **BARE), executed(Like(".*StdinNotImplementedError.*")))
    ],
    "too late": [
        (
            python("import time; kept = 5; time.sleep(60)", 1, **BARE),
            executed("[Execution timed out (1.0 seconds).]"),
        ),
        (python("kept", 20, **BARE), executed("5")),
    ],
    "what is long is cut": [
        (
            python("print('x' * 40000)", **BARE),
            executed(
                "x" * 15000 + "\n[... Observation truncated due to length ...]\n" + "x" * 15000
            ),
        )
    ],
    "one that dies is replaced": [
        (
            python("import os; os._exit(3)", 30, **BARE),
            executed(Like(r"\[The Python process died.*")),
        ),
        (python("print('again')", 60, **BARE), executed("again")),
    ],
}


@pytest.fixture(scope="module")
def agent(server):
    """Only the image is sure to have an IPython: elsewhere it is the machine's own Python."""
    made = server.agent("docker")
    yield made
    server.end(made)


@pytest.mark.parametrize("name", CASES)
def test_python_code(agent, place, name):
    check(agent, place, CASES[name])


@pytest.mark.parametrize("backend", ["bubblewrap", "local"])
def test_a_machine_without_ipython_is_told_what_to_install(server, backend):
    agent = server.agent(backend)
    answer = agent.send(python("print(1)", **BARE))
    if answer.status_code == 200:  # this one has it
        assert answer.json()["content"] == "1"
    else:
        assert answer.status_code == 400
        assert "Use an image with python3 and ipykernel" in answer.json()["detail"]
    assert agent.said("echo there") == "there"
    server.end(agent)
