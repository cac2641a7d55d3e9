"""What an isolated sandbox reaches, and what it does not, with real listeners on a real engine."""

import contextlib
import re
import socket
import subprocess
import time
import uuid

import docker
import pytest

from sandbook.sandbox import network
from sandbook.sandbox.address import address_from_environment
from sandbook.sandbox.container import CAPABILITIES
from sandbook.sandbox.engine import Engine

ENGINE = Engine(address_from_environment())
IMAGE = "sandbook/base"
LISTENER = ["python3", "-m", "http.server", "8000"]
CLOSED = "[Errno 113] No route to host"
REACH = """
import socket, sys
address, port, device = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
connection = socket.socket()
connection.settimeout(2)
if device:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)
try:
    connection.connect((address, port))
    print("reached")
except OSError as error:
    print(error)
"""
SEND = """
import socket, sys
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
for address in sys.argv[2:]:
    try:
        sender.sendto(b"knock", (address, int(sys.argv[1])))
    except OSError as error:
        print(error)
"""
TRICKS = [
    ["nft", "flush", "ruleset"],
    ["nft", "insert rule inet sandbook output accept"],
    ["unshare", "--net", "true"],
    ["nsenter", "--net=/proc/1/ns/net", "true"],
    ["python3", "-c", "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"],
    ["python3", "-c", "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 255)"],
    ["python3", "-c", "import socket; socket.socket().setsockopt(0, 19, 1)  # IP_TRANSPARENT"],
    ["python3", "-c", "import socket; socket.socket().setsockopt(1, 36, 1)  # SO_MARK"],
]


class Machines:
    """Containers of a test, made as the docker backend makes them; and their end."""

    def __init__(self, engine, network_name):
        self.engine = engine
        self.network_name = network_name
        self._made = []

    def start(self, network_mode="none", command=("sleep", "300")):
        made = self.engine.containers.run(
            IMAGE,
            entrypoint=list(command),
            command=[],
            detach=True,
            init=True,
            cap_drop=["ALL"],
            cap_add=CAPABILITIES,
            security_opt=["no-new-privileges"],
            network_mode=network_mode,
        )
        self._made.append(made)
        return made

    def start_isolated(self, **options):
        made = self.start(**options)
        network.isolate(ENGINE, made.id, IMAGE, self.network_name)
        return made

    def close(self):
        for made in self._made:
            made.remove(force=True, v=True)


def reach(machine, address, port, device=""):
    """Try a TCP connection from inside, and say how it went."""
    argv = ["python3", "-c", REACH, address, str(port), device]
    return machine.exec_run(argv).output.decode().strip()


def address_of(machine):
    machine.reload()
    (endpoint,) = machine.attrs["NetworkSettings"]["Networks"].values()
    return endpoint["IPAddress"]


def wait_until(condition):
    deadline = time.monotonic() + 10
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def answers(address, port):
    """Tell whether this machine, the host, can connect."""
    try:
        socket.create_connection((address, port), timeout=3).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def engine():
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture(scope="module")
def machines(engine):
    made = Machines(engine, f"sandbook-test-{uuid.uuid4().hex[:8]}")
    yield made
    made.close()
    for left in engine.networks.list(names=[made.network_name]):
        left.remove()


@pytest.fixture(scope="module")
def isolated(machines):
    return machines.start_isolated()


@pytest.fixture(scope="module")
def open_machine(machines):
    """A container with Docker's own default network, to see that the listeners do listen."""
    return machines.start("bridge")


