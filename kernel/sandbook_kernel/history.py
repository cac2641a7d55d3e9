"""What was run, across restarts: IPython's database of it, with a writer of our own."""

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

# Comes with ipykernel.kernelapp anyway; it imports sqlite3 only when a database is opened.
from IPython.core.history import HistoryAccessor

IN_MEMORY = ":memory:"
BUSY_S = 2
"""How long to wait for another kernel that writes at the same moment."""
OUTPUT_LENGTH = 10_000
WRITE_AFTER_S = 1.0
"""A write waits for the disk; cells that follow each other quickly share one."""

Entry = tuple[int, int, Any]
"""Session, line, and the code; or, instead of the code, a pair of code and output."""
_T = TypeVar("_T")


class _Database(HistoryAccessor):
    """Falls back to memory at the first error; IPython would move a locked file out of the way."""

    _corrupt_db_limit = -1


class History:
    """Writes and reads in a thread of its own, in order. No error of it ever fails a cell."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._database: _Database | None = None
        self._session = 0
        self._closed = False
        self._unwritten: deque[tuple[int, str, str]] = deque()
        self._log = logging.getLogger("sandbook")
        self._thread = ThreadPoolExecutor(1, "sandbook-history")

    @classmethod
    def open(cls, path: Path | None) -> "History":
        """Use the database at this path, made when first needed; without one, memory."""
        return cls(path)

    def add(self, line_number: int, code: str, output: str = "") -> None:
        """Remember a cell, without waiting for it."""
        if self._closed:
            return
        if not self._unwritten:
            asyncio.get_running_loop().call_later(WRITE_AFTER_S, self._write_soon)
        self._unwritten.append((line_number, code, output))

    def _write_soon(self) -> None:
        if not self._closed:
            self._thread.submit(self._safely, self._write_all)

    async def find(self, how: str, of: dict[str, Any], *, output: bool, raw: bool) -> list[Entry]:
        """Answer a request as Jupyter knows them: the tail, a range, or else a search."""
        if how == "tail":
            return await self.tail(of.get("n"), output=output, raw=raw)
        if how == "range":
            where = of.get("session"), of.get("start"), of.get("stop")
            return await self.range(*where, output=output)
        wanted = of.get("pattern"), of.get("n")
        return await self.search(*wanted, unique=bool(of.get("unique")), output=output)

    async def tail(
        self, n: int | None, *, output: bool = False, raw: bool = True, include_latest: bool = True
    ) -> list[Entry]:
        """Give the last n entries, of all sessions."""
        return await self._read(
            lambda database: database.get_tail(
                n, raw=raw, output=output, include_latest=include_latest
            )
        )

    async def range(
        self,
        session: int | None = 0,
        start: int | None = 1,
        stop: int | None = None,
        *,
        output: bool = False,
    ) -> list[Entry]:
        """Give the lines from start to before stop; sessions below 1 count back from this one."""
        return await self._read(
            lambda database: database.get_range(
                self._number_of(database, session or 0), start or 0, stop, output=output
            )
        )

    async def search(
        self,
        pattern: str | None = "*",
        n: int | None = None,
        *,
        unique: bool = False,
        output: bool = False,
    ) -> list[Entry]:
        """Give the last n entries, or all, that match a pattern with `*` and `?`."""
        return await self._read(
            lambda database: database.search(
                "*" if pattern is None else pattern, n=n, unique=unique, output=output
            )
        )

    def close(self) -> None:
        """Finish what is to be written. What comes later is neither kept nor found."""
        if self._closed:
            return
        self._closed = True
        self._thread.submit(self._safely, self._write_all)
        self._thread.submit(self._safely, self._close)
        self._thread.shutdown(wait=True)

    async def _read(self, query: Callable[[_Database], Iterable[Entry]]) -> list[Entry]:
        if self._closed:
            return []
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._thread, self._safely, self._query, query)
        return found or []

    # From here on all runs in the thread.

    def _safely(self, function: Callable[..., _T], *arguments: Any) -> _T | None:
        try:
            return function(*arguments)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the cell matters more
            self._log.warning("History: %s", error)
            return None

    def _open(self) -> _Database:
        if self._database is None:
            self._database = self._open_file() or _Database(hist_file=IN_MEMORY)
        return self._database

    def _open_file(self) -> _Database | None:
        if self._path is None:
            return None
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            self._log.warning("History is not kept: %s: %s", self._path, error.strerror)
            return None
        options = {"check_same_thread": False, "timeout": BUSY_S}
        return _Database(hist_file=str(self._path), connection_options=options)

    def _query(self, query: Callable[[_Database], Iterable[Entry]]) -> list[Entry]:
        self._write_all()
        return list(query(self._open()))

    def _write_all(self) -> None:
        entries = [self._unwritten.popleft() for _ in range(len(self._unwritten))]
        if not entries:
            return
        try:
            self._insert(self._open(), entries)
        except Exception as error:  # noqa: BLE001 -- sqlite3 is not imported here, so no names
            self._log.warning("History is not kept from here on: %s: %s", self._path, error)
            self._database = _Database(hist_file=IN_MEMORY)
            self._session = 0
            self._insert(self._database, entries)

    def _insert(self, database: _Database, entries: list[tuple[int, str, str]]) -> None:
        session = self._begin_session(database)
        db: Any = database.db
        with db:
            db.executemany(
                "INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)",
                [(session, line, code, code) for line, code, _ in entries],
            )
            db.executemany(
                "INSERT OR REPLACE INTO output_history VALUES (?, ?, ?)",
                [(session, line, out[:OUTPUT_LENGTH]) for line, _, out in entries if out],
            )

    def _begin_session(self, database: _Database) -> int:
        """Number this kernel's session, with its first cell."""
        if not self._session:
            db: Any = database.db
            with db:
                added = db.execute(
                    "INSERT INTO sessions VALUES (NULL, ?, NULL, NULL, '')",
                    (datetime.now(timezone.utc).replace(tzinfo=None).isoformat(" "),),
                )
            self._session = added.lastrowid
        return self._session

    def _number_of(self, database: _Database, session: int) -> int:
        if session > 0:
            return session
        current = self._session or (database.get_last_session_id() or 0) + 1
        return current + session

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
