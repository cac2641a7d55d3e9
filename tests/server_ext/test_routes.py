"""All our URLs: who may use them, and that rest-api.yml says what they are."""

import asyncio
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from openapi_spec_validator import validate
from tornado.web import RequestHandler

import sandbook_server
from sandbook_server.routes import ROUTES

SPEC = yaml.safe_load((Path(sandbook_server.__file__).parent / "rest-api.yml").read_text())
VERBS = ("get", "head", "post", "put", "patch", "delete")
SAMPLES = {
    "kernel_id": "0000",
    "path": "some/file",
    "checkpoint_id": "checkpoint",
    "what": "pause",
    "number": "7",
}


def verbs_of(handler):
    return [verb for verb in VERBS if getattr(handler, verb) is not getattr(RequestHandler, verb)]


def template_of(pattern):
    """Write a route as OpenAPI does; a name is all that is left of what it matches."""
    depth, text, at = 0, "", 0
    pattern = pattern.replace("contents(?P<path>", "contents/(?P<path>").replace(r"\.", ".")
    while at < len(pattern):
        if named := re.compile(r"\(\?P<(\w+)>").match(pattern, at):
            if not depth:
                text += f"{{{named[1]}}}"
            depth, at = depth + 1, named.end()
            continue
        char = pattern[at]
        depth += {"(": 1, ")": -1}.get(char, 0)
        if not depth and char != ")":
            text += char
        at += 1
    return text


OPERATIONS = [
    (template_of(pattern), verb, handler)
    for pattern, handler in ROUTES
    for verb in verbs_of(handler)
]
OPERATION_IDS = [f"{verb} {template}" for template, verb, _ in OPERATIONS]
PROBE = ("/sandbook/{kernel_id}/alive", "get")
"""What anybody may ask."""


@pytest.fixture
def jp_server_config():
    return {
        "ServerApp": {
            "jpserver_extensions": {"sandbook_server": True, "jupyter_server_terminals": False},
        }
    }


def test_the_description_is_valid():
    validate(SPEC)


def test_the_description_names_all_routes_and_no_others():
    described = {
        (path, verb) for path, item in SPEC["paths"].items() for verb in item if verb in VERBS
    }

    assert described == {(template, verb) for template, verb, _ in OPERATIONS}


@pytest.mark.parametrize(("template", "verb", "handler"), OPERATIONS, ids=OPERATION_IDS)
def test_each_verb_is_authorised_for_what_the_description_says(template, verb, handler):
    """Look into the decorators: what they were given, and nothing that is filled in later."""
    said = SPEC["paths"][template][verb].get("x-action")
    if (template, verb) == PROBE:
        assert (said, SPEC["paths"][template][verb]["security"]) == (None, [])
        return
    found = set()
    function = getattr(handler, verb)
    while function is not None:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        found |= {cell for cell in cells if isinstance(cell, str)}
        function = getattr(function, "__wrapped__", None)

    assert {said, "sandbook"} <= found


TEMPLATES = {template_of(pattern): handler for pattern, handler in ROUTES}
STRANGERS = [
    {},
    {"Authorization": "token wrong"},
    {"X-Session-API-Key": "wrong"},
    {"X-Session-API-Key": ""},
    {"Cookie": "_xsrf=x; username-localhost=x", "X-XSRFToken": "x"},
]


def address_of(template):
    return template.format(**SAMPLES).replace("(?:/.*)?", "/nothing")


@pytest.mark.parametrize("template", TEMPLATES)
async def test_nobody_gets_in_without_credentials(template, jp_fetch):
    """Every verb of every route, those that it does not have included."""
    for headers in STRANGERS:
        for verb in VERBS:
            answer = await jp_fetch(
                *address_of(template).strip("/").split("/"),
                method=verb.upper(),
                headers={"Authorization": "", **headers},
                body="{}" if verb not in {"get", "head"} else None,
                allow_nonstandard_methods=True,
                follow_redirects=False,
                raise_error=False,
            )

            if (template, verb) == PROBE:
                assert (answer.code, json.loads(answer.body)) == (404, {"detail": "Not Found"})
            else:
                assert answer.code == 403, verb
                assert SAMPLES["kernel_id"] not in answer.body.decode()


@pytest.fixture
def app(jp_serverapp, jp_fetch):
    """A server that listens."""
    return jp_serverapp


class Stranger:
    """A client that says how much it will send, and waits."""

    def __init__(self, app, headers=""):
        self.app, self.headers = app, headers

    async def begin(self, verb, address, body):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.app.port)
        self.reader, self.writer = reader, writer
        return await self.ask(verb, address, body)

    async def ask(self, verb, address, body):
        path = f"{self.app.base_url.rstrip('/')}{address}"
        head = f"{verb.upper()} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{body}\r\n{self.headers}\r\n"
        self.writer.write(head.encode())
        told = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 20)
        length = int(re.search(rb"(?i)content-length: (\d+)", told)[1])
        return int(told.split()[1]), await self.reader.readexactly(length)


CHUNKED = "Transfer-Encoding: chunked"
ASKING = "Content-Length: 500000\r\nExpect: 100-continue"
CARRIERS = [
    (template, verb)
    for template, handler in TEMPLATES.items()
    for verb in verbs_of(handler)
    if verb not in {"get", "head"}
]