@pytest.fixture(scope="module")
def host_addresses(open_machine, isolated):
    """The IPv4 addresses of this machine that stay as long as the tests run.

    Bridges of other tests and of other people come and go: where one has just gone, the internet
    answers instead.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as routed:  # sends nothing
        routed.connect(("192.0.2.1", 9))
        outward = routed.getsockname()[0]
    bridge = address_of(open_machine).rpartition(".")[0] + ".1"
    found = [outward, bridge, address_of(isolated).rpartition(".")[0] + ".1"]
    listed = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True)
    assert set(found) <= set(listed.stdout.split())
    return found


@pytest.fixture(scope="module")
def listen():
    with contextlib.ExitStack() as listeners:

        def start(address):
            listener = listeners.enter_context(socket.create_server((address, 0)))
            return listener.getsockname()[1]

        yield start


# A socket bound to the interface would go around routes, were they what keeps the sandbox in.
@pytest.mark.parametrize("device", ["", "eth0"])
def test_no_address_of_the_host_answers(isolated, open_machine, host_addresses, listen, device):
    port = listen("0.0.0.0")

    seen = {reach(isolated, address, port, device) for address in host_addresses}

    assert "reached" in {reach(open_machine, address, port) for address in host_addresses}
    assert seen == {CLOSED}


def test_the_hosts_loopback_is_not_the_sandboxs(isolated, listen):
    port = listen("127.0.0.1")

    seen = reach(isolated, "127.0.0.1", port)

    assert answers("127.0.0.1", port)
    assert seen == "[Errno 111] Connection refused"


def test_no_datagram_reaches_the_host(isolated, open_machine, host_addresses):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("0.0.0.0", 0))
        listener.settimeout(5)
        port = str(listener.getsockname()[1])
        broadcast = address_of(isolated).rsplit(".", 2)[0] + ".255.255"
        everybody = [*host_addresses, broadcast, "255.255.255.255", "224.0.0.1"]

        isolated.exec_run(["python3", "-c", SEND, port, *everybody])
        open_machine.exec_run(["python3", "-c", SEND, port, host_addresses[0]])
        _, sender = listener.recvfrom(64)

    assert sender[0] != address_of(isolated)


@pytest.mark.parametrize("where", ["isolated", "same network", "default bridge"])
def test_a_neighbour_is_not_reached(machines, isolated, where):
    if where == "isolated":
        neighbour = machines.start_isolated(command=LISTENER)
    else:
        mode = machines.network_name if where == "same network" else "bridge"
        neighbour = machines.start(mode, LISTENER)
    address = address_of(neighbour)
    assert wait_until(lambda: answers(address, 8000))

    seen = {reach(isolated, address, 8000, device) for device in ("", "eth0")}

    assert seen == {CLOSED}


def test_a_neighbour_does_not_reach_the_sandbox(machines):
    target = machines.start_isolated(command=LISTENER)
    address = address_of(target)
    neighbours = [machines.start(machines.network_name), machines.start("bridge")]
    assert wait_until(lambda: answers(address, 8000))

    seen = [reach(neighbour, address, 8000) for neighbour in neighbours]

    assert "reached" not in seen


def test_a_port_that_the_host_publishes_for_another_container_is_closed(
    engine, isolated, host_addresses
):
    other = engine.containers.run(
        IMAGE, entrypoint=LISTENER, command=[], detach=True, remove=True, ports={"8000": None}
    )
    try:
        other.reload()
        port = int(other.ports["8000/tcp"][0]["HostPort"])
        assert wait_until(lambda: answers(host_addresses[0], port))

        seen = {reach(isolated, address, port) for address in host_addresses}
    finally:
        other.remove(force=True)

    assert seen == {CLOSED}


@pytest.mark.parametrize("address", ["169.254.169.254", "168.63.129.16", "100.100.100.200"])
def test_the_metadata_of_a_cloud_is_closed(isolated, address):
    assert reach(isolated, address, 80) == CLOSED


def test_the_package_archive_is_reached_by_name(isolated):
    sources = isolated.exec_run(["bash", "-c", "cat /etc/apt/sources.list{,.d/*}"]).output.decode()
    (url, *_) = re.findall(r"^(?:URIs:|deb ).*?(https?://\S+)", sources, re.MULTILINE)

    code, output = isolated.exec_run(["curl", "--silent", "--show-error", "--head", url])

    assert code == 0, output
    assert output.startswith(b"HTTP/")


def test_the_sandbox_talks_to_itself_by_its_own_address(isolated):
    isolated.exec_run(LISTENER, detach=True)
    address = address_of(isolated)

    assert wait_until(lambda: reach(isolated, address, 8000) == "reached")
    assert reach(isolated, "localhost", 8000) == "reached"


def test_the_sandbox_has_no_ipv6_beyond_its_loopback(isolated):
    listed = isolated.exec_run("cat /proc/net/if_inet6").output.decode()

    assert "eth" not in listed


@pytest.mark.parametrize("user", ["0", "1000"])
def test_nobody_in_the_sandbox_undoes_the_rules(machines, listen, host_addresses, user):
    machine = machines.start_isolated()
    port = listen("0.0.0.0")

    codes = [machine.exec_run(trick, user=user).exit_code for trick in TRICKS]

    assert all(codes), codes
    assert {reach(machine, address, port) for address in host_addresses} == {CLOSED}


def test_an_address_that_the_host_gets_later_does_not_answer(
    engine, machines, host_addresses, listen
):
    machine = machines.start("bridge")
    rules = network.ruleset(network.NOWHERE, network.METADATA)
    port = listen("0.0.0.0")
    before = {reach(machine, address, port) for address in host_addresses}

    engine.containers.run(
        IMAGE,
        ["nft", rules],
        cap_add=["NET_ADMIN"],
        network_mode=f"container:{machine.id}",
        remove=True,
    )

    assert before == {"reached"}
    assert {reach(machine, address, port) for address in host_addresses} == {"timed out"}
