"""The other paths, and what is answered to requests that make no sense."""

import io
import json
import zipfile

import httpx
import pytest

from tests.contract.agent import (
    Expected,
    Like,
    Request,
    That,
    action,
    check,
    detail,
    failed,
    get,
    post,
    ran,
    raw,
    run,
    upload,
    write,
    written,
)

NO_BROWSER = "Browser functionality is not supported or disabled."
INVALID = "Invalid request parameters"
UNEXPECTED = "An unexpected error occurred. Please try again later."
UPDATED = {"detail": "MCP server updated successfully", "router_error_log": ""}


def not_started(*names):
    told = "\\n".join(f"{name}: not started\\. [^\\n]+" for name in names)
    return Expected(
        {"detail": Like("No MCP server was started: .+"), "router_error_log": Like(told)}
    )


TREE = (
    run("mkdir -p td/s .hid && echo 1 >td/f1 && echo 2 >td/s/f2 && touch B a .x && ln -s no l"),
    ran(""),
)


def archive(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name, text in files.items():
            made.writestr(name.replace("__", "/"), text)
    return data.getvalue()


def holds(*names, name="w"):
    """Expect a zip archive with these files, and that it is told to be one."""

    def is_so(answer):
        told = answer.headers
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archived:
            found = sorted(archived.namelist())
        return (
            told["Content-Type"] == "application/zip"
            and told["Content-Disposition"] == f'attachment; filename="{name}.zip"'
            and found == sorted(names)
        )

    return Expected(That(is_so, f"archive of {names}"))


def is_info(body):
    resources = body["resources"]
    return (
        set(body) == {"uptime", "idle_time", "resources"}
        and body["uptime"] >= 0
        and 0 <= body["idle_time"] <= body["uptime"]
        and set(resources) == {"cpu_percent", "memory", "disk", "io"}
        and set(resources["memory"]) == {"rss", "vms", "percent"}
        and set(resources["disk"]) == {"total", "used", "free", "percent"}
        and set(resources["io"]) == {"read_bytes", "write_bytes"}
    )


def stored(name, destination, **more):
    return Expected({"filename": name, "destination": destination, "recursive": False, **more})


def not_run(name, /, **arguments):
    told = f"Internal server error: The action '{name}' is not run in a sandbox; .*"
    return [(action(name, **arguments), detail(Like(told), 400))]


def wrong(request, reason):
    told = f"Internal server error: The action '.*' has the wrong arguments: {reason}."
    return [(request, detail(Like(told), 400))]


def bad_timeout(body):
    text = f'{{"action": {{"action": "run", "args": {{"command": "true"}}, "timeout": {body}}}}}'
    told = "Internal server error: The timeout must be a number of seconds from 0 to .*"
    return [(raw(text), detail(Like(told), 400))]


CASES = {
    # Small ones
    "alive": [(get("alive"), Expected({"status": "ok"}))],
    "server_info": [(get("server_info"), Expected(That(is_info)))],
    "a token for VS Code, which is not there": [
        (get("vscode/connection_token"), Expected({"token": None}))
    ],
    "no MCP servers": [(post("update_mcp_server", []), Expected(UPDATED))],
    "an MCP server": [
        (
            post(
                "update_mcp_server", [{"name": "a-b_1", "command": "true", "args": [], "env": {}}]
            ),
            not_started("a-b_1"),
        )
    ],
    "MCP servers as texts": [
        (
            post(
                "update_mcp_server",
                [
                    {"name": "x", "command": "c", "args": "a 'b c'", "env": "K=V,K2=V2"},
                    {"name": "y", "command": "c"},
                ],
            ),
            not_started("x", "y"),
        )
    ],
    "no list of MCP servers": [
        (
            post("update_mcp_server", {}),
            detail("Request must be a list of MCP tools to sync", 400),
        )
    ],
    "an MCP server with a bad name": [
        (post("update_mcp_server", [{"name": "a b", "command": "c"}]), detail(UNEXPECTED, 500))
    ],
    "an MCP server with blanks in its command": [
        (post("update_mcp_server", [{"name": "a", "command": "c d"}]), detail(UNEXPECTED, 500))
    ],
    "MCP servers that are no JSON": [(raw("xx", "update_mcp_server"), detail(UNEXPECTED, 500))],
    # list_files
    "files": [
        TREE,
        (
            post("list_files", {"path": "{w}"}),
            Expected([".hid/", "td/", ".x", "a", "B"]),
        ),
    ],
    "files of the workspace": [
        (post("list_files", {}), Expected(That(lambda names: any(map(str, names)), "names")))
    ],
    "files of the workspace, by null": [
        (post("list_files", {"path": None}), Expected(That(lambda names: len(names) > 0, "names")))
    ],
    "files where there is no folder": [(post("list_files", {"path": "{w}/no"}), Expected([]))],
    "files of a file": [
        (write("f", "x"), written("{w}/f")),
        (post("list_files", {"path": "{w}/f"}), Expected([])),
    ],
    "files of a relative path are below the workspace": [
        (run('cd / && mkdir -p "$OLDPWD/td"'), ran("", cwd="/")),
        (post("list_files", {"path": "no-such-folder"}), Expected([])),
    ],
    "files without a body": [(raw("", "list_files"), detail(UNEXPECTED, 500))],
    "files, and a body that is no JSON": [(raw("xx", "list_files"), detail(UNEXPECTED, 500))],
    "files, and a body that is no object": [(raw("[]", "list_files"), detail(UNEXPECTED, 500))],
    "files of a number": [(post("list_files", {"path": 1}), detail(UNEXPECTED, 500))],
    # upload_file
    "a file": [
        (upload("q.txt", b"one", destination="{w}/new/x"), stored("q.txt", "{w}/new/x")),
        (run("cat new/x/q.txt"), ran("one")),
    ],
    "a file again": [
        (upload("q.txt", b"one", destination="{w}"), stored("q.txt", "{w}")),
        (upload("q.txt", b"two", destination="{w}"), stored("q.txt", "{w}")),
        (run("cat q.txt"), ran("two")),
    ],
    "a file to a relative place": [
        (
            upload("q.txt", b"x", destination="rel"),
            detail("400: Destination must be an absolute path", 500),
        )
    ],
    "a folder that is no archive": [
        (
            upload("q.txt", b"x", destination="{w}", recursive="true"),
            detail("400: Recursive uploads must be zip files", 500),
        )
    ],
    "a folder": [
        (
            upload(
                "q.zip", archive(td__f1="1", td__s__f2="2"), destination="{w}/z", recursive="true"
            ),
            stored("q.zip", "{w}/z", recursive=True),
        ),
        (run("cd z && find . -type f | sort; cd .."), ran("./td/f1\n./td/s/f2")),
    ],
    "an archive is unpacked anyhow": [
        (upload("q.zip", archive(f="1"), destination="{w}/z"), stored("q.zip", "{w}/z")),
        (run("ls z"), ran("f")),
    ],
    "a broken archive": [
        (
            upload("bad.zip", b"no zip", destination="{w}/z", recursive="true"),
            detail("{w}/z/bad.zip is not a zip file", 500),
        )
    ],
    "no file": [
        (
            Request("POST", "upload_file", {"data": {"x": "y"}, "params": {"destination": "{w}"}}),
            detail(
                INVALID,
                422,
                errors="[{'type': 'missing', 'loc': ('body', 'file'), 'msg': 'Field required', "
                "'input': None}]",
            ),
        )
    ],
    # download_files
    "a folder is fetched, with folders (the original leaves them out)": [
        TREE,
        (get("download_files", path="{w}/td"), holds("f1", "s/", "s/f2", name="td")),
    ],
    "a folder with a slash": [
        TREE,
        (get("download_files", path="{w}/td/"), holds("f1", "s/", "s/f2", name="")),
    ],
    "a file is fetched (the original sends an empty archive)": [
        TREE,
        (get("download_files", path="{w}/td/f1"), holds("f1", name="f1")),
    ],
    "what is not there is not fetched": [
        (get("download_files", path="{w}/nope"), detail("404: File not found", 500))
    ],
    "a relative path is not fetched": [
        (get("download_files", path="rel"), detail("400: Path must be an absolute path", 500))
    ],
    "nothing is fetched": [
        (
            get("download_files"),
            detail(
                INVALID,
                422,
                errors="[{'type': 'missing', 'loc': ('query', 'path'), 'msg': 'Field required', "
                "'input': None}]",
            ),
        )
    ],
    # What there is not
    "an unknown path": [(get("nope"), detail("Not Found", 404))],
    "an unknown path below a path": [(get("alive/x"), detail("Not Found", 404))],
    "an unknown path, to be posted to": [(post("reset", {}), detail("Not Found", 404))],
    "no path": [(get(""), detail("Not Found", 404))],
    "a wrong method": [(get("execute_action"), detail("Method Not Allowed", 405))],
    "another wrong method": [(post("alive", {}), detail("Method Not Allowed", 405))],
    "a method that deletes": [(Request("DELETE", "list_files"), detail("Method Not Allowed", 405))],
    # What is no action
    "an empty object": [
        (
            post("execute_action", {}),
            detail(
                INVALID,
                422,
                errors="[{'type': 'missing', 'loc': ('body', 'action'), 'msg': 'Field required', "
                "'input': {}}]",
            ),
        )
    ],
    "an action that is a text": [
        (
            post("execute_action", {"action": "x"}),
            detail(
                INVALID,
                422,
                errors="[{'type': 'dict_type', 'loc': ('body', 'action'), 'msg': 'Input should be "
                "a valid dictionary', 'input': 'x'}]",
            ),
        )
    ],
    "a body that is a list": [
        (post("execute_action", []), detail(INVALID, 422, errors=Like(".*valid dictionary.*")))
    ],
    "a body that is no JSON": [
        (raw("xx"), detail(INVALID, 422, errors=Like(".*JSON decode error.*")))
    ],
    "no body": [(raw(""), detail(INVALID, 422, errors=Like(".*JSON decode error.*")))],
    "half a body": [
        (raw('{"action": {"action": "run"'), detail(INVALID, 422, errors=Like(".*JSON.*")))
    ],
    "an unknown action": [
        (
            action("frobnicate"),
            detail(
                Like(
                    r"Internal server error: 'action\['action'\]='frobnicate'' is not defined\. "
                    "Available actions: run, .*"
                ),
                400,
            ),
        )
    ],
    "an action without a name": [
        (
            post("execute_action", {"action": {"args": {}}}),
            detail(Like("Internal server error: .* is not defined.*"), 400),
        )
    ],
    "an action whose name is a list": [
        (
            post("execute_action", {"action": {"action": ["run"], "args": {}}}),
            detail(Like("Internal server error: .* is not defined.*"), 400),
        )
    ],
    "an observation": [
        (
            post("execute_action", {"action": {"observation": "run", "content": "", "extras": {}}}),
            detail("Internal server error: 400: Invalid action type", 400),
        )
    ],
    "null": not_run("null"),
    "think": not_run("think", thought="x"),
    "finish": not_run("finish"),
    "reject": not_run("reject"),
    "recall": not_run("recall", query="x", recall_type="knowledge"),
    "message": not_run("message", content="x"),
    "call_tool_mcp": not_run("call_tool_mcp", name="x", arguments={}),
    "task_tracking": not_run("task_tracking"),
    "an argument too many": wrong(action("run", command="ls", zzz=1), "there is no argument 'zzz'"),
    "an argument too few": wrong(action("run"), "'command' is missing"),
    "no code": wrong(action("run_ipython"), "'code' is missing"),
    "no path to read": wrong(action("read"), "'path' is missing"),
    "no content to write": wrong(action("write", path="x"), "'content' is missing"),
    "a command that is a number": wrong(action("run", command=1), "'command' has the wrong type"),
    "a command that is null": wrong(action("run", command=None), "'command' has the wrong type"),
    "a truth that is a text": wrong(
        action("run", command="ls", hidden="yes"), "'hidden' has the wrong type"
    ),
    "a line that is a truth": wrong(
        action("read", path="x", start=True), "'start' has the wrong type"
    ),
    "a line that is a fraction": wrong(
        action("read", path="x", end=1.5), "'end' has the wrong type"
    ),
    "a text to edit that is a list": wrong(
        action("edit", path="x", file_text=[]), "'file_text' has the wrong type"
    ),
    "arguments that are a list": [
        (
            post("execute_action", {"action": {"action": "run", "args": []}}),
            detail("Internal server error: What is in args must be a JSON object.", 400),
        )
    ],
    "a negative timeout": bad_timeout("-1"),
    "a timeout that is a text": bad_timeout('"5"'),
    "a timeout that is a truth": bad_timeout("true"),
    "a timeout beyond all numbers": bad_timeout("1e999"),
    "a timeout of 400 digits": bad_timeout("1" + "0" * 400),
    "a timeout of a thousand years": bad_timeout("31556952000"),
    "a timeout that is no number": [
        (
            raw('{"action": {"action": "run", "args": {"command": "x"}, "timeout": NaN}}'),
            detail(INVALID, 422, errors=Like(".*NaN is no number in JSON.*")),
        )
    ],
    "an endless timeout": [
        (
            raw('{"action": {"action": "run", "args": {"command": "x"}, "timeout": Infinity}}'),
            detail(INVALID, 422, errors=Like(".*Infinity is no number in JSON.*")),
        )
    ],
    # What is answered, but not done
    "a page": [(action("browse", url="http://x"), failed(NO_BROWSER))],
    "a browser": [(action("browse_interactive", browser_actions="noop()"), failed(NO_BROWSER))],
    # What is beside the action is not repeated
    "all that a client says beside an action": [
        (
            post(
                "execute_action",
                {
                    "action": {
                        "id": 5,
                        "timestamp": "2025-01-01T00:00:00",
                        "source": "agent",
                        "message": "m",
                        "cause": 3,
                        "action": "run",
                        "timeout": 10,
                        "args": {"command": "echo hi", "thought": "t", "security_risk": 2},
                        "tool_call_metadata": {"a": [1]},
                    }
                },
            ),
            ran("hi"),
        )
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_a_path(agent, place, name):
    check(agent, place, CASES[name])


def test_the_key_order_is_that_of_the_original(agent):
    answer = agent.send(run("echo hi"))

    assert list(json.loads(answer.text)) == [
        "message",
        "observation",
        "content",
        "extras",
        "success",
    ]


@pytest.mark.parametrize("headers", [{}, {"X-Session-API-Key": "wrong"}])
@pytest.mark.parametrize("path", ["execute_action", "list_files", "nope", "docs"])
def test_without_the_key_nothing_is_told(agent, path, headers):
    answer = httpx.post(f"{agent.url}/{path}", headers=headers, json={})

    assert (answer.status_code, answer.json()) == (403, {"detail": "Invalid API Key"})