@pytest.mark.parametrize(("template", "verb"), CARRIERS)
async def test_a_stranger_is_refused_before_the_body_comes(template, verb, app):
    for body in ("Content-Length: 50000000", "Content-Length: 500000000", CHUNKED, ASKING):
        stranger = Stranger(app)

        status, _ = await stranger.begin(verb, address_of(template), body)

        assert status == 403
        stranger.writer.close()


async def test_who_goes_on_sending_is_heard_out_and_may_ask_again(app):
    address = address_of("/sandbook/{kernel_id}/list_files")
    large = (8 << 20, f"Content-Length: {8 << 20}", b"x" * (8 << 20))
    chunked = (4, CHUNKED, b"4\r\nxxxx\r\n0\r\n\r\n")
    for _, said, body in (large, chunked):
        stranger = Stranger(app)
        refused = await stranger.begin("post", address, said)

        stranger.writer.write(body)
        await stranger.writer.drain()
        again = await stranger.ask("get", address_of(PROBE[0]), "X: y")

        assert (refused[0], again[0]) == (403, 404)
        stranger.writer.close()


async def test_a_body_that_is_no_file_has_a_limit(app):
    token = f"Authorization: token {app.identity_provider.token}\r\n"
    address = address_of("/sandbook/{kernel_id}/list_files")
    known = Stranger(app, token)
    refused = await known.begin("post", address, "Content-Length: 2000000")
    known.writer.close()

    async def begin_chunked():
        known.reader, known.writer = await asyncio.open_connection("127.0.0.1", app.port)
        asking = asyncio.ensure_future(known.ask("post", address, CHUNKED))
        await asyncio.sleep(0)
        known.writer.write(b"1e8480\r\n" + b"x" * 2_000_000 + b"\r\n0\r\n\r\n")
        return await asking

    chunked = await begin_chunked()

    for status, body in (refused, chunked):
        assert (status, json.loads(body)["code"]) == (413, "too-large")
        assert "1048576 bytes" in json.loads(body)["detail"]
    known.writer.close()


@pytest.mark.parametrize(("template", "verb", "handler"), OPERATIONS, ids=OPERATION_IDS)
async def test_a_cookie_alone_changes_nothing(
    template, verb, handler, jp_fetch, jp_serverapp, jp_base_url
):
    """As with Jupyter's own: whoever has the cookie can look, and needs `_xsrf` for the rest."""
    login = await jp_fetch("lab-does-not-matter", raise_error=False)
    provider = jp_serverapp.identity_provider
    cookies = "; ".join(header.partition(";")[0] for header in login.headers.get_list("Set-Cookie"))
    assert provider.token not in cookies
    parts = template.strip("/").format(**SAMPLES).split("/")

    answer = await jp_fetch(
        *parts,
        method=verb.upper(),
        headers={"Authorization": "", "Cookie": cookies},
        allow_nonstandard_methods=True,
        raise_error=False,
        follow_redirects=False,
    )

    if verb in {"get", "head"}:
        assert answer.code in {200, 404, 422}
    else:
        assert answer.code == 403
        assert b"_xsrf" in answer.body


def schema_of(path, verb, status):
    answer = SPEC["paths"][path][verb]["responses"][str(status)]
    if "$ref" in answer:
        answer = SPEC["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    return {**answer["content"]["application/json"]["schema"], "components": SPEC["components"]}


def check(answer, path, verb, status):
    assert answer.code == status
    schema = schema_of(path, verb, status)
    jsonschema.Draft202012Validator(schema).validate(json.loads(answer.body))


async def test_answers_are_what_the_description_says(jp_fetch, backend, sandbox):
    kernel = sandbox.info.sandbox_id
    place = sandbox.workspace.strip("/").split("/")
    one = "/sandbook/{kernel_id}/"

    async def ask(*parts, method="GET", body=None, **options):
        body = json.dumps(body) if isinstance(body, dict) else body
        return await jp_fetch(
            *("sandbook", *parts),
            method=method,
            body=body,
            allow_nonstandard_methods=True,
            raise_error=False,
            **options,
        )

    file = {"type": "file", "format": "text", "content": "x"}
    form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n'
    multipart = {"Content-Type": "multipart/form-data; boundary=b"}
    path = one + "contents/{path}"

    check(await ask("sandboxes"), "/sandbook/sandboxes", "get", 200)
    check(await ask(kernel, "list_files", method="POST", body={}), f"{one}list_files", "post", 200)
    check(await ask(kernel, "transfers"), f"{one}transfers", "get", 200)
    check(await ask("none", "transfers"), f"{one}transfers", "get", 404)
    uploaded = await ask(kernel, "upload_file", method="POST", body=form, headers=multipart)
    assert uploaded.code in {200, 403}  # `/` is not everybody's
    made = await ask(kernel, "contents", *place, "t.txt", method="PUT", body=file)
    check(made, path, "put", 201)
    check(await ask(kernel, "contents", *place), path, "get", 200)
    check(await ask(kernel, "contents", *place, "t.txt"), path, "get", 200)
    check(await ask(kernel, "contents", "none"), path, "get", 404)
    kept = await ask(kernel, "contents", *place, "t.txt", "checkpoints", method="POST")
    check(kept, f"{path}/checkpoints", "post", 201)
    check(await ask(kernel, "files", "none"), f"{one}files/{{path}}", "get", 404)
