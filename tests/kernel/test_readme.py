"""The README's "Use" lines, pasted as they stand there."""

import re
import shlex
import subprocess

import pytest

from sandbook_cli.app import build_parser
from tests.kernel.client import execute, running_kernel, text_of

PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)


@pytest.fixture(scope="module")
def lines(pytestconfig):
    """The lines for a notebook, and those for a terminal."""
    text = (pytestconfig.rootpath / "README.md").read_text()
    (block,) = re.findall(r"^## Use\n\n```bash\n(.*?)^```$", text, re.M | re.S)
    notebook, terminal = block.split("# From the command line:\n")
    return [[line for line in part.splitlines() if line] for part in (notebook, terminal)]


async def test_each_line_for_a_notebook_can_be_pasted(lines, tmp_path):
    async with running_kernel("docker", tmp_path) as (_, client):
        told = {}
        for line in lines[0]:
            if line.startswith("display"):
                await execute(client, f"base64 -d <<<{PICTURE} >plot.png")
            told[line] = await paste(client, line)
        _, shell = await execute(client, 'echo "$name in $PWD"')
        whole, _ = await paste(client, "\n".join(lines[0]))

    assert len(told) > 8
    failed = {line: reply for line, (reply, _) in told.items() if reply["status"] != "ok"}
    assert not failed
    assert text_of(shell) == "Ada in /tmp/demo\n"
    shown = {line.split()[0]: messages for line, (_, messages) in told.items()}
    assert "docker" in data_of(shown["%sandbox"])["text/plain"]
    assert "%view" in data_of(shown["%lsmagic"])["text/plain"]
    assert PICTURE in data_of(shown["display"])["image/png"].replace("\n", "")
    (question,) = [reply for line, (reply, _) in told.items() if line.startswith("git?")]
    assert "usage: git" in question["payload"][0]["data"]["text/plain"]
    assert "Magics stand at the top" in whole["evalue"]


def test_each_line_for_a_terminal_is_one_that_its_program_takes(lines):
    for line in lines[1]:
        subprocess.run(["bash", "-n", "-c", line], check=True)
        words = shlex.split(line, comments=True)
        if words[0] == "sandbook":
            build_parser().parse_args(words[1:])

    assert sum(line.startswith("sandbook ") for line in lines[1]) > 4


async def paste(client, line):
    """Run a cell, and answer what it asks."""
    messages = []
    reply = await client.execute_interactive(
        line,
        allow_stdin=True,
        stdin_hook=lambda _: client.input("Ada"),
        output_hook=messages.append,
        timeout=60,
    )
    return reply["content"], [(m["msg_type"], m["content"]) for m in messages]


def data_of(messages):
    (shown,) = [content for kind, content in messages if kind == "display_data"]
    return shown["data"]
