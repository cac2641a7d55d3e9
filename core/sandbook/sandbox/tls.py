"""A connection with TLS that is a plain socket for whoever uses it: a thread encrypts in between.

`ssl.SSLSocket` has no way to end what we say and still hear the rest, and OpenSSL does not allow
two threads to read and write one connection at the same moment. Here one thread does both, on
buffers of our own.
"""

import contextlib
import select
import socket
import ssl
import threading
from dataclasses import dataclass, field

CHUNK = 1 << 16
MOST_WAITING = 4 * CHUNK
LAST_WORDS_S = 5
SEEN = select.POLLIN | select.POLLHUP | select.POLLERR


class TlsSocket(socket.socket):
    """The plain end of a connection with TLS, which ends when this is closed."""

    def __init__(self, near: socket.socket, tunnel: "_Tunnel") -> None:
        super().__init__(fileno=near.detach())
        self._tunnel = tunnel
        self._carrying = threading.Thread(target=tunnel.carry, name="tls", daemon=True)
        self._carrying.start()

    def last_words(self) -> str:
        """Tell why the other side has hung up, if it said so: it may not like our certificate."""
        self._carrying.join(LAST_WORDS_S)
        return self._tunnel.fault


def encrypted(
    far: socket.socket, context: ssl.SSLContext, server_hostname: str | None
) -> TlsSocket:
    """Speak TLS on a connection from now on, and give back what to use instead of it.

    Raises:
        OSError: The other side is not who it should be, or does not speak TLS.
    """
    timeout = far.gettimeout()
    try:
        tunnel = _Tunnel(far, context, server_hostname)
        tunnel.greet()
    except BaseException:
        far.close()
        raise
    near, tunnel.near = socket.socketpair()
    made = TlsSocket(near, tunnel)
    made.settimeout(timeout)
    return made


@dataclass
class _Pending:
    """What one end has still to be sent, and whether anything may follow."""

    data: bytearray = field(default_factory=bytearray)
    is_over: bool = False


class _Tunnel:
    def __init__(self, far: socket.socket, context: ssl.SSLContext, name: str | None) -> None:
        self.far = far
        self.near = far  # until there is one
        self.fault = ""
        self._from_far, self._for_far = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._from_far, self._for_far, server_hostname=name)
        self._to_far, self._to_near = _Pending(), _Pending()

    def greet(self) -> None:
        """Agree with the other side on keys; blocks as long as its timeout allows."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self.far.sendall(self._for_far.read())
                if not (data := self.far.recv(CHUNK)):
                    raise ConnectionError("the other side hung up") from None
                self._from_far.write(data)
            else:
                self.far.sendall(self._for_far.read())
                return

    def carry(self) -> None:
        """Carry everything both ways, until either side has gone."""
        with self.far, self.near:
            self.far.settimeout(0)
            self.near.settimeout(0)
            try:
                self._decrypt()  # what came together with the last greeting
                while not self._is_done():
                    self._step(self._poll())
            except OSError as error:
                self.fault = str(error)

    def _is_done(self) -> bool:
        return self._to_near.is_over and not self._to_near.data

    def _poll(self) -> dict[int, int]:
        poller = select.poll()
        ends = ((self.far, self._to_far, self._to_near), (self.near, self._to_near, self._to_far))
        for end, out, back in ends:
            is_read = not back.is_over and len(back.data) < MOST_WAITING
            wanted = (select.POLLIN if is_read else 0) | (select.POLLOUT if out.data else 0)
            if wanted or end is self.near:  # of this one, we also want to know that it is closed
                poller.register(end, wanted)
        return dict(poller.poll())

    def _step(self, seen: dict[int, int]) -> None:
        near, far = seen.get(self.near.fileno(), 0), seen.get(self.far.fileno(), 0)
        if near & SEEN and not self._to_far.is_over:
            self._take_from_near()
        elif near & (select.POLLHUP | select.POLLERR) and not self._to_far.data:
            self._to_near = _Pending(is_over=True)  # nobody is left who could read
        if far & SEEN and not self._to_near.is_over:
            self._take_from_far()
        _send(self.near, self._to_near)
        _send(self.far, self._to_far)

    def _take_from_near(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data = self.near.recv(CHUNK)
            if data:
                self._tls.write(data)
            else:
                self._to_far.is_over = True
                with contextlib.suppress(ssl.SSLWantReadError):  # it has only our word so far
                    self._tls.unwrap()
            self._to_far.data += self._for_far.read()

    def _take_from_far(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data = self.far.recv(CHUNK)
            if data:
                self._from_far.write(data)
            else:
                self._from_far.write_eof()
            self._decrypt()

    def _decrypt(self) -> None:
        try:
            while data := self._tls.read(CHUNK):
                self._to_near.data += data
            self._to_near.is_over = True
        except ssl.SSLWantReadError:
            pass
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            self._to_near.is_over = True
        self._to_far.data += self._for_far.read()  # TLS has words of its own to say


def _send(end: socket.socket, pending: _Pending) -> None:
    if pending.data:
        with contextlib.suppress(BlockingIOError):
            del pending.data[: end.send(pending.data)]
