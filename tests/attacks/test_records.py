"""Attack: another user of this machine leaves a record of a sandbox where we look for ours, so that
our next process joins his namespaces, or takes his files for locks of ours."""

import os
import subprocess
from datetime import datetime, timezone

import pytest

from sandbook.errors import SandboxStartError
from sandbook.sandbox.base import SandboxInfo
from sandbook.sandbox.keeping import alone
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.records import Record, Records, birth_of
from sandbook.sandbox.runtime_folder import VARIABLE, runtime_folder

STRANGER = 54321
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def record_of(pid):
    info = SandboxInfo(
        sandbox_id="victim",
        backend="bubblewrap",
        isolation="namespaces",
        state="running",
        started_at=datetime.now(timezone.utc),
        image="",
        notebook="",
        workspace="/",
        limits=Limits(),
    )
    return Record(pid, birth_of(pid), info)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "runtime"))
    return tmp_path / "runtime"


@pytest.fixture
def planted(folder):
    """A record that would be believed, were everything in order."""
    Records().add(record_of(os.getpid()))
    assert Records().list_all("bubblewrap")
    return folder / "victim.json"


@is_root
def test_a_folder_of_somebody_else_is_not_believed(folder, planted):
    os.chown(folder, STRANGER, STRANGER)

    assert Records().list_all("bubblewrap") == []
    with pytest.raises(SandboxStartError, match="cannot be trusted"):
        Records().add(record_of(os.getpid()))
    with pytest.raises(SandboxStartError, match="cannot be trusted"), alone():
        pass


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_a_folder_that_others_may_write_to_is_not_believed(folder, planted, mode):
    folder.chmod(mode)

    assert Records().list_all("bubblewrap") == []
    with pytest.raises(SandboxStartError, match="cannot be trusted"):
        Records().add(record_of(os.getpid()))


def test_a_link_in_place_of_the_folder_is_not_believed(folder, planted, tmp_path):
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")

    assert Records().list_all("bubblewrap") == []


@is_root
def test_a_record_of_somebody_else_is_not_believed(planted):
    os.chown(planted, STRANGER, STRANGER)

    assert Records().list_all("bubblewrap") == []


def test_a_record_that_others_may_write_is_not_believed(planted):
    planted.chmod(0o666)

    assert Records().list_all("bubblewrap") == []


def test_a_record_behind_a_link_is_not_believed(planted, tmp_path):
    planted.rename(tmp_path / "record")
    planted.symlink_to(tmp_path / "record")

    assert Records().list_all("bubblewrap") == []


def test_a_pipe_in_place_of_a_record_holds_nobody_up(folder, planted):
    planted.unlink()
    os.mkfifo(planted)

    assert Records().list_all("bubblewrap") == []


@is_root
def test_a_process_of_somebody_else_is_not_joined(folder):
    with subprocess.Popen(["sleep", "60"], user=STRANGER, group=STRANGER) as process:
        Records().add(record_of(process.pid))

        assert Records().list_all("bubblewrap") == []
        process.kill()


def test_the_folder_is_not_one_that_others_could_make_first(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delenv("JUPYTER_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)

    assert str(runtime_folder()).startswith("/home/somebody/")
