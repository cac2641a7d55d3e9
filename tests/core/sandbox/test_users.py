"""Who the programs of a sandbox are: a name, a home, and sudo only where it was asked for."""

import contextlib
import os
import pwd
from pathlib import Path

import pytest
from traitlets import TraitError

from sandbook.errors import SandboxStartError
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.bubblewrap import BubblewrapBackend
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.identity import Identity, identity_of
from sandbook.sandbox.local import LocalBackend
from sandbook.session.bash import BashSession

FIVE = f"{0b11001011:016x}"  # CHOWN, DAC_OVERRIDE, FOWNER, SETGID, SETUID
WHO = 'whoami; id -un; echo ~ "$HOME" "$USER" "$LOGNAME"'


@contextlib.asynccontextmanager
async def cells(backend, request):
    """Make a sandbox, and give it with a function that runs cells in it."""
    try:
        sandbox = await backend.create(request)
        session = BashSession(sandbox)
        await session.start()

        async def run(command):
            output = bytearray()
            result = await session.run(command, output.extend)
            return result.exit_code, output.decode()

        yield run, sandbox
        session.close()
    finally:
        await backend.remove(request.sandbox_id)
        backend.close()


@pytest.mark.parametrize(
    ("name", "uid", "gid", "identity"),
    [
        ("", 0, 0, Identity(0, 0)),
        ("", 5000, 100, Identity(5000, 100)),
        ("root", 5000, 100, Identity(0, 0, "root")),
        ("ann", 5000, 100, Identity(5000, 100, "ann")),
        ("ann", 0, 0, Identity(1000, 1000, "ann")),
    ],
)
def test_a_named_user_is_ourselves_unless_we_are_root(name, uid, gid, identity):
    assert identity_of(name, uid, gid) == identity


@pytest.mark.parametrize("backend", [DockerBackend, BubblewrapBackend, LocalBackend])
@pytest.mark.parametrize("name", ["Ann", "a b", "a:b", "a\nb", "-a", "1", "a/..", "a" * 33, "ä"])
def test_what_is_no_name_is_refused(backend, name):
    with pytest.raises(TraitError, match="is no name of a user"):
        backend(user=name)


@pytest.mark.parametrize("backend", [DockerBackend, BubblewrapBackend])
async def test_a_name_is_what_all_programs_see(backend, sandbox_request):
    async with cells(backend(network="none", user="ann"), sandbox_request) as (run, sandbox):
        seen = await run(WHO)
        await run("touch file && mkdir folder && touch ~/mine")
        listed = await run("ls -ld file folder . | cut -d' ' -f3 | sort -u")
        beside = await sandbox.run("bash", "-c", 'echo "$HOME $USER"; id -un')

    home = "/home/ann"
    assert seen == (0, f"ann\nann\n{home} {home} ann ann\n")
    assert listed == (0, "ann\n")
    assert beside.output.decode() == f"{home} ann\nann\n"
    assert (sandbox_request.workspace / "file").read_bytes() == b""


async def test_another_process_finds_the_same_user(sandbox_request):
    async with cells(DockerBackend(network="none", user="ann"), sandbox_request) as (_, made):
        other = DockerBackend()
        found = await other.find(sandbox_request.sandbox_id)
        said = await found.run("id", "-un")
        listed = [each.sandbox_id for each in await other.list_all()]
        other.close()

    assert said.output == b"ann\n"
    assert made.info.user == found.info.user == "ann"
    assert sandbox_request.sandbox_id in listed


async def test_the_workspace_belongs_to_a_named_user(sandbox_request):
    folder = sandbox_request.workspace
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("before\n")
    (folder / "link").symlink_to("/etc/hostname")
    ours = Path("/etc/hostname").stat().st_uid

    async with cells(DockerBackend(network="none", user="ann"), sandbox_request) as (run, _):
        assert await run("echo after >deep/file && cat deep/file") == (0, "after\n")
        assert await run("git init -q . && git status --short | tail -1") == (0, "?? link\n")

    assert (folder / "deep" / "file").read_text() == "after\n"
    assert Path("/etc/hostname").stat().st_uid == ours


async def test_a_volume_belongs_to_a_named_user_too(sandbox_request):
    backend = DockerBackend(network="none", user="ann", workspace="volume")
    async with cells(backend, sandbox_request) as (run, _):
        assert await run("touch file && stat -c %U . file") == (0, "ann\nann\n")


@pytest.mark.parametrize("name", ["sandbox", "nobody", "daemon"])
async def test_a_name_that_the_image_has_already_is_taken_over(name, sandbox_request):
    async with cells(DockerBackend(network="none", user=name), sandbox_request) as (run, _):
        assert await run(WHO) == (0, f"{name}\n{name}\n/home/{name} /home/{name} {name} {name}\n")
        assert await run(f"grep -c '^{name}:' /etc/passwd") == (0, "1\n")
        assert await run("id -un 0; getent passwd root | cut -d: -f3") == (0, "root\n0\n")


async def test_sudo_makes_root_with_the_same_capabilities_and_no_password(sandbox_request):
    backend = DockerBackend(network="none", user="ann", sudo=True)
    async with cells(backend, sandbox_request) as (run, _):
        assert await run("sudo id -un") == (0, "root\n")
        assert await run("sudo grep CapEff /proc/self/status") == (0, f"CapEff:\t{FIVE}\n")
        assert await run("sudo touch /root/x && cat /root/x") == (
            1,
            "cat: /root/x: Permission denied\n",
        )


@pytest.mark.parametrize("sudo", [True, False])
async def test_another_process_knows_who_may_be_root(sudo, sandbox_request):
    backend = DockerBackend(network="none", user="ann", sudo=sudo)
    async with cells(backend, sandbox_request) as (run, made):
        other = DockerBackend()
        found = await other.find(sandbox_request.sandbox_id)
        other.close()
        numbers = (await run("echo $(id -u):$(id -g)"))[1].strip()

    assert made.superuser_for == found.superuser_for == (numbers if sudo else "")


@pytest.mark.parametrize("options", [{}, {"user": "ann"}, {"user": "root"}])
async def test_without_sudo_nothing_gains_privileges(options, sandbox_request):
    async with cells(DockerBackend(network="none", **options), sandbox_request) as (run, _):
        assert await run("grep NoNewPrivs /proc/self/status") == (0, "NoNewPrivs:\t1\n")
        if options.get("user") == "ann":
            assert (await run("sudo -n true"))[0] != 0


async def test_bubblewrap_has_no_root(sandbox_request):
    with pytest.raises(SandboxStartError, match="has no root and no sudo"):
        await BubblewrapBackend(user="root").create(sandbox_request)


async def test_without_isolation_only_our_own_name_is_taken(sandbox_request, tmp_path):
    with pytest.raises(SandboxStartError, match="and not as 'somebody-else'"):
        await LocalBackend(user="somebody-else").create(sandbox_request)

    own = pwd.getpwuid(os.getuid()).pw_name
    request = SandboxRequest(sandbox_request.sandbox_id, tmp_path)
    async with cells(LocalBackend(user=own), request) as (run, _):
        assert await run("id -un") == (0, f"{own}\n")
