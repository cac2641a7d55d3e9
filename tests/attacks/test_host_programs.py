"""Attack: a sandbox leaves in the shared folder what programs of this machine run by themselves:
git its hooks and what its config names, editors their tasks, shells their start-up files."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

import pytest

from sandbook.errors import SandboxError, SandboxStartError
from sandbook.sandbox.base import SandboxRequest, ShellRequest
from sandbook.sandbox.bubblewrap import BubblewrapBackend
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.factory import SandboxFactory
from sandbook.sandbox.guard import move_aside
from sandbook.sandbox.protection import numbers_of
from sandbook.sandbox.survey import protection_of
from sandbook.session.bash import BashSession
from tests.conftest import ISOLATED, OFFLINE
from tests.kernel.client import execute, ids, running_kernel, text_of

MAKE = """
git init -q
git config user.name Ann && git config user.email ann@example.org
git config core.hooksPath tools/hooks
mkdir -p tools/hooks .git/modules/libs/foo .git/worktrees/tree linked hooks-elsewhere
touch .git/modules/libs/foo/{HEAD,config} .git/worktrees/tree/commondir
git init -q linked && rm -rf linked/.git/hooks && ln -s ../../hooks-elsewhere linked/.git/hooks
mkdir -p deep/er .vscode .jupyter .git/modules/part/hooks && git init -q deep/er
touch .git/modules/part/config .bashrc .envrc .vscode/tasks.json
mkdir tree && echo 'gitdir: ../.git/worktrees/tree' >tree/.git
chmod -R a+rwX .
"""
RUN = {
    "hook": "echo evil >.git/hooks/pre-commit",
    "hook by a link": "ln -s /workspace/evil .git/hooks/pre-commit",
    "hooks renamed": "mv .git/hooks .git/x; mkdir .git/hooks; echo evil >.git/hooks/pre-commit",
    "config": "echo '[core] fsmonitor = evil' >>.git/config",
    "config by git": "git config core.fsmonitor evil",
    "config replaced": "echo evil >x; mv -f x .git/config",
    "config by a hard link": "ln .git/config x; echo evil >>x",
    "config as truncated": ": >.git/config",
    "repository renamed": "mv .git x; mkdir -p .git/hooks; echo evil >.git/hooks/pre-commit",
    "repository removed": "rm -rf .git; mkdir -p .git/hooks; echo evil >.git/hooks/pre-commit",
    "a deeper repository": "mv deep/er/.git x; echo evil >deep/er/.git/hooks/pre-commit",
    "a submodule": "mv .git/modules x; mkdir -p .git/modules/part/hooks;"
    "echo evil >.git/modules/part/hooks/pre-commit",
    "a submodule in a folder": "echo evil >>.git/modules/libs/foo/config; mv .git/modules/libs x;"
    "mkdir -p .git/modules/libs/foo; echo evil >.git/modules/libs/foo/config",
    "what a work tree is part of": "echo evil >.git/worktrees/tree/commondir",
    "hooks in a folder of their own": "mv tools x; mkdir -p tools/hooks;"
    "echo evil >tools/hooks/pre-commit",
    "hooks behind a link": "mv hooks-elsewhere x; mkdir -p hooks-elsewhere;"
    "echo evil >hooks-elsewhere/pre-commit",
    "a work tree": "rm -f tree/.git; echo evil >tree/.git",
    "tasks of an editor": "echo evil >.vscode/tasks.json",
    "a folder of an editor": "mv .vscode x; mkdir .vscode; echo evil >.vscode/tasks.json",
    "direnv": "echo evil >.envrc; rm -f .envrc; echo evil >.envrc",
    "start-up file": "echo evil >>.bashrc; mv .bashrc x; echo evil >.bashrc",
    "settings of Jupyter": "echo evil >.jupyter/jupyter_server_config.py",
    "mounts": "umount .git/config .git/hooks .git; mount -o remount,rw /workspace/.git/config;"
    "unshare -rm umount .git/config; echo evil >>.git/config",
}
PLACES = [
    *(".git/config", ".git/hooks/pre-commit", "deep/er/.git/hooks/pre-commit", "tree/.git"),
    *(".git/modules/part/hooks/pre-commit", ".vscode/tasks.json", ".envrc", ".bashrc"),
    ".jupyter/jupyter_server_config.py",
    *(".git/modules/libs/foo/config", ".git/worktrees/tree/commondir"),
    *("tools/hooks/pre-commit", "hooks-elsewhere/pre-commit"),
]


@pytest.fixture
def workspace(tmp_path):
    return make_workspace(tmp_path)


def make_workspace(folder):
    subprocess.run(["bash", "-ec", MAKE], cwd=folder, check=True)
    folder.chmod(0o777)
    return folder


def contents(folder):
    return {place: read(folder / place) for place in PLACES}


def read(path):
    return path.read_text() if path.is_file() else path.is_symlink()


async def run(sandbox, script, *, root=False):
    return await sandbox.run("bash", "-c", f"cd /workspace; {script}", root=root)


def users(sandbox):
    return [False, True] if sandbox.info.backend == "docker" else [False]


@pytest.fixture(scope="module", params=ISOLATED)
def attacked(request, tmp_path_factory):
    """A sandbox for many attacks: as long as none succeeds, its workspace stays as it was."""
    folder = make_workspace(tmp_path_factory.mktemp("attacked"))
    factory = SandboxFactory(backend=request.param, config=OFFLINE)
    sandbox_id = str(uuid.uuid4())

    async def make():
        backend = await factory.choose()
        sandbox = await backend.create(SandboxRequest(sandbox_id, folder))
        control = f"{sandbox.directory}/hold/control"
        return backend, sandbox, await sandbox.open_shell(ShellRequest(("sleep", "600"), control))

    backend, sandbox, shell = asyncio.run(make())
    yield folder, sandbox
    shell.close()
    asyncio.run(backend.remove(sandbox_id))
    factory.close()


@pytest.mark.parametrize("attack", RUN.values(), ids=RUN)
async def test_what_programs_of_the_host_run_stays_as_it_was(attacked, attack):
    workspace, sandbox = attacked
    before = contents(workspace)

    for root in users(sandbox):
        await run(sandbox, f"rm -rf x; {attack}", root=root)

    assert contents(workspace) == before


async def test_the_repository_can_be_worked_with(workspace, sandbox):
    told = await run(
        sandbox,
        "set -e; git config --global safe.directory '*'; echo text >file; git add file;"
        "git commit -qm one; git checkout -qb other; git tag v1; git stash list;"
        "git -c user.name=x -c user.email=y commit -q --allow-empty -m two; git log --format=%s",
    )

    assert (told.output, told.exit_code) == (b"two\none\n", 0), told.errors


async def test_repositories_made_inside_are_not_hindered(sandbox):
    told = await run(
        sandbox,
        "set -e; git init -q new; cd new; git config user.name x; git remote add o /y;"
        "echo '#!/bin/sh' >.git/hooks/pre-commit; mv ../new ../moved; rm -rf ../moved; echo done",
    )

    assert told.output == b"done\n", told.errors


@pytest.mark.parametrize("backend", [DockerBackend, BubblewrapBackend])
async def test_a_person_can_allow_it(workspace, backend):
    backend = backend(protected=[".vscode"])
    request = SandboxRequest("allowed-" + workspace.name[-20:].strip("_"), workspace)
    sandbox = await backend.create(request)
    told = await run(
        sandbox, "git config --global safe.directory '*'; git config a.b c; echo >.envrc"
    )
    refused = await run(sandbox, "echo >.vscode/x")
    await backend.remove(request.sandbox_id)
    backend.close()

    assert (told.exit_code, told.errors) == (0, b"")
    assert b"Read-only file system" in refused.errors


def test_names_that_come_to_be_are_moved_aside(tmp_path):
    watched = protection_of(tmp_path)
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode/tasks.json").write_text("evil")
    (tmp_path / ".envrc").symlink_to("/etc/passwd")

    assert sorted(move_aside(tmp_path, watched).renamed) == [".envrc", ".vscode"]
    assert move_aside(tmp_path, watched) == ([], [])
    (tmp_path / ".envrc").write_text("again")
    assert move_aside(tmp_path, watched) == ([".envrc"], [])

    names = sorted(path.name.partition("-")[0] for path in tmp_path.iterdir())
    assert names == [
        ".envrc.blocked",
        ".envrc.blocked",
        ".vscode.blocked",
    ]
    assert Path("/etc/passwd").is_file()


def test_a_link_to_hooks_stays_what_it_is(workspace):
    protection = protection_of(workspace)
    (workspace / "linked/.git/hooks").unlink()
    (workspace / "linked/.git/hooks").mkdir()

    assert move_aside(workspace, protection) == (["linked/.git/hooks"], [])
    assert (workspace / "linked/.git/hooks").readlink() == Path("../../hooks-elsewhere")


AS_ANN = """
import os, sys
from pathlib import Path
from sandbook.sandbox.guard import move_aside
from sandbook.sandbox.survey import protection_of
os.setgid(1234), os.setuid(1234)
workspace = Path(sys.argv[1])
(workspace / ".git").chmod(0)
found = protection_of(workspace)
(workspace / ".git/commondir").write_text("../evil")
(workspace / ".vscode").mkdir()
(workspace / ".git").chmod(0o555), workspace.chmod(0o555)
print(".git/config" in found.read_only, sorted(move_aside(workspace, found).renamed))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="modes stop nobody but ordinary users, as this plays")
def test_modes_do_not_keep_the_guard_away(tmp_path):
    """To whom the folder belongs, he takes back the rights that the sandbox has taken away."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        subprocess.run(["chown", "-R", "1234:1234", folder], check=True)
        program = (
            f"import sys; sys.path[:] = {sys.path!r}; import sandbook.sandbox.survey\n{AS_ANN}"
        )
        command = [sys.executable, "-c", program, folder]
        told = subprocess.run(command, capture_output=True, text=True, check=False)

    assert told.stdout == "True ['.git/commondir', '.vscode']\n", told.stderr


async def test_a_container_that_is_kept_mounts_nothing_through_a_link(workspace):
    """Its mounts were named when it was made."""
    made = DockerBackend(lifetime="keep")
    ids = [f"kept-{n}-{uuid.uuid4()}" for n in range(2)]
    requests = [SandboxRequest(each, workspace, str(workspace / "kept.ipynb")) for each in ids]
    try:
        first = await made.create(requests[0])
        swap = "mv deep x; mkdir -p deep/er/.git; ln -s /etc deep/er/.git/hooks"
        assert (await run(first, swap, root=True)).exit_code == 0
        await made.retire(ids[0])

        with pytest.raises(SandboxStartError, match=f"sandbook rm {ids[0]}"):
            await made.create(requests[1])
    finally:
        for each in ids:
            await made.remove(each)
        made.close()


def test_a_name_that_no_engine_can_be_told_keeps_no_sandbox_from_starting(tmp_path):
    odd = tmp_path / os.fsdecode(b"\xff") / ".git"
    odd.mkdir(parents=True)
    (odd / "config").touch()

    assert protection_of(tmp_path).read_only == ()


HOSTILE_CONFIGS = {
    "a NUL": b"[core]\nhooksPath = a\0b\n[include]\npath = c\0d\n",
    "no UTF-8": b"[core]\nhooksPath = \xff\n",
    "a name that is too long": b"[core]\nhooksPath = " + b"a" * 60000,
    "a path that is too long": b"[core]\nhooksPath = " + b"a/" * 30000,
    "empty lines": b"\n" * (1 << 16),
    "spaces": b"hooksPath = a" + b" " * (1 << 16) + b"x",
    "spaces before": b" " * (1 << 16) + b"hooksPath",
    "a config that includes itself": b"[include]\npath = config\n" * 2000,
    "the whole workspace": b"[core]\nhooksPath = ..\n",
}


@pytest.mark.parametrize("config", HOSTILE_CONFIGS.values(), ids=HOSTILE_CONFIGS)
def test_no_config_keeps_a_sandbox_from_starting(tmp_path, config):
    (tmp_path / "made/.git/hooks").mkdir(parents=True)
    (tmp_path / "made/.git/config").write_bytes(config)
    found = []
    seeker = threading.Thread(target=lambda: found.append(protection_of(tmp_path)), daemon=True)

    seeker.start()
    seeker.join(10)  # the mend reads each line once; before it, some of these took minutes

    assert found, "it takes too long, or fails"
    assert {"made/.git/config", "made/.git/hooks"} <= set(found[0].read_only)


HOOKS = {
    "in one line": "[core] hooksPath = tools",
    "in capitals": "[CORE]\n HOOKSPATH = tools ",
    "with a comment": '[core]\nhooksPath="tools" ; mine',
    "with quotes inside": '[core]\nhooksPath = to"ol"s # mine',
    "in two lines": "[core]\nhooksPath = to\\\nols",
    "by a path from the root": "[core]\nhooksPath = {folder}/tools",
    "by a link from elsewhere": "[core]\nhooksPath = {link}/tools",
    "behind a mark of the byte order": "\ufeff[core]\nhooksPath = tools",
    "by another config": '[includeIf "gitdir:**"]\npath = ../shared ; x',
}


@pytest.mark.parametrize("setting", HOOKS.values(), ids=HOOKS)
@pytest.mark.parametrize("config", ["config", "config.worktree"])
def test_hooks_are_found_however_the_config_names_them(tmp_path, config, setting):
    workspace = tmp_path / "workspace"
    (workspace / "tools").mkdir(parents=True)
    (workspace / ".git").mkdir()
    (tmp_path / "link").symlink_to(workspace)
    (workspace / "shared").write_text("[core]\nhooksPath = tools")
    told = setting.format(folder=workspace, link=tmp_path / "link")
    (workspace / ".git" / config).write_text(told)

    assert "tools" in protection_of(workspace).read_only


def test_hooks_in_the_home_are_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "work/tools").mkdir(parents=True)
    (tmp_path / "work/.git").mkdir()
    (tmp_path / "work/.git/config").write_text("[core]\nhooksPath = ~/work/tools")

    assert "tools" in protection_of(tmp_path / "work").read_only


def test_hooks_of_all_repositories_are_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "home/.gitconfig").write_text("[core]\nhooksPath = .githooks")
    for base in ("workspace", "workspace/part"):
        (tmp_path / base / ".git").mkdir(parents=True)
        (tmp_path / base / ".githooks").mkdir()

    found = protection_of(tmp_path / "workspace")

    assert {".githooks", "part/.githooks"} <= set(found.read_only)


def test_hooks_that_do_not_exist_yet_are_watched_with_their_folders(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("[core]\nhooksPath = build/tools")

    assert "build/tools" in protection_of(tmp_path).watched


@pytest.mark.parametrize("way", ["file", "link"])
def test_a_repository_elsewhere_in_the_workspace_is_found(tmp_path, way):
    (tmp_path / "repo/hooks").mkdir(parents=True)
    (tmp_path / "repo/config").write_text("[core]\nhooksPath = tools")
    (tmp_path / "tools").mkdir()
    if way == "file":
        (tmp_path / ".git").write_text("gitdir: repo\n")
    else:
        (tmp_path / ".git").symlink_to("repo")

    found = protection_of(tmp_path)

    assert {"repo/hooks", "repo/config", "tools"} <= set(found.read_only)


FILL = {
    "submodules": ".git/modules/m{}",
    "repositories": "r{}/.git",
}


@pytest.mark.parametrize("place", FILL.values(), ids=FILL)
def test_whoever_fills_the_list_does_not_push_the_person_out(tmp_path, place):
    """A sandbox makes so many repositories that the next one cannot protect them all."""
    (tmp_path / "tools").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("[core]\nhooksPath = tools")
    for number in range(400):
        (tmp_path / place.format(number) / "hooks").mkdir(parents=True)
        (tmp_path / place.format(number) / "config").touch()

    found = protection_of(tmp_path)

    assert {".git/config", "tools"} <= set(found.read_only)
    assert found.is_partial


def test_folders_without_end_are_not_all_looked_at(tmp_path, monkeypatch):
    for outer in range(11):
        for inner in range(1000):
            (tmp_path / f".git/modules/{outer}/{inner}").mkdir(parents=True)
    looked = []
    real = os.path.lexists
    monkeypatch.setattr("os.path.lexists", lambda path: looked.append(path) or real(path))

    assert protection_of(tmp_path).is_partial
    assert len(looked) < 25_000


@pytest.mark.parametrize("backend", ISOLATED, indirect=True)
async def test_what_lies_in_what_is_protected_is_mounted_once(backend, tmp_path):
    """As husky has it: its hooks are in `.husky/_`."""
    tmp_path.chmod(0o777)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".husky/_").mkdir(parents=True)
    (tmp_path / "a/b/.git/hooks").mkdir(parents=True)
    (tmp_path / "a/b/.git/config").write_text(
        "[core]\nhooksPath = .\nhooksPath = .git\nhooksPath = .git/hooks\nhooksPath = ../c\n"
    )
    subprocess.run(["git", "config", "core.hooksPath", ".husky/_"], cwd=tmp_path, check=True)
    request = SandboxRequest(str(uuid.uuid4()), tmp_path)
    sandbox = await backend.create(request)
    told = await run(sandbox, "echo evil >.husky/_/pre-commit; echo evil >>a/b/.git/config; ls -A")
    await backend.remove(request.sandbox_id)

    assert told.errors.count(b"Read-only file system") == 2
    assert told.output == b".git\n.husky\na\n"


@pytest.mark.parametrize("backend", ["bubblewrap"])
async def test_that_there_is_more_than_can_be_protected_is_told(backend, tmp_path):
    for number in range(60):
        (tmp_path / f"r{number}/.git").mkdir(parents=True)
    tmp_path.chmod(0o777)
    async with running_kernel(backend, tmp_path) as (_, client):
        _, told = await execute(client, "true")

    assert "more in this workspace to protect" in text_of(told, "stderr")


@pytest.mark.skipif(os.geteuid() != 0, reason="it plays root of a container")
async def test_what_cannot_be_renamed_is_told(tmp_path):
    """Root of a container may give the folder to somebody else."""
    command = [sys.executable, "-c", AS_ANN_ELSEWHERE.format(path=sys.path), tmp_path]
    tmp_path.chmod(0o755)
    (tmp_path / ".vscode").mkdir()
    told = subprocess.run(command, capture_output=True, text=True, check=False)

    assert told.stdout == "[] ['.vscode']\n", told.stderr


AS_ANN_ELSEWHERE = """
import sys; sys.path[:] = {path!r}
import os
from pathlib import Path
from sandbook.sandbox.guard import move_aside
from sandbook.sandbox.protection import Protection
root = os.open(sys.argv[1], os.O_PATH)
os.setgid(1234), os.setuid(1234)
moved = move_aside(Path(f"/proc/self/fd/{{root}}"), Protection(watched=(".vscode", ".envrc")))
print(moved.renamed, moved.left)
"""


def test_a_link_that_vanishes_while_it_is_looked_at_is_none(tmp_path, monkeypatch):
    (tmp_path / ".vscode").symlink_to("/etc")

    def vanished(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr("sandbook.sandbox.survey.os.readlink", vanished)

    assert protection_of(tmp_path).links == {}


def test_there_are_never_too_many_mounts(tmp_path):
    for number in range(500):
        (tmp_path / f".git/modules/m{number}/hooks").mkdir(parents=True)
        (tmp_path / f".git/modules/m{number}/config").touch()

    found = protection_of(tmp_path)

    assert len(found.held) + len(found.read_only) <= 302
    assert len(found.watched) <= 1000


async def test_what_a_program_leaves_behind_at_the_last_moment_is_moved_aside(tmp_path):
    tmp_path.chmod(0o777)
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        await execute(client, "while :; do mkdir .vscode 2>/dev/null; sleep 0.1; done & sleep 0.5")

    assert not (tmp_path / ".vscode").exists()


async def until_moved(folder, seconds=10):
    for _ in range(seconds * 10):
        if list(folder.glob(".vscode.blocked*")) and not (folder / ".vscode").exists():
            return True
        await asyncio.sleep(0.1)
    return False


FIRST_CELLS = {
    "a job in the background": "%%bash --background\nsleep 0.5; mkdir .vscode; sleep 20",
    "Python": "%%python\nimport os; os.mkdir('.vscode')",
}


@pytest.mark.parametrize("cell", FIRST_CELLS.values(), ids=FIRST_CELLS)
async def test_the_guard_begins_with_the_sandbox(tmp_path, cell):
    async with running_kernel("bubblewrap", tmp_path) as (_, client):
        await execute(client, cell)

        assert await until_moved(tmp_path)


@pytest.mark.parametrize("backend", ISOLATED)
async def test_the_guard_goes_on_after_a_restart(backend, tmp_path):
    """Before anybody runs a cell: what runs in the background has stayed."""
    tmp_path.chmod(0o777)
    late = "while [ ! -e go ]; do sleep 0.1; done; mkdir .vscode"
    async with running_kernel(backend, tmp_path) as (manager, client):
        await execute(client, f"setsid bash -c '{late}' </dev/null >/dev/null 2>&1 &")
        await manager.restart_kernel(now=False)
        await client.wait_for_ready(timeout=30)
        (tmp_path / "go").touch()

        assert await until_moved(tmp_path)


async def test_a_kept_container_is_guarded_like_any_other(tmp_path):
    """What the person has made while it was stopped stays."""
    tmp_path.chmod(0o777)
    variables = {
        "SANDBOOK_CONFIG": json.dumps({"DockerBackend": {"lifetime": "keep"}}),
        "JPY_SESSION_NAME": str(tmp_path / "kept.ipynb"),
    }
    async with running_kernel("docker", tmp_path, **variables) as (_, client):
        await execute(client, "true")
    (tmp_path / ".envrc").write_text("mine")
    async with running_kernel("docker", tmp_path, **variables) as (manager, client):
        await execute(client, "mkdir .vscode; sleep 0.9")
        moved = await until_moved(tmp_path)
        await manager.restart_kernel(now=False)
        await client.wait_for_ready(timeout=30)
        _, told = await execute(client, "mkdir .vscode; sleep 0.9")
    backend = DockerBackend()
    for info in await backend.list_all():
        if info.workspace == str(tmp_path):
            await backend.remove(info.sandbox_id)
    backend.close()

    assert moved
    assert not (tmp_path / ".vscode").exists()
    assert (tmp_path / ".envrc").read_text() == "mine"
    assert ".vscode was renamed" in text_of(told, "stderr")


@pytest.mark.parametrize("backend", ISOLATED)
async def test_what_is_left_behind_by_a_killed_kernel_is_moved_aside(backend, tmp_path):
    """The next sandbox would take it for the person's own, and keep it."""
    tmp_path.chmod(0o777)
    others = await ids()
    async with running_kernel(backend, tmp_path) as (manager, client):
        again = "while :; do mkdir .vscode; sleep 0.1; done"
        await execute(client, f"setsid bash -c '{again}' </dev/null >/dev/null 2>&1 &")
        await manager.signal_kernel(signal.SIGKILL)
        for _ in range(400):
            if not (alive := await ids() - others):
                break
            await asyncio.sleep(0.1)

    assert not alive
    assert await until_moved(tmp_path)


