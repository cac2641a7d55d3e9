"""The network of a sandbox: the internet, but neither the machine around it nor its neighbours.

A helper container sets packet filter rules in the network namespace of the sandbox while that has
only its loopback; then the engine plugs the sandbox in. So there is no moment without rules, and
nobody in the sandbox can undo them, for that takes NET_ADMIN. Nothing changes on the engine's
machine but for one bridge. Routes would not do: a program that binds its socket to the interface
(SO_BINDTODEVICE, which needs no privilege) goes around them.
"""

import contextlib
import hashlib
import re
import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sandbook.errors import SandboxStartError
from sandbook.sandbox.container import REALM_LABEL
from sandbook.sandbox.engine import UPGRADED, Engine, EngineError
from sandbook.sandbox.runtime_folder import realm

NETWORK = "sandbook"
NETWORK_LABEL = "sandbook.network"
HELPER_LABEL = "sandbook.helper"
BRIDGE_NAME = "com.docker.network.bridge.name"
CREATION_S = 5.0
FORBIDDEN, NOT_FOUND = 403, 404
"""How long to wait for the network that another caller is creating."""
HELPER_S = 10
METADATA = ("169.254.0.0/16", "168.63.129.16", "100.100.100.200", "192.0.0.192")
"""Where clouds tell a machine its secrets; some answer DNS there too, and that stays open."""
NOWHERE = ("0.0.0.0/8", "224.0.0.0/3")
"""What is no address on the internet: this network, multicast, broadcast."""
SURROUNDINGS = ("/proc/net/fib_trie", "/etc/resolv.conf")
"""The files that tell a machine's own addresses, and whom it asks for names."""
SET_RULES = 'nft "$1" && nft list chain inet sandbook output >/dev/null'
LOOK = 'for n in {1..20}; do s=$(cat "$@"); [ "$s" != "$t" ] || break; t=$s; done; echo "$s"'
LOOKS = 20
DONE = "helped"
"""The last word of a helper that did what it was asked to do."""

_LEAF = re.compile(r"\|-- (\S+)\n((?:\s+/\d+ .*\n?)+)")
_LOCAL = re.compile(r"/(\d+) host LOCAL")
_NAMESERVER = re.compile(r"^nameserver\s+(\d+\.\d+\.\d+\.\d+)\s*$", re.MULTILINE)


def ensure_network(engine: Engine, name: str = NETWORK) -> str:
    """Make the engine's network for sandboxes unless it is there; return its id.

    Raises:
        SandboxStartError: A network has the name that is not ours, or the engine makes none.
    """
    try:
        return _ensured(engine, name)["Id"]
    except EngineError as error:
        raise _refusal(str(error)) from error


def isolate(engine: Engine, container: str, helper_image: str, name: str = NETWORK) -> None:
    """Plug a running container into the internet and nothing nearer.

    Args:
        container: Its id or name. It must have been created with the network mode `none`, and has
            no network if this fails.
        helper_image: An image with bash and nft that nobody chose for what runs in the sandbox.

    Raises:
        SandboxStartError: The rules could not be set, or the engine did not do its part.
    """
    try:
        network = _ensured(engine, name)
        rules = _rules(engine, network, helper_image)
        _run_helper(engine, _helper(helper_image, f"container:{container}", SET_RULES, rules))
        engine.post("/networks/none/disconnect", {"Container": container})
        engine.post(f"/networks/{network['Id']}/connect", {"Container": container})
    except EngineError as error:
        raise _refusal(str(error)) from error


def unplug(engine: Engine, container: str, name: str = NETWORK) -> None:
    """Take a stopped container off the network, whose rules end with it; `isolate` puts it back."""
    plugged = engine.get(f"/containers/{container}/json")["NetworkSettings"]["Networks"]
    if name in plugged:
        engine.post(f"/networks/{name}/disconnect", {"Container": container, "Force": True})
        engine.post("/networks/none/connect", {"Container": container})


