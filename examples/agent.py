"""What an agent does in a sandbox, step by step: `python examples/agent.py`.

It starts a server with one sandbox, uses it through `sandbook.client`, and ends both. To use one
that is there already, give its address and key: `python examples/agent.py URL KEY`.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbook.client import ClientError, Completed, Output, Sandbox

PROGRAM = """\
import time
for number in range(3):
    print("step", number, flush=True)
    time.sleep(0.2)
print(sum(range(10)) / 0)
"""


@contextmanager
def served() -> Iterator[dict[str, str]]:
    """Start `sandbook serve`; it prints one line of JSON when the sandbox is there."""
    command = [sys.executable, "-m", "sandbook_cli", "serve", *sys.argv[1:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                sys.exit("`sandbook serve` did not start; it has said why.")
            yield json.loads(line)
        finally:
            process.terminate()  # which leaves nothing behind


def work(sandbox: Sandbox) -> None:
    """Write a program, see it fail, mend it, and take its result home."""
    print(sandbox.run("mkdir -p demo && cd demo && pwd").output)  # the shell stays there
    folder = sandbox.run("pwd").output
    sandbox.create(f"{folder}/program.py", PROGRAM)

    for event in sandbox.stream("python3 program.py"):  # told as it happens
        if isinstance(event, Output):
            print(event.text, end="")
        elif isinstance(event, Completed):
            print("It failed." if event.result.exit_code else "It worked.")

    print(sandbox.edit(f"{folder}/program.py", "/ 0", "/ 10").diff)
    print(sandbox.run("python3 program.py | tee result.txt", timeout=60).output)

    asked = sandbox.run("read -p 'Ready? ' answer; echo You said $answer", timeout=1)
    if asked.is_running:  # the timeout has come, the command goes on
        print(sandbox.run("yes", is_input=True, timeout=30).output)

    try:
        sandbox.read(f"{folder}/missing")
    except ClientError as error:
        print(error.detail)  # an agent can be told just that

    home = Path(tempfile.mkdtemp(prefix="sandbook-example-"))
    sandbox.download(f"{folder}/result.txt", home / "result.txt", on_progress=told)
    (home / "trajectory.ipynb").write_text(json.dumps(sandbox.trajectory()), "utf-8")
    print("The result, and all that was done as a notebook:", *sorted(home.iterdir()), sep="\n  ")


def told(count: int, total: int | None) -> None:
    """Show how far a transfer is."""
    print(f"{count} of {total or '?'} bytes")


def main() -> None:
    """Use the sandbox that is given, or a new one."""
    if sys.argv[1:2] and not sys.argv[1].startswith("-"):
        with Sandbox(sys.argv[1], sys.argv[2]) as sandbox:
            work(sandbox)
        return
    with served() as server, Sandbox(server["base_url"], server["session_api_key"]) as sandbox:
        work(sandbox)


if __name__ == "__main__":
    main()