def test_a_repository_that_points_to_another_config_is_moved_aside(workspace):
    watched = protection_of(workspace)
    (workspace / ".git/commondir").write_text("../evil")

    assert move_aside(workspace, watched) == ([".git/commondir"], [])


def test_start_up_files_may_be_made_where_no_shell_looks_for_them(tmp_path, monkeypatch):
    assert ".bashrc" not in protection_of(tmp_path).watched

    monkeypatch.setenv("HOME", str(tmp_path))

    assert ".bashrc" in protection_of(tmp_path).watched


def test_links_are_followed_by_nothing(tmp_path):
    (tmp_path / ".vscode").symlink_to("/etc")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").symlink_to("/etc")

    found = protection_of(tmp_path)

    assert (found.held, found.read_only) == ((), ())


def swap(workspace):
    (workspace / ".vscode").rename(workspace / "x")
    (workspace / ".vscode").symlink_to("/etc")


@pytest.mark.parametrize("backend", [DockerBackend, BubblewrapBackend])
async def test_a_link_that_comes_in_between_is_not_followed(workspace, backend, monkeypatch):
    """Another sandbox, with the same folder, waits for this one to be made."""

    def late(*given):
        found = protection_of(*given)
        swap(workspace)
        return found

    monkeypatch.setattr(f"{backend.__module__}.protection_of", late)
    made = backend()

    with pytest.raises(SandboxStartError, match=r"\.vscode changed"):
        await made.create(SandboxRequest("link-in-between", workspace))
    made.close()


