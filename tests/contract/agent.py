"""A client that knows a URL and a key, as that of OpenHands does; and what it expects."""

import itertools
import re
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import ANY

import httpx

from sandbook.agents.texts import GOES_ON, HOW_TO_GO_ON

UNKNOWN = {"username": None, "hostname": None, "working_dir": None, "py_interpreter_path": None}


class Agent:
    """Sends requests to one sandbox."""

    def __init__(self, sandbox_id, url, key):
        self.id = sandbox_id
        self.key = key
        self.url = url
        self.client = httpx.Client(
            base_url=url, headers={"X-Session-API-Key": key}, timeout=httpx.Timeout(150)
        )
        self._numbers = itertools.count(1)
        self._home = ""

    @property
    def home(self):
        """Its workspace."""
        if not self._home:
            self._home = self.run("pwd")["extras"]["metadata"]["working_dir"]
        return self._home

    def close(self):
        self.client.close()

    def send(self, request):
        return self.client.request(request.method, request.path, **request.options)

    def act(self, name, /, timeout=None, **arguments):
        """Have something done that must not fail."""
        answer = self.send(action(name, timeout, **arguments))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def run(self, command, timeout=60, **arguments):
        return self.act("run", timeout, command=command, **arguments)

    def said(self, command, **arguments):
        return self.run(command, **arguments)["content"]

    def settle(self, name):
        """Begin anew, in a folder of one's own."""
        folder = f"{self.home}/{next(self._numbers)}-{re.sub('[^a-z]+', '-', name.lower())[:30]}"
        settled = self.run(f"mkdir -p {folder} && cd {folder}")
        while settled["extras"]["metadata"]["exit_code"] == -1:
            self.run("C-c", 2, is_input=True)
            settled = self.run(f"mkdir -p {folder} && cd {folder}")
        return folder


@dataclass(frozen=True)
class Request:
    """What is sent. `{w}` stands for the folder of the case."""

    method: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)

    def at(self, folder):
        return Request(self.method, self.path, placed(self.options, folder))


def placed(value, folder):
    """Put the folder of a case where it belongs."""
    match value:
        case str():
            return value.replace("{w}", folder)
        case dict():
            return {placed(key, folder): placed(inner, folder) for key, inner in value.items()}
        case list() | tuple():
            return type(value)(placed(inner, folder) for inner in value)
        case Like():
            return Like(placed(value.pattern, folder))
        case _:
            return value


def get(path, /, **params):
    return Request("GET", path, {"params": params})


def post(path, body, /, **params):
    return Request("POST", path, {"json": body, "params": params})


def raw(body, path="execute_action", method="POST"):
    return Request(method, path, {"content": body})


def upload(name, data, **params):
    return Request("POST", "upload_file", {"files": {"file": (name, data)}, "params": params})


def action(name, timeout=None, /, **arguments):
    told = {"action": name, "args": arguments}
    if timeout is not None:
        told["timeout"] = timeout
    return post("execute_action", {"action": told})


def run(command, timeout=None, **arguments):
    return action("run", timeout, command=command, **arguments)


def python(code, timeout=None, **arguments):
    return action("run_ipython", timeout, code=code, **arguments)


def read(path, **arguments):
    return action("read", path=path, **arguments)


def write(path, content, **arguments):
    return action("write", path=path, content=content, **arguments)


def edit(command, path="{w}/e.txt", **arguments):
    return action("edit", command=command, path=path, **arguments)


@dataclass(frozen=True)
class Expected:
    """What must come. A body may hold anything that knows what equals it."""

    body: Any
    status: int = 200

    def at(self, folder):
        return Expected(placed(self.body, folder), self.status)


class Like:
    """Equals every text that a pattern describes."""

    def __init__(self, pattern):
        self.pattern = pattern

    def __eq__(self, other):
        return isinstance(other, str) and re.fullmatch(self.pattern, other, re.DOTALL) is not None

    def __hash__(self):
        return hash(self.pattern)

    def __repr__(self):
        return f"Like({self.pattern!r})"


