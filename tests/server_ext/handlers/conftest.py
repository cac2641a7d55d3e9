"""A real server, and one sandbox of each kind for a module, which no kernel needs to own."""

import asyncio
import json
import uuid
from urllib.parse import quote, urlencode

import pytest

from sandbook.files.paths import to_bytes
from sandbook.sandbox.base import SandboxRequest, ShellRequest
from sandbook.sandbox.factory import SandboxFactory
from tests.conftest import ISOLATED
from tests.core.files.conftest import Machine, left_over


@pytest.fixture
def jp_server_config():
    return {
        "ServerApp": {
            "jpserver_extensions": {"sandbook_server": True, "jupyter_server_terminals": False},
            "allow_unauthenticated_access": False,
        }
    }


@pytest.fixture(scope="module", params=ISOLATED)
def shared_sandbox(request, tmp_path_factory):
    """A sandbox that somebody holds; a missing engine or bwrap is a failure, never a skip."""
    factory = SandboxFactory(backend=request.param)
    sandbox_id = str(uuid.uuid4())

    async def create():
        backend = await factory.choose()
        made = await backend.create(SandboxRequest(sandbox_id, tmp_path_factory.mktemp("files")))
        control = f"{made.directory}/hold/control"
        return backend, made, await made.open_shell(ShellRequest(("sleep", "600"), control))

    backend, made, shell = asyncio.run(create())
    before = asyncio.run(left_over(made))  # without isolation, others may have files in /tmp
    yield made
    left = asyncio.run(left_over(made))
    shell.close()
    asyncio.run(backend.remove(sandbox_id))
    factory.close()
    assert left == before


@pytest.fixture
def machine(shared_sandbox, jp_asyncio_loop):
    """The sandbox, with a new folder for one test."""
    made = Machine(shared_sandbox)
    jp_asyncio_loop.run_until_complete(made.bash("true"))
    return made


class Answer:
    """What the server said, also where that is an error."""

    def __init__(self, response):
        self.status = response.code
        self.headers = response.headers
        self.body = response.body or b""

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


@pytest.fixture
def ask(jp_serverapp, http_server_client, jp_auth_header, jp_base_url, shared_sandbox):
    """Ask the server something about the sandbox; names are given as the sandbox has them."""

    async def fetch(*parts, sandbox=None, params=None, body=None, headers=None, **options):
        names = ["sandbook", sandbox or shared_sandbox.info.sandbox_id, *parts]
        url = jp_base_url + "/".join(quote(to_bytes(name), safe="") for name in names)
        if params:
            pairs = [(to_bytes(key), to_bytes(value)) for key, value in params.items()]
            url += f"?{urlencode(pairs)}"
        if isinstance(body, dict | list):
            body = json.dumps(body)
        request = http_server_client.fetch(
            url,
            headers={**jp_auth_header, **(headers or {})},
            body=body,
            allow_nonstandard_methods=True,
            raise_error=False,
            decompress_response=False,
            request_timeout=120,
            **options,
        )
        return Answer(await request)

    return fetch