async def test_a_link_that_comes_just_before_the_engine_looks_is_noticed(workspace, monkeypatch):
    def late(*given):
        numbers = numbers_of(*given)
        swap(workspace)
        return numbers

    async def use():
        sandbox = await made.create(request)
        await BashSession(sandbox).start()

    monkeypatch.setattr("sandbook.sandbox.docker.numbers_of", late)
    made, request = DockerBackend(), SandboxRequest("link-just-before", workspace)

    with pytest.raises(SandboxError):
        await use()
    await made.remove(request.sandbox_id)
    made.close()


@pytest.mark.parametrize("backend", ISOLATED)
async def test_what_is_made_in_a_cell_or_behind_it_is_moved_aside_and_told(backend, tmp_path):
    tmp_path.chmod(0o777)
    async with running_kernel(backend, tmp_path) as (_, client):
        _, told = await execute(client, "mkdir .vscode; echo evil >.vscode/tasks.json; echo done")
        left = [path.name for path in tmp_path.iterdir()]
        await execute(client, "(sleep 0.3; echo evil >.envrc) &")
        for _ in range(100):
            if (tmp_path / ".envrc.blocked").exists():
                break
            await asyncio.sleep(0.1)

    assert left == [".vscode.blocked"]
    assert text_of(told) == "done\n"
    assert ".vscode was renamed" in text_of(told, "stderr")
    assert "Backend.protected" in text_of(told, "stderr")
    assert not (tmp_path / ".envrc").exists()


@pytest.mark.parametrize("backend", ISOLATED)
@pytest.mark.parametrize("command", ["git config a.b c", "git remote add origin /elsewhere"])
async def test_a_refusal_says_which_setting_allows_it(backend, command, workspace):
    async with running_kernel(backend, workspace) as (_, client):
        await execute(client, "git config --global safe.directory '*'")
        reply, told = await execute(client, command)

    assert reply["status"] == "error"
    assert ".git/config cannot be changed in the sandbox" in text_of(told, "stderr")
    assert "Backend.protected" in text_of(told, "stderr")


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_nothing_that_made_the_sandbox_is_left_open_in_it(sandbox):
    told = await run(sandbox, "readlink /proc/1/fd/*")

    assert set(told.output.decode().split()) <= {
        "/dev/null",
        "/dev/shm/sandbook/never",
        "(deleted)",
    }