class That:
    """Equals everything that a function says yes to."""

    def __init__(self, says, name=""):
        self._says = says
        self._name = name or says.__name__

    def __eq__(self, other):
        return bool(self._says(other))

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        return f"That({self._name})"


def observed(kind, content, extras, message=ANY, **more):
    """Expect an observation with exactly these keys: clients raise when there is another."""
    told = {"message": message, "observation": kind, "content": content, "extras": extras}
    return Expected({**told, **more})


def ran(  # noqa: PLR0913 -- all that is told
    content, exit_code=0, *, command=ANY, key="", prefix="", pid=ANY, cwd="{w}", hidden=False
):
    """Expect a command that has ended."""
    sent = f" CTRL+{key} was sent." if key else ""
    metadata = {
        "exit_code": exit_code,
        "pid": pid,
        "username": Like(r"[\w.-]+"),
        "hostname": Like(r"[\w-]+"),
        "working_dir": cwd,
        "py_interpreter_path": ANY,
        "prefix": prefix,
        "suffix": f"\n[The command completed with exit code {exit_code}.{sent}]",
    }
    return _run(content, command, metadata, hidden=hidden)


def goes_on(content, suffix, *, prefix="", command=ANY, hidden=False):
    """Expect a command that has not."""
    metadata = {"exit_code": -1, "pid": -1, **UNKNOWN, "prefix": prefix, "suffix": suffix}
    return _run(content, command, metadata, hidden=hidden)


def silent(content, seconds=2, **more):
    told = f"\n[The command has no new output after {seconds} seconds. {HOW_TO_GO_ON}]"
    return goes_on(content, told, **more)


def late(content, seconds, **more):
    told = f"\n[The command timed out after {seconds} seconds. {HOW_TO_GO_ON}]"
    return goes_on(content, told, **more)


def busy(command, content=""):
    told = (
        f'\n[Your command "{command}" is NOT executed. The previous command is still running - '
        "You CANNOT send new commands until the previous command is completed. By setting "
        f"`is_input` to `true`, you can interact with the current process: {HOW_TO_GO_ON}]"
    )
    return goes_on(content, told, prefix=GOES_ON, command=command)


def nothing(content):
    """Expect to hear that nothing runs."""
    return goes_on(content, "", command="")


def _run(content, command, metadata, *, hidden):
    extras = {"command": command, "metadata": metadata, "hidden": hidden}
    exit_code = metadata["exit_code"]
    message = Like(rf"Command `.*` executed with exit code {exit_code}\.")
    return observed("run", content, extras, message, success=exit_code == 0)


def failed(content):
    return observed("error", content, {"error_id": ""}, content)


def was_read(content, path, source="default"):
    extras = {"path": path, "impl_source": source}
    return observed("read", content, extras, f"I read the file {path}.")


def written(path):
    return observed("write", "", {"path": path}, f"I wrote to the file {path}.")


def edited(content, diff="", path="{w}/e.txt", old=None, new=None):
    extras = {
        "path": path,
        "prev_exist": False,
        "old_content": old,
        "new_content": new,
        "impl_source": "oh_aci",
        "diff": diff,
        "_diff_cache": None,
    }
    return observed("edit", content, extras, f"I edited the file {path}.")


def executed(content, images=None, code=ANY):
    extras = {"code": code, "image_urls": images}
    return observed("run_ipython", content, extras, "Code executed in IPython cell.", success=True)


def detail(text, status, **more):
    return Expected({"detail": text, **more}, status)


def check(agent, folder, exchanges):
    """Send each request, and see that what must come does."""
    for request, expected in exchanges:
        answer = agent.send(request.at(folder))
        wanted = expected.at(folder)
        is_json = "json" in answer.headers.get("Content-Type", "")
        body = answer.json() if is_json else answer
        assert answer.status_code == wanted.status, (request, answer.text)
        assert body == wanted.body, f"{request}\n\n{body}"
