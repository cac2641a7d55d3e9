"""A real Jupyter server with one sandbox, and a client that moves files in and out of it."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.runner import Failure

TOKEN = "bench"  # noqa: S105 -- of a server for this moment
PIECE = 1 << 20
START_S = 60.0
SAMPLE_S = 0.02
BOUNDARY = b"----------------sandbook-bench"
OK = 200


class FileServer:
    """What is asked of the server, and how much memory it takes."""

    def __init__(self, port: int, pid: int) -> None:
        self._port = port
        self._pid = pid
        self.sandbox_id = ""

    @property
    def url(self) -> str:
        """Where clients reach it."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def pid(self) -> int:
        """The process of the server; its kernels are children of it."""
        return self._pid

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Ask for JSON."""
        data = None if body is None else json.dumps(body).encode()
        with self._request(method, path, data) as response:
            return json.loads(response.read())

    def download(self, path: str) -> int:
        """Read something to its end; tell how many bytes that were."""
        count = 0
        with self._request("GET", f"sandbook/{self.sandbox_id}/{path}") as response:
            while piece := response.read(PIECE):
                count += len(piece)
        return count

    def upload(self, source: Path, destination: str) -> None:
        """Send a file as a form."""
        disposition = f'form-data; name="file"; filename="{source.name}"'
        head = b"--%b\r\nContent-Disposition: %b\r\n\r\n" % (BOUNDARY, disposition.encode())
        tail = b"\r\n--%b--\r\n" % BOUNDARY

        def body() -> Iterator[bytes]:
            yield head
            with source.open("rb") as file:
                while piece := file.read(PIECE):
                    yield piece
            yield tail

        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY.decode()}",
            "Content-Length": str(len(head) + source.stat().st_size + len(tail)),
        }
        path = f"sandbook/{self.sandbox_id}/upload_file?destination={quote(destination)}"
        with self._request("POST", path, body(), headers) as response:
            response.read()

    @contextlib.contextmanager
    def watch_memory(self) -> Iterator[list[float]]:
        """Sample the server's memory meanwhile, in MB."""
        samples: list[float] = []
        over = threading.Event()

        def sample() -> None:
            while not over.wait(SAMPLE_S):
                samples.append(self.memory_mb())

        thread = threading.Thread(target=sample, daemon=True)
        thread.start()
        try:
            yield samples
        finally:
            over.set()
            thread.join()

    def memory_mb(self) -> float:
        """Tell what the server takes now."""
        for line in Path(f"/proc/{self._pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    @contextlib.contextmanager
    def _request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=600)
        try:
            known = {"Authorization": f"token {TOKEN}", **(headers or {})}
            connection.request(method, f"/{path}", body, known)
            response = connection.getresponse()
            if response.status >= OK + 100:
                raise Failure(f"{method} {path}: {response.status} {response.read(200)!r}")
            yield response
        finally:
            connection.close()


@contextlib.contextmanager
def file_server(backend: str, folder: Path) -> Iterator[FileServer]:
    """Start a server and a kernel in a folder, and end both.

    Raises:
        Failure: They did not start.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--port={port}", f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0"]
    options += [f"--IdentityProvider.token={TOKEN}", "--no-browser", "--allow-root"]
    environment = {**os.environ, "SANDBOOK_BACKEND": backend}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *options],
            stdout=log,
            stderr=log,
            env=environment,
        )
    try:
        server = FileServer(port, process.pid)
        _start(server, process)
        yield server
    finally:
        process.terminate()
        process.wait()


def _start(server: FileServer, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if not server.sandbox_id:
                wish = {"name": "sandbook", "path": "bench.ipynb"}
                server.sandbox_id = server.ask("POST", "api/kernels", wish)["id"]
            running = server.ask("GET", "sandbook/sandboxes")
            if any((row["id"], row["state"]) == (server.sandbox_id, "running") for row in running):
                server.ask("GET", f"sandbook/{server.sandbox_id}/contents/workspace")
                return
        except Failure:
            pass  # not yet
        except OSError:
            pass
        time.sleep(0.2)
    raise Failure("the server did not start")
