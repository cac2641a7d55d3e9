"""Files of this machine in a folder where a sandbox may write, too."""

import io
import os
import tarfile

import pytest

from sandbook.errors import AlreadyExistsError, FileError
from sandbook.files.host import HostPath


@pytest.fixture
def shared(tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret")
    return folder


def write(path, data, **how):
    with path.new(**how) as file:
        file.write(data)


def test_a_file_is_read_and_written(shared):
    write(HostPath("a", shared), b"one", replace=False)
    write(HostPath("a", shared), b"two", replace=True)

    with HostPath("a", shared).open() as file:
        assert file.read() == b"two"
    assert [path.name for path in shared.iterdir()] == ["a"]


def test_nothing_is_replaced_unless_somebody_says_so(shared):
    (shared / "a").write_text("mine")

    with pytest.raises(AlreadyExistsError, match="is there already"):
        write(HostPath("a", shared), b"other", replace=False)

    assert (shared / "a").read_text() == "mine"
    assert [path.name for path in shared.iterdir()] == ["a"]


@pytest.mark.parametrize("replace", [True, False])
def test_a_transfer_that_fails_leaves_nothing(shared, replace):
    def fail():
        with HostPath("a", shared).new(replace=replace) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()

    assert not list(shared.iterdir())


def test_a_link_of_the_sandbox_to_a_file_of_ours_is_not_read(shared):
    (shared / "a").symlink_to("../secret/key")
    (shared / "folder").symlink_to("../secret")

    for name in ("a", "folder/key"):
        with pytest.raises(FileError):
            HostPath(name, shared).open()
    assert not HostPath("folder", shared).is_folder


def test_a_link_of_the_sandbox_to_a_file_of_ours_is_not_written_through(shared, tmp_path):
    (shared / "a").symlink_to("../secret/key")
    (shared / "folder").symlink_to("../secret")

    write(HostPath("a", shared), b"mine", replace=True)
    with pytest.raises(FileError):
        write(HostPath("folder/key", shared), b"mine", replace=True)

    assert not (shared / "a").is_symlink()
    assert (tmp_path / "secret" / "key").read_text() == "secret"


def test_another_name_of_the_shared_folder_is_no_way_around(shared, tmp_path):
    (tmp_path / "other").symlink_to(shared)
    (shared / "folder").symlink_to("../secret")

    with pytest.raises(FileError):
        HostPath(str(tmp_path / "other" / "folder" / "key"), shared).open()


def test_a_link_of_the_user_elsewhere_is_followed(shared, tmp_path):
    (tmp_path / "mine").symlink_to("secret")

    with HostPath(str(tmp_path / "mine" / "key"), shared).open() as file:
        assert file.read() == b"secret"


def test_a_pipe_is_no_ordinary_file(shared):
    os.mkfifo(shared / "pipe")

    with pytest.raises(FileError, match="no ordinary file"):
        HostPath("pipe", shared).open()


def test_a_folder_is_packed_with_its_links_as_links(shared):
    (shared / "top" / "in").mkdir(parents=True)
    (shared / "top" / "in" / "a").write_text("a")
    (shared / "top" / "in" / "a").chmod(0o755)
    (shared / "top" / "link").symlink_to("../../secret")
    os.mkfifo(shared / "top" / "pipe")
    packed = io.BytesIO()

    HostPath("top", shared).tar(packed)

    packed.seek(0)
    with tarfile.open(fileobj=packed) as tar:
        found = {member.name: (member.type, member.mode) for member in tar}
        assert tar.getmember("link").linkname == "../../secret"
    assert set(found) == {"in", "in/a", "link"}
    assert found["in/a"] == (tarfile.REGTYPE, 0o755)