def ruleset(near: Iterable[str], resolvers: Iterable[str]) -> str:
    """Write the rules that keep a sandbox away from what is near, but for DNS at some addresses.

    Answers from an address that the machine got only later are known by their hop count: on the
    way from anywhere else a router, this machine, has lowered it from one of the usual values.
    Whoever connects to the sandbox is answered: sandboxes are not allowed to, so that is the host.
    """
    return f"""
        table inet sandbook {{
          set near {{
            type ipv4_addr; flags interval; auto-merge; elements = {{ {", ".join(near)} }}
          }}
          set resolvers {{
            type ipv4_addr; flags interval; auto-merge; elements = {{ {", ".join(resolvers)} }}
          }}
          chain output {{
            type filter hook output priority filter; policy accept;
            oif lo accept
            ct direction reply accept
            meta nfproto ipv6 reject with icmpx admin-prohibited
            ip daddr @resolvers meta l4proto {{ tcp, udp }} th dport 53 accept
            ip daddr @near reject with icmpx admin-prohibited
          }}
          chain input {{
            type filter hook input priority filter; policy accept;
            iif lo accept
            ip saddr @resolvers meta l4proto {{ tcp, udp }} th sport 53 accept
            ct state established ct direction reply ip ttl {{ 64, 128, 255 }} drop
          }}
        }}"""


def local_addresses(fib_trie: str) -> set[str]:
    """Find the addresses of a machine in its /proc/net/fib_trie."""
    return {
        f"{address}/{length}"
        for address, routes in _LEAF.findall(fib_trie)
        for length in _LOCAL.findall(routes)
    }


def _ensured(engine: Engine, name: str) -> dict[str, Any]:
    found = _find(engine, name)
    if found is None:
        found = _create(engine, name)
    if NETWORK_LABEL not in (found["Labels"] or {}):
        raise _refusal(f"the engine has a network {name!r} that Sandbook did not make")
    return found


def _find(engine: Engine, name: str) -> dict[str, Any] | None:
    # The engine's filter also gives networks whose name only contains this one.
    rows = engine.get("/networks", filters={"name": [name]})
    return next((row for row in rows if row["Name"] == name), None)


def _create(engine: Engine, name: str) -> dict[str, Any]:
    """Create the network once: not every engine keeps names unique, but each does bridges'."""
    unique = hashlib.sha256(f"{engine.get('/info').get('ID')} {name}".encode()).hexdigest()
    refused: EngineError | None = None
    try:
        engine.post("/networks/create", _network_body(name, f"sb-{unique[:12]}"))
    except EngineError as error:
        refused = error
    deadline = time.monotonic() + CREATION_S
    while (found := _find(engine, name)) is None:
        if time.monotonic() > deadline:
            raise refused or _refusal(f"the network {name!r} was removed again")
        time.sleep(0.05)
    return found


def _network_body(name: str, bridge: str) -> dict[str, Any]:
    return {
        "Name": name,
        "CheckDuplicate": True,
        "Driver": "bridge",
        "EnableIPv6": False,
        "Labels": {NETWORK_LABEL: name},
        "Options": {"com.docker.network.bridge.enable_icc": "false", BRIDGE_NAME: bridge},
    }


def _rules(engine: Engine, network: dict[str, Any], helper_image: str) -> str:
    """Write the rules for a sandbox of this engine at this moment."""
    around = _look_around(engine, network, helper_image)
    host = local_addresses(around)
    gateways = {f"{row['Gateway']}/32" for row in network["IPAM"]["Config"] if "Gateway" in row}
    if not gateways or not gateways <= host:
        raise _refusal("the addresses of the engine's machine could not be found")
    near = host | _subnets(engine.get("/networks")) | {*METADATA, *NOWHERE}
    return ruleset(sorted(near), sorted({*METADATA, *_NAMESERVER.findall(around)}))


