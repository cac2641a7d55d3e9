"""Where an engine is, and how to get a connection to it: unix, tcp, TLS, or through ssh."""

import contextlib
import json
import os
import socket
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import SplitResult, urlsplit

from sandbook.sandbox.tls import TlsSocket, encrypted

DEFAULT_HOST = "unix:///var/run/docker.sock"
PLAIN_PORT, TLS_PORT = 2375, 2376
LAST_WORDS_S = 5
SSH = (
    *("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"),
    *("-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"),
)
"""Nobody is there to answer a question, and a machine that is gone must be noticed."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where an engine listens, and the folder of certificates if it speaks TLS."""

    host: str
    certificates: str = ""

    @property
    def is_local(self) -> bool:
        """Say whether the engine surely has the same files as we have."""
        return self.host.startswith("unix://")

    def connect(self, timeout: float | None) -> socket.socket:
        """Open a connection.

        Raises:
            OSError: Nobody is there.
        """
        parts = urlsplit(self.host)
        if parts.scheme == "unix":
            return _connect_unix(self.host.removeprefix("unix://"), timeout)
        if parts.scheme == "ssh":
            return _connect_ssh(parts, timeout)
        if parts.scheme not in {"tcp", "http", "https"}:
            raise OSError(f"cannot connect to {self.host}: use unix://, tcp:// or ssh://")
        port = parts.port or (TLS_PORT if self.certificates else PLAIN_PORT)
        plain = socket.create_connection((parts.hostname or "127.0.0.1", port), timeout)
        if not self.certificates:
            return plain
        try:
            context = _tls(self.certificates)
        except BaseException:
            plain.close()
            raise
        return encrypted(plain, context, parts.hostname)


def address_from_environment() -> Address:
    """Find the engine as the `docker` command does: DOCKER_HOST, else the context in use."""
    host = os.environ.get("DOCKER_HOST")
    if host:
        default = str(Path.home() / ".docker")
        verify = os.environ.get("DOCKER_TLS_VERIFY")
        return Address(host, os.environ.get("DOCKER_CERT_PATH", default) if verify else "")
    return _address_of_context() or Address(DEFAULT_HOST)


def _address_of_context() -> Address | None:
    """Read the context in use from the `docker` command's own files, if there is any."""
    folder = Path(os.environ.get("DOCKER_CONFIG", Path.home() / ".docker"))
    settings = _read_json(folder / "config.json")
    name = os.environ.get("DOCKER_CONTEXT") or settings.get("currentContext", "default")
    if name == "default":
        return None
    for meta in (folder / "contexts" / "meta").glob("*/meta.json"):
        described = _read_json(meta)
        if described.get("Name") == name:
            certificates = folder / "contexts" / "tls" / meta.parent.name / "docker"
            host = described["Endpoints"]["docker"]["Host"]
            return Address(host, str(certificates) if certificates.is_dir() else "")
    raise OSError(f"the Docker context {name!r} does not exist (docker context ls)")


def _read_json(path: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        return json.loads(path.read_text("utf-8"))
    return {}


def _connect_unix(path: str, timeout: float | None) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(timeout)
    try:
        connection.connect(path)
    except OSError as error:
        connection.close()
        raise OSError(error.errno, f"{path}: {error.strerror}") from error
    return connection


def _tls(folder: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=f"{folder}/ca.pem")
    context.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")
    return context


class SshSocket(socket.socket):
    """A connection through a program `ssh`, which ends when this is closed."""

    def __init__(self, descriptor: int, program: "subprocess.Popen[bytes]", log: IO[bytes]) -> None:
        super().__init__(fileno=descriptor)
        self._said: list[bytes] = []
        arguments = (program, log, self._said)
        self._waiting = threading.Thread(target=_wait, args=arguments, name="ssh", daemon=True)
        self._waiting.start()

    def last_words(self) -> str:
        """Tell what ssh has said in the end, which is why there is no connection."""
        self._waiting.join(LAST_WORDS_S)
        return b"".join(self._said[-1:]).decode("utf-8", "replace").strip()


def _wait(program: "subprocess.Popen[bytes]", log: IO[bytes], said: list[bytes]) -> None:
    """Wait for the end of a program, for it would stay as a zombie else, and take its log."""
    with log:
        program.wait()
        log.seek(0)
        said.extend(log.readlines())


def explained(error: Exception, connection: socket.socket | None) -> OSError:
    """Say why a connection has failed, as well as anybody knows."""
    if isinstance(connection, SshSocket) and (words := connection.last_words()):
        return ConnectionError(f"ssh: {words.removeprefix('ssh: ')}")
    if isinstance(connection, TlsSocket) and (words := connection.last_words()):
        return ConnectionError(words)
    return error if isinstance(error, OSError) else ConnectionError(str(error) or repr(error))


def _connect_ssh(parts: SplitResult, timeout: float | None) -> socket.socket:
    """Let ssh run `docker system dial-stdio` over there, as the `docker` command does.

    In a session of its own: a Ctrl-C for a cell is not for the connection.
    """
    here, there = socket.socketpair()
    with there:
        log = tempfile.TemporaryFile()  # noqa: SIM115 -- lives as long as the socket
        try:
            program = subprocess.Popen(
                [*SSH, *_ssh_target(parts)],
                stdin=there.fileno(),
                stdout=there.fileno(),
                stderr=log,
                start_new_session=True,
            )
        except OSError as error:
            here.close()
            log.close()
            raise OSError(f"{error.strerror}: ssh, which {parts.geturl()} needs") from error
    connection = SshSocket(here.detach(), program, log)
    connection.settimeout(timeout)
    return connection


def _ssh_target(parts: SplitResult) -> Iterator[str]:
    if parts.port:
        yield from ("-p", str(parts.port))
    if parts.username:
        yield from ("-l", parts.username)
    yield from ("--", parts.hostname or "", "docker")
    if parts.path.strip("/"):
        yield from ("--host", f"unix://{parts.path}")
    yield from ("system", "dial-stdio")
