"""Lets the Docker SDK connect as we do. Its own way through ssh needs a further library.

Imported late, together with the SDK: see `door.py`.
"""

import socket
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool

from sandbook.sandbox.address import Address


class EngineAdapter(HTTPAdapter):
    """Opens the connections of a session of `requests` to one engine, whatever its URLs say."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        class Connection(HTTPConnection):
            def _new_conn(self) -> socket.socket:
                return address.connect(timeout_s)

        class Pool(HTTPConnectionPool):
            ConnectionCls = Connection  # pyright: ignore[reportAssignmentType] -- a urllib3 one

        self._pool_class = Pool
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Make the manager of connections, with ours in the place of its own."""
        super().init_poolmanager(*arguments, **options)  # pyright: ignore[reportUnknownMemberType]
        self.poolmanager.pool_classes_by_scheme = {"http": self._pool_class}
