"""Which backend is chosen, and what is said when there is none."""

import pytest
from traitlets import TraitError

from sandbook.errors import BackendUnavailableError, SandboxNotFoundError
from sandbook.sandbox import factory as factory_module
from sandbook.sandbox.factory import SandboxFactory


@pytest.fixture
def no_engine(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")


@pytest.fixture
def no_bubblewrap(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def in_container(monkeypatch):
    def say(answer):
        monkeypatch.setattr(factory_module, "is_container", lambda: answer)

    return say


async def test_auto_takes_docker_where_an_engine_answers(factory):
    assert (await factory.choose()).name == "docker"


async def test_auto_takes_bubblewrap_without_an_engine(no_engine, factory):
    assert (await factory.choose()).name == "bubblewrap"


async def test_auto_takes_local_only_inside_a_container(
    no_engine, no_bubblewrap, in_container, factory
):
    in_container(True)

    assert (await factory.choose()).name == "local"


async def test_without_any_isolation_it_refuses(no_engine, no_bubblewrap, in_container, factory):
    in_container(False)

    with pytest.raises(BackendUnavailableError) as caught:
        await factory.choose()

    message = str(caught.value)
    assert "apt-get install docker.io" in message
    assert "apt-get install bubblewrap" in message
    assert "SANDBOOK_BACKEND=local" in message


async def test_what_was_asked_for_is_never_replaced(no_engine):
    with pytest.raises(BackendUnavailableError, match="No Docker engine answers"):
        await SandboxFactory(backend="docker").choose()


def test_an_unknown_backend_is_refused_by_name():
    with pytest.raises(TraitError, match="backend"):
        SandboxFactory(backend="chroot")


async def test_a_dead_engine_hides_no_other_sandbox(no_engine, factory, sandbox_request):
    await factory.of("bubblewrap").create(sandbox_request)

    listed = {info.sandbox_id for info in await factory.list_all()}
    await factory.of("bubblewrap").remove(sandbox_request.sandbox_id)

    assert sandbox_request.sandbox_id in listed


@pytest.mark.parametrize("pattern", [".*", "", "../x", "a b", "^/sandbook-.*$"])
async def test_an_id_is_never_a_pattern(pattern, factory, sandbox):
    with pytest.raises(SandboxNotFoundError):
        await factory.find(pattern)
