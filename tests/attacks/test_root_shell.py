"""Attack: the user of a sandbox prepares what a root shell of the same sandbox will use, to be root
there. Only docker has both; without bubblewrap's root there is nothing to gain."""

import pytest

from sandbook.sandbox.docker import DockerBackend
from sandbook.session.bash import BashSession

TAKE = "id -u >>/workspace/taken"
PLANT = """
umask 0
cd /dev/shm/sandbook
for folder in {nonce} root/{nonce} user/{nonce}; do
  mkdir -p "$folder" && mkfifo "$folder/control"
  for name in rc state pid tty; do echo '{take}' >"$folder/$name"; done
  (exec 3<>"$folder/control"; for n in {{1..9}}; do echo '{take}'; sleep 0.1; done >&3) &
done >/dev/null 2>&1
mkdir -p /tmp/home && echo '{take}' >/tmp/home/.bashrc
"""
LOOK = """
cd /dev/shm/sandbook
ls root; cat root/*/rc; rmdir root; mv root mine; ln -s /tmp new; rm -f lease
mv /dev/shm/sandbook /dev/shm/mine
"""


HOMES = {"own": "/root", "read-only": "/dev/shm/sandbook/root/home"}


@pytest.fixture(params=HOMES)
def home(request):
    return request.param


@pytest.fixture
def backend(home):
    backend = DockerBackend(user="ann", read_only_root=home == "read-only")
    yield backend
    backend.close()


async def run(session, command):
    output = bytearray()
    await session.run(command, output.extend)
    return output.decode()


async def test_what_the_user_has_planted_is_not_run_by_root(sandbox, home, tmp_path):
    tmp_path.chmod(0o777)
    root = BashSession(sandbox, root=True)
    await sandbox.run("bash", "-c", PLANT.format(nonce=root._nonce, take=TAKE))

    await root.start()
    told = await run(root, f"id -u; echo $HOME; stat -c %u:%a {root.directory}")
    root.close()

    assert told == f"0\n{HOMES[home]}\n0:700\n"
    assert not (tmp_path / "taken").exists()


async def test_the_user_does_not_see_and_cannot_replace_what_root_uses(sandbox):
    root = BashSession(sandbox, root=True)
    await root.start()

    told = await sandbox.run("bash", "-c", LOOK)
    found = await run(root, "stat -c '%n %u %a' /dev/shm/sandbook /dev/shm/sandbook/root")
    root.close()

    assert told.output == b""
    assert told.errors.count(b"ermission") + told.errors.count(b"not permitted") >= 7
    assert found == "/dev/shm/sandbook 0 755\n/dev/shm/sandbook/root 0 700\n"
