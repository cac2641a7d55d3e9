"""What the network of sandboxes does when something is amiss, and what it leaves behind."""

import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
import pytest

from sandbook.errors import SandboxStartError
from sandbook.sandbox import network
from sandbook.sandbox.address import address_from_environment
from sandbook.sandbox.engine import Engine

ENGINE = Engine(address_from_environment())
IMAGE = "sandbook/base"


def interfaces_of(machine):
    return re.findall(r"^ *(\w+):", machine.exec_run("cat /proc/net/dev").output.decode(), re.M)


def wait_for_the_end_of_helpers(engine, machine):
    label = f"{network.HELPER_LABEL}=container:{machine.id}"
    deadline = time.monotonic() + 10
    while left := engine.containers.list(all=True, filters={"label": label}, ignore_removed=True):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


@pytest.fixture(scope="module")
def engine():
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def name(engine):
    """A name for a network; no network has it afterwards."""
    made = f"sandbook-test-{uuid.uuid4().hex[:8]}"
    yield made
    for left in engine.networks.list(names=[made]):
        left.remove()


@pytest.fixture
def start(engine, name):
    made = []

    def run(network_mode="none"):
        options = {"detach": True, "init": True, "network_mode": network_mode}
        made.append(engine.containers.run(IMAGE, ["sleep", "300"], **options))
        return made[-1]

    yield run
    for machine in made:
        machine.remove(force=True)


def test_a_helper_image_that_is_missing_leaves_the_sandbox_without_network(start, name):
    machine = start()

    with pytest.raises(SandboxStartError, match=r"no/such-image.*DockerBackend\.network"):
        network.isolate(ENGINE, machine.id, "no/such-image", name)

    assert interfaces_of(machine) == ["lo"]


def test_a_helper_image_without_the_packet_filter_leaves_the_sandbox_without_network(
    engine, start, name
):
    machine, crippled = start(), start()
    crippled.exec_run("rm /usr/sbin/nft")
    image = crippled.commit("sandbook-test", uuid.uuid4().hex[:8])
    try:
        with pytest.raises(
            SandboxStartError, match=r"nft: command not found.*sandbook image build"
        ):
            network.isolate(ENGINE, machine.id, image.id, name)
    finally:
        wait_for_the_end_of_helpers(engine, machine)
        engine.images.remove(image.tags[0])

    assert interfaces_of(machine) == ["lo"]


def test_rules_that_the_kernel_does_not_take_leave_the_sandbox_without_network(
    engine, start, name, monkeypatch
):
    machine = start()
    monkeypatch.setattr(network, "NOWHERE", ("not an address",))

    with pytest.raises(SandboxStartError, match=r"the helper failed \(Error: syntax error"):
        network.isolate(ENGINE, machine.id, IMAGE, name)

    assert interfaces_of(machine) == ["lo"]
    wait_for_the_end_of_helpers(engine, machine)


def test_a_container_that_is_gone_is_refused(name):
    with pytest.raises(SandboxStartError, match=r"no-such-container.*DockerBackend\.network"):
        network.isolate(ENGINE, "no-such-container", IMAGE, name)


def test_a_container_that_has_a_network_already_is_refused(start, name):
    machine = start("bridge")

    with pytest.raises(SandboxStartError, match="could not be isolated"):
        network.isolate(ENGINE, machine.id, IMAGE, name)


def test_a_foreign_network_of_that_name_is_refused(engine, name):
    engine.networks.create(name)

    with pytest.raises(SandboxStartError, match="that Sandbook did not make"):
        network.ensure_network(ENGINE, name)


def test_concurrent_callers_make_one_network(engine, name):
    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(lambda _: network.ensure_network(ENGINE, name), range(8)))

    (made,) = engine.networks.list(names=[name])
    assert ids == {made.id}
    assert made.attrs["Options"]["com.docker.network.bridge.enable_icc"] == "false"
    assert not made.attrs["EnableIPv6"]


def test_the_addresses_of_an_engine_elsewhere_are_read_there():
    elsewhere = {"Options": {network.BRIDGE_NAME: "not-on-this-machine"}}
    here = Path("/proc/net/fib_trie").read_text()

    text = network._look_around(ENGINE, elsewhere, IMAGE)

    assert text.count("Main:") == 2 * here.count("Main:")
    assert "127.0.0.1/32" in network.local_addresses(text.removeprefix(here))


def test_local_addresses_are_those_that_the_kernel_delivers_to_itself():
    table = """Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 198.51.100.0/24 2 0 2
        |-- 198.51.100.0
           /24 link UNICAST
        |-- 198.51.100.7
           /32 host LOCAL
        |-- 198.51.100.255
           /32 link BROADCAST
     |-- 203.0.113.0
        /28 host LOCAL
        /24 link UNICAST
"""

    assert network.local_addresses(table) == {"198.51.100.7/32", "203.0.113.0/28"}


def test_helpers_leave_nothing_behind(engine, start, name):
    machine = start()

    network.isolate(ENGINE, machine.id, IMAGE, name)

    assert interfaces_of(machine) == ["lo", "eth0"]
    wait_for_the_end_of_helpers(engine, machine)
