"""Options of the docker backend that people set: each does what its help says, or is refused."""

import contextlib

import pytest
from traitlets import TraitError

from sandbook.errors import SandboxStartError
from sandbook.sandbox.docker import DockerBackend
from sandbook.session.bash import BashSession


@pytest.fixture
def using(sandbox_request):
    """Make a sandbox with options, and a function that runs cells in it."""

    @contextlib.asynccontextmanager
    async def use(**options):
        backend = DockerBackend(**{"network": "none", **options})
        try:
            sandbox = await backend.create(sandbox_request)
            session = BashSession(sandbox)
            await session.start()

            async def run(command):
                output = bytearray()
                result = await session.run(command, output.extend)
                return result.exit_code, output.decode()

            yield run
            session.close()
        finally:
            await backend.remove(sandbox_request.sandbox_id)
            backend.close()

    return use


async def test_a_read_only_root_is_read_only_but_for_what_cells_need(using):
    async with using(read_only_root=True) as run:
        for folder in ("/usr", "/etc", "/var/tmp", "/home"):
            assert "Read-only file system" in (await run(f"touch {folder}/x"))[1]
        for folder in ("/tmp", "/dev/shm", "/workspace", "~"):
            assert await run(f"echo x >{folder}/x && cat {folder}/x") == (0, "x\n")


async def test_variables_and_folders_of_ones_own(using, tmp_path_factory):
    shared = tmp_path_factory.mktemp("shared")
    (shared / "file").write_text("shared\n")
    mounts = [f"{shared}:/data", f"{shared}:/fixed:ro"]

    async with using(environment={"CITY": "Ulm"}, mounts=mounts) as run:
        assert await run("echo $CITY; cat /data/file /fixed/file") == (0, "Ulm\nshared\nshared\n")
        assert (await run("echo x >/data/new"))[0] == 0
        assert "Read-only file system" in (await run("echo x >/fixed/new"))[1]

    assert (shared / "new").read_text() == "x\n"


async def test_as_root_cells_are_root_with_five_capabilities(using):
    async with using(user="root") as run:
        _, output = await run("id -u; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status")

    uid, *fields = output.split()
    five = f"{0b11001011:016x}"  # CHOWN, DAC_OVERRIDE, FOWNER, SETGID, SETUID
    assert uid == "0"
    assert dict(zip(fields[::2], fields[1::2], strict=True)) == {
        "CapEff:": five,
        "CapBnd:": five,
        "NoNewPrivs:": "1",
    }


async def test_folders_in_memory_stay_below_the_memory(using):
    async with using(memory_mb=64, tmp_mb=4096, shm_mb=4096) as run:
        _, output = await run("df -m --output=size /tmp /dev/shm | tail -n +2")

    assert sum(map(int, output.split())) < 64


async def test_a_volume_is_empty_and_goes_with_the_sandbox(using, tmp_path):
    (tmp_path / "of-this-machine").touch()

    async with using(workspace="volume") as run:
        assert await run("ls; echo x >file; cat file") == (0, "x\n")

    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"runtime": "no-such-runtime"}, "no-such-runtime"),
        ({"network": "no-such-network"}, "no-such-network"),
        ({"gpus": "all"}, "gpu"),
        ({"mounts": ["/no/such/folder/here:/data:wrong"]}, "wrong"),
    ],
)
async def test_what_the_engine_does_not_have_is_told_and_leaves_nothing(
    options, reason, sandbox_request
):
    backend = DockerBackend(**{"network": "none", **options})
    try:
        with pytest.raises(SandboxStartError, match=reason):
            await backend.create(sandbox_request)
        left = {info.sandbox_id for info in await backend.list_all()}
    finally:
        await backend.remove(sandbox_request.sandbox_id)
        backend.close()

    assert sandbox_request.sandbox_id not in left


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("mounts", ["/var/run/docker.sock:/var/run/docker.sock"]),
        ("mounts", ["/run/docker.sock:/x:ro"]),
        ("mounts", ["/var/run:/x"]),
        ("mounts", ["/:/host"]),
        ("mounts", ["/tmp/../run/:/x"]),
        ("mounts", ["/data"]),
        ("mounts", ["/data:relative"]),
        ("lifetime", "forever"),
        ("workspace", "nowhere"),
        ("open_files", 3),
        ("shm_mb", 0),
        ("tmp_mb", 0),
        ("disk_mb", -1),
        ("max_life_s", -1),
        ("environment", {"A": 1}),
        ("image", ""),
        ("network", ""),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(trait, value):
    with pytest.raises(TraitError, match=trait):
        DockerBackend(**{trait: value})
