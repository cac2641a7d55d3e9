"""All our URLs: who may use them, and that rest-api.yml says what they are."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from openapi_spec_validator import validate
from tornado.httpclient import HTTPClientError
from tornado.web import RequestHandler

import sandbook_server
from sandbook_server.routes import ROUTES

SPEC = yaml.safe_load((Path(sandbook_server.__file__).parent / "rest-api.yml").read_text())
VERBS = ("get", "head", "post", "put", "patch", "delete")
SAMPLES = {"kernel_id": "0000", "path": "some/file", "checkpoint_id": "checkpoint", "what": "pause"}


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
    said = SPEC["paths"][template][verb]["x-action"]
    found = set()
    function = getattr(handler, verb)
    while function is not None:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        found |= {cell for cell in cells if isinstance(cell, str)}
        function = getattr(function, "__wrapped__", None)

    assert {said, "sandbook"} <= found


@pytest.mark.parametrize(("template", "verb", "handler"), OPERATIONS, ids=OPERATION_IDS)
async def test_nobody_gets_in_without_a_token(template, verb, handler, jp_fetch):
    parts = template.strip("/").format(**SAMPLES).split("/")

    with pytest.raises(HTTPClientError) as caught:
        await jp_fetch(
            *parts,
            method=verb.upper(),
            headers={"Authorization": ""},
            allow_nonstandard_methods=True,
            follow_redirects=False,
        )

    assert caught.value.code == 403


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
