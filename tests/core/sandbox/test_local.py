"""How a container is told from a machine."""

import pytest

from sandbook.sandbox.local import is_container

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
