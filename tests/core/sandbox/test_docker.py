"""What only the docker backend has: images, limits, hardening."""

import docker
import pytest
from traitlets import TraitError

from sandbook.errors import ImageNotFoundError
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.docker_sandbox import cause_of


@pytest.fixture
def engine():
    client = docker.from_env()
    yield client
    client.close()


async def test_an_image_that_is_not_there_says_how_to_get_it(sandbox_request, engine):
    backend = DockerBackend(image="no/such-image")
    with pytest.raises(ImageNotFoundError, match="docker pull no/such-image"):
        await backend.create(sandbox_request)
    backend.close()

    assert not engine.containers.list(all=True, filters={"name": sandbox_request.sandbox_id})


async def test_limits_and_hardening_are_on_by_default(sandbox_request, engine):
    backend = DockerBackend(memory_mb=256, cpus=0.5, pids=64)
    await backend.create(sandbox_request)

    host = engine.containers.get(f"sandbook-{sandbox_request.sandbox_id}").attrs["HostConfig"]
    await backend.remove(sandbox_request.sandbox_id)
    backend.close()

    assert host["Memory"] == host["MemorySwap"] == 256 * 2**20
    assert (host["NanoCpus"], host["PidsLimit"], host["Init"]) == (500_000_000, 64, True)
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"][0] == "no-new-privileges"
    assert host["SecurityOpt"][1].startswith("seccomp={")
    assert host["NetworkMode"] == "none"
    assert not host["Privileged"]


@pytest.mark.parametrize(("trait", "value"), [("memory_mb", 1), ("cpus", 0.0), ("pids", 1)])
def test_a_limit_too_small_is_refused_by_name(trait, value):
    with pytest.raises(TraitError, match=trait):
        DockerBackend(**{trait: value})


DIED = [("die", {"exitCode": "137"})]


@pytest.mark.parametrize(
    ("events", "cause"),
    [
        ([], ""),
        ([("oom", {})], ""),
        ([("kill", {"signal": "9"}), *DIED], "somebody stopped or removed its container"),
        ([("oom", {}), *DIED], "it had used up its memory"),
        (DIED, "its container ended with exit code 137"),
        ([("oom", {}), ("die", {"exitCode": "0"})], "its container ended with exit code 0"),
    ],
)
def test_why_a_container_ended_is_told_from_its_events(events, cause):
    assert cause_of(events) == cause
