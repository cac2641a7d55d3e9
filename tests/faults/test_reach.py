"""What a cell can reach over the network: nobody near, on the backends that isolate."""

import contextlib
import secrets
import socket
import subprocess
import threading

import pytest

from tests.conftest import ISOLATED

pytestmark = [pytest.mark.timeout(120), pytest.mark.parametrize("backend", ISOLATED)]

CONNECT = """\
timeout 10 python3 - {addresses} <<'END' 2>&1
import socket, sys
for address in sys.argv[1:]:
    try:
        socket.create_connection((address, {port}), 1).sendall(b"{word}")
    except OSError:
        continue
    print("reached", address)
END
"""
GATEWAY = """python3 -c '
import socket
for line in open("/proc/net/route").read().splitlines()[1:]:
    gateway = bytes.fromhex(line.split()[2])[::-1]
    any(gateway) and print(socket.inet_ntoa(gateway))
'"""
ABSTRACT = """\
python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("\\0{name}"); print("reached")' \
2>&1 | tail -1
"""


WORD = secrets.token_hex(8)
"""What only our sandboxes say: others on this machine may try an old port that is ours by now."""


@pytest.fixture
def listener():
    """Listen on every address of this machine, and remember who came from a sandbox."""
    came = []

    def accept(server):
        while True:
            try:
                connection, peer = server.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                connection.settimeout(1)
                if connection.recv(64) == WORD.encode():
                    came.append(peer)

    with socket.create_server(("0.0.0.0", 0)) as server:
        threading.Thread(target=accept, args=(server,), daemon=True).start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)


def own_addresses():
    listed = subprocess.check_output(["ip", "-4", "-o", "address"], text=True)
    return sorted({line.split()[3].split("/")[0] for line in listed.splitlines()})


async def test_no_listener_of_this_machine_is_reached(backend, owner, listener):
    port, came = listener
    addresses = own_addresses()

    status, output = await owner(backend).run(
        CONNECT.format(addresses=" ".join(addresses), port=port, word=WORD)
    )

    assert "127.0.0.1" in addresses
    assert (status, output, came) == (0, "", [])


async def test_no_gateway_is_reached(backend, owner, listener):
    port, came = listener
    gateway = f"$({GATEWAY})"

    status, output = await owner(backend).run(
        CONNECT.format(addresses=gateway, port=port, word=WORD)
    )

    assert (status, output, came) == (0, "", [])


async def test_a_neighbour_is_not_reached(backend, owner):
    neighbour = owner(backend)
    await neighbour.run("python3 -m http.server 8765 --bind 0.0.0.0 >/dev/null 2>&1 & disown")
    ready = "until (: </dev/tcp/127.0.0.1/8765) 2>/dev/null; do sleep 0.1; done; hostname -I"
    status, own = await neighbour.run(ready)

    _, output = await owner(backend).run(
        CONNECT.format(addresses=f"127.0.0.1 {own.strip()}", port=8765, word=WORD)
    )

    assert status == 0
    assert output == ""


async def test_no_socket_of_this_machine_without_a_file_is_reached(backend, owner):
    name = "sandbook-test-abstract"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()

        _, output = await owner(backend).run(ABSTRACT.format(name=name))

    assert "ConnectionRefusedError" in output


async def test_no_memory_of_this_machine_is_shared(backend, owner):
    made = subprocess.check_output(["ipcmk", "-M", "4096"], text=True).split()[-1]
    try:
        _, output = await owner(backend).run("ipcs -m | grep -c 0x")
        _, processes = await owner(backend).run("ps -e | wc -l")
    finally:
        subprocess.run(["ipcrm", "-m", made], check=True)

    assert output == "0\n"
    assert int(processes) < 30
