"""A small client of the Docker engine, for what stands between a cell and its first output.

The SDK takes 200 ms of CPU to import, which is longer than a container takes to start; this module
needs the standard library only. It does what the start of a sandbox needs, over every transport,
and leaves the rest (images, archives) to the SDK.
"""

import http.client
import json
import socket
import time
from typing import Any
from urllib.parse import quote, urlencode

from sandbook.sandbox.address import Address, explained

UPGRADED = (101, 200)
FAILED, NOT_FOUND, CONFLICT = 400, 404, 409


class EngineError(Exception):
    """The engine refused. `status` is its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Connection(http.client.HTTPConnection):
    def __init__(self, address: Address, timeout: float | None) -> None:
        super().__init__("engine", timeout=timeout)
        self._address = address
        self.opened: socket.socket | None = None

    def connect(self) -> None:
        self.sock = self.opened = self._address.connect(self.timeout)


class Engine:
    """Asks one engine. Every call blocks and may be made in any thread."""

    def __init__(self, address: Address, timeout_s: float = 60) -> None:
        self.address = address
        self._timeout_s = timeout_s

    def get(self, path: str, **query: Any) -> Any:
        """Read something."""
        return self._ask("GET", path, query)

    def post(self, path: str, body: Any = None, **query: Any) -> Any:
        """Do something."""
        return self._ask("POST", path, query, body)

    def events(self, since: int, filters: dict[str, list[str]]) -> list[dict[str, Any]]:
        """Read what has happened since a moment, oldest first."""
        query = {"since": since, "until": f"{time.time():.9f}", "filters": filters}
        told = self._ask("GET", "/events", query)
        return [json.loads(line) for line in told.splitlines() if line]

    def exit_code(self, container: str, since: int) -> int | None:
        """Find in the events how a container ended, which may be gone by now; `None` if it runs."""
        events = self.events(since, {"container": [container], "event": ["die"]})
        return int(events[-1]["Actor"]["Attributes"]["exitCode"]) if events else None

    def delete(self, path: str, **query: Any) -> None:
        """Remove something."""
        self._ask("DELETE", path, query)

    def has_image(self, name: str) -> bool:
        """Say whether the engine has an image."""
        try:
            self.get(f"/images/{quote(name)}/json")
        except EngineError as error:
            if error.status != NOT_FOUND:
                raise
            return False
        return True

    def discard(self, name: str) -> None:
        """Remove a container; fine if it is gone, or about to be."""
        self._remove(f"/containers/{name}", v="1")

    def remove_volume(self, name: str) -> None:
        """Remove a volume; fine if it is gone, or if a container needs it."""
        self._remove(f"/volumes/{name}")

    def _remove(self, path: str, **query: str) -> None:
        try:
            self.delete(path, force="1", **query)
        except EngineError as error:
            if error.status not in {NOT_FOUND, CONFLICT}:
                raise

    def attach(self, container: str, body: dict[str, Any]) -> tuple[str, socket.socket]:
        """Start a program in a container; give back its number and the socket to talk to it."""
        made = self.post(f"/containers/{quote(container)}/exec", body)["Id"]
        payload = json.dumps({"Detach": False, "Tty": body.get("Tty", False)}).encode()
        connection = self.address.connect(self._timeout_s)
        try:
            _send_upgrade(connection, f"/exec/{made}/start", payload)
            _expect_upgrade(connection)
        except OSError as error:
            connection.close()
            raise explained(error, connection) from error
        except BaseException:
            connection.close()
            raise
        connection.settimeout(None)
        return made, connection

    def _ask(self, method: str, path: str, query: dict[str, Any], body: Any = None) -> Any:
        if query:
            path += "?" + urlencode({key: _text(value) for key, value in query.items()})
        payload = None if body is None else json.dumps(body).encode()
        connection = _Connection(self.address, self._timeout_s)
        try:
            connection.request(method, path, payload, {"Content-Type": "application/json"})
            response = connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise explained(error, connection.opened) from error
        finally:
            connection.close()
        if response.status >= FAILED:
            raise EngineError(response.status, _message(data))
        is_json = response.headers.get_content_type() == "application/json"
        if is_json and data and not path.startswith("/events"):
            return json.loads(data)
        return data.decode("utf-8", "replace")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _message(data: bytes) -> str:
    try:
        return json.loads(data)["message"]
    except (ValueError, KeyError, TypeError):
        return data.decode("utf-8", "replace").strip() or "no reason given"


def _send_upgrade(connection: socket.socket, path: str, payload: bytes) -> None:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
    )
    connection.sendall(head.encode() + payload)


def _expect_upgrade(connection: socket.socket) -> None:
    """Read up to the end of the headers and not a byte more: what follows is the program's."""
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise OSError("the engine hung up")
        head += byte
    status = int(head.split(maxsplit=2)[1])
    if status not in UPGRADED:
        raise EngineError(status, f"the engine did not start the program (status {status})")