def _look_around(engine: Engine, network: dict[str, Any], helper_image: str) -> str:
    """Read the addresses and name servers of the engine's machine, wherever that is."""
    files = [Path(path) for path in SURROUNDINGS if Path(path).exists()]
    own = _settled(lambda: "".join(file.read_text() for file in files))
    if network["Options"].get(BRIDGE_NAME) in {name for _, name in socket.if_nameindex()}:
        return own
    # Elsewhere: a remote engine, one in a virtual machine, or a rootless one, through which the
    # sandbox could still reach this machine. So both count.
    return own + _run_helper(engine, _helper(helper_image, "host", LOOK, *SURROUNDINGS))


def _settled(read: Callable[[], str]) -> str:
    """Read until nothing changes: Linux gives addresses in parts, and may leave some out.

    A network that somebody makes or removes between two parts moves the others.
    """
    found, before = read(), ""
    for _ in range(LOOKS):
        if found == before:
            break
        found, before = read(), found
    return found


def _subnets(networks: list[dict[str, Any]]) -> set[str]:
    """Find the IPv4 subnets of an engine's bridges: where its other containers are."""
    return {
        row["Subnet"]
        for network in networks
        if network["Driver"] == "bridge"
        for row in network["IPAM"]["Config"] or ()
        if ":" not in row["Subnet"]
    }


def _helper(image: str, network_mode: str, script: str, *arguments: str) -> dict[str, Any]:
    """Describe a container that runs a bash script and leaves nothing behind."""
    script = f"{{ {script}; }} && echo {DONE}"
    return {
        "Image": image,
        "Entrypoint": ["timeout", str(HELPER_S), "bash", "-c", script, "sandbook", *arguments],
        "Cmd": [],
        "User": "0:0",
        "Tty": True,
        "Labels": {HELPER_LABEL: network_mode, REALM_LABEL: realm()},
        "HostConfig": {
            "AutoRemove": True,
            "CapAdd": [] if network_mode == "host" else ["NET_ADMIN"],
            "CapDrop": ["ALL"],
            "LogConfig": {"Type": "none"},
            "NetworkMode": network_mode,
            "PidsLimit": 32,
            "ReadonlyRootfs": True,
            "SecurityOpt": ["no-new-privileges"],
        },
    }


def _run_helper(engine: Engine, body: dict[str, Any]) -> str:
    """Run a helper and return what it printed, without waiting for its removal.

    Raises:
        SandboxStartError: Its script failed.
    """
    made = engine.post("/containers/create", body)["Id"]
    try:
        with engine.address.connect(HELPER_S) as connection:
            _attach(connection, made)
            engine.post(f"/containers/{made}/start")
            return _said(_read(connection, f"{DONE}\r\n"))
    except BaseException:
        with contextlib.suppress(EngineError):
            engine.delete(f"/containers/{made}", force="1")
        raise


def _attach(connection: socket.socket, container: str) -> None:
    """Turn a connection to the engine into the terminal of a container that is about to start."""
    request = (
        f"POST /containers/{container}/attach?stream=1&stdout=1&stderr=1 HTTP/1.1\r\n"
        "Host: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n"
    )
    connection.sendall(request.encode())
    answer = re.match(r"HTTP/\S+ (\d+)", _read(connection, "\r\n\r\n"))
    status = int(answer[1]) if answer else 0
    if status not in UPGRADED:
        raise EngineError(status, "the engine does not show what a helper says")


def _read(connection: socket.socket, last: str) -> str:
    """Read up to some last word, the end, or the moment at which waiting makes no sense."""
    data = b""
    with contextlib.suppress(TimeoutError):
        while not data.endswith(last.encode()) and (piece := connection.recv(1 << 16)):
            data += piece
    return data.decode("utf-8", "replace")


def _said(output: str) -> str:
    said, done, _ = output.replace("\r\n", "\n").rpartition(f"{DONE}\n")
    if not done:
        raise _refusal(f"the helper failed ({' '.join(output.split()) or 'without a word'})")
    return said


def _refusal(reason: str) -> SandboxStartError:
    return SandboxStartError(
        f"The sandbox did not start, for its network could not be isolated: {reason}. "
        "Build the default image anew with: sandbook image build, or choose another network: set "
        "c.DockerBackend.network to 'none' or to the name of one of the engine's."
    )
