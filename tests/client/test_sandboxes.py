"""Sandboxes on a server: made, found, frozen and ended by the client."""

import json
from urllib.request import Request, urlopen

import pytest

from sandbook.client import ClientError
from tests.client.conftest import TOKEN


@pytest.fixture
def sandboxes(sandboxes_of, server_url):
    return sandboxes_of(server_url, TOKEN, start_timeout=60)


def test_a_sandbox_is_made_as_wished_and_ends_with_its_block(sandboxes):
    with sandboxes.create(backend="docker", env={"GREETING": "hello"}) as sandbox:
        info = sandboxes.get(sandbox.id)
        greeting = sandbox.run("echo $GREETING").output
        with sandboxes.open(sandbox.id) as opened:
            assert opened.alive()
        still = [each.id for each in sandboxes.list()]

    assert (info.id, info.backend, info.state) == (sandbox.id, "docker", "running")
    assert info.started_at.tzinfo is not None
    assert info.raw["kernel_id"] == sandbox.id
    assert greeting == "hello"
    assert sandbox.id in still
    with pytest.raises(ClientError) as gone:
        sandboxes.get(sandbox.id)
    assert (gone.value.status, gone.value.code) == (404, "sandbox-not-found")


def test_a_sandbox_is_frozen_and_goes_on(sandboxes):
    with sandboxes.create(backend="docker") as sandbox:
        sandbox.run("value=7")
        sandboxes.pause(sandbox.id)
        frozen = sandboxes.get(sandbox.id).state
        sandboxes.resume(sandbox.id)

        assert frozen == "paused"
        assert sandbox.run("echo $value").output == "7"


def test_what_cannot_be_made_leaves_nothing(sandboxes, server_url):
    def kernels():
        headers = {"Authorization": f"token {TOKEN}"}
        with urlopen(Request(f"{server_url}/api/kernels", headers=headers)) as answer:
            return {kernel["id"] for kernel in json.loads(answer.read())}

    sandboxes.list()  # it has started
    before = kernels()

    with pytest.raises(ClientError, match="no image 'no/such:image'") as missing:
        sandboxes.create(backend="docker", image="no/such:image")
    with pytest.raises(ClientError, match="There is no 'colour'") as unknown:
        sandboxes.create(colour="red")

    assert missing.value.status == 503
    assert (unknown.value.status, unknown.value.code) == (400, "invalid-request")
    assert kernels() == before


@pytest.mark.parametrize("access", [{"key": "wrong"}, {"token": "wrong"}, {}])
def test_who_is_not_let_in_is_told_what_to_bring(client_of, made, access):
    with pytest.raises(ClientError, match=r"Invalid API Key Give the key .* or the token") as error:
        client_of(made.base_url, **access).run("echo hi")

    assert (error.value.status, error.value.detail) == (403, "Invalid API Key")
    with pytest.raises(ClientError):
        list(client_of(made.base_url, **access).stream("echo hi"))
