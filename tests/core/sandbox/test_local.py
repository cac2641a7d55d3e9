"""How a container is told from a machine, and where agents may act without isolation."""

import pytest
from traitlets.config import Config

from sandbook.errors import AgentsRefusedError, BackendUnavailableError
from sandbook.sandbox import local
from sandbook.sandbox.factory import SandboxFactory
from sandbook.sandbox.local import LocalBackend, is_container
from tests.conftest import ISOLATED

OVERLAY = "500 400 0:55 / / rw,relatime - overlay overlay rw,lowerdir=/a\n"
DISK = "29 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
FOLDER = "500 400 254:0 /vfs/dir/abc / rw,relatime - ext4 /dev/vda rw\n"


@pytest.fixture
def root(tmp_path):
    def make(mountinfo, *markers):
        for marker in ("proc/self/mountinfo", *markers):
            (tmp_path / marker).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / marker).write_text(mountinfo)
        return str(tmp_path)

    return make


@pytest.mark.parametrize("marker", [".dockerenv", "run/.containerenv"])
@pytest.mark.parametrize("mountinfo", [OVERLAY, FOLDER])
def test_a_marker_and_a_root_of_its_own_make_a_container(root, mountinfo, marker):
    assert is_container(root(mountinfo, marker))


def test_a_marker_that_was_left_over_does_not(root):
    assert not is_container(root(DISK, ".dockerenv"))


def test_a_layered_root_alone_does_not(root):
    assert not is_container(root(OVERLAY))


@pytest.fixture
def in_container(monkeypatch):
    def say(answer):
        monkeypatch.setattr(local, "is_container", lambda: answer)

    return say


def test_agents_are_refused_where_nothing_isolates_them(in_container):
    in_container(False)

    with pytest.raises(AgentsRefusedError, match="isolates nothing") as caught:
        LocalBackend().check_agents()

    assert isinstance(caught.value, BackendUnavailableError)
    assert (caught.value.code, caught.value.backend) == ("agents-refused", "local")
    assert "c.LocalBackend.allow_agents = True" in str(caught.value)


@pytest.mark.parametrize(("container", "allowed"), [(True, False), (False, True), (True, True)])
def test_agents_may_act_in_a_container_or_where_it_is_allowed(in_container, container, allowed):
    in_container(container)

    LocalBackend(allow_agents=allowed).check_agents()


@pytest.mark.parametrize("name", ISOLATED)
def test_agents_may_act_wherever_they_are_isolated(in_container, name, factory):
    in_container(False)

    factory.of(name).check_agents()


def test_it_is_a_setting_like_any_other():
    factory = SandboxFactory(config=Config({"LocalBackend": {"allow_agents": True}}))

    assert factory.of("local").allow_agents
