"""Where the tables lie: one transaction at a time, on SQLite in a thread of its own, on PostgreSQL over its driver."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from longstop.clock import Clock
from longstop.domain.errors import StoreError, StoreUnavailableError
from longstop.store.address import PostgresAddress
from longstop.store.postgres_options import PostgresOptions, driver_missing
from longstop.store.sqlite_file import make_parent, open_private, store_error

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")
Work = Callable[[Connection], T]

CALL_SECONDS: Final = 10.0
_BUSY_SECONDS: Final = 5.0
_POOL: Final = PostgresOptions(pool_idle=1, pool_max=3, pool_wait_seconds=5.0, statement_seconds=8.0)
# Any number will do, so long as every Longstop takes the same one.
_MAKING_LOCK: Final = "SELECT pg_advisory_xact_lock(273171213)"


class Backend(Protocol):
    async def run(self, work: Work[T]) -> T:
        """All of the work in one transaction, or none of it. Raises a StoreError."""
        ...

    async def close(self) -> None: ...


class SqliteBackend:
    """A rollback journal: commands write here too, and the WAL of this SQLite is at fault with several writers."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._thread: ThreadPoolExecutor | None = None
        self._engine: Engine | None = None

    async def run(self, work: Work[T]) -> T:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "longstop-access")
        future = asyncio.get_running_loop().run_in_executor(self._thread, self._work, work)
        try:
            async with self._clock.timeout(CALL_SECONDS):
                return await future
        except TimeoutError as error:
            raise StoreUnavailableError(f"The database {self._path} did not answer in {CALL_SECONDS:g} s.") from error

    def _work(self, work: Work[T]) -> T:
        try:
            if self._engine is None:
                self._engine = self._opened()
            with self._engine.begin() as connection:
                return work(connection)
        except OSError as error:
            raise StoreUnavailableError(f"The database {self._path} cannot be used: {error.strerror}.") from error
        except sqlite3.Error as error:
            raise store_error(error, self._path) from error
        except DBAPIError as error:
            cause = error.orig if isinstance(error.orig, sqlite3.Error) else sqlite3.OperationalError(str(error.orig))
            raise store_error(cause, self._path) from error

    def _opened(self) -> Engine:
        make_parent(self._path)
        engine = create_engine("sqlite://", creator=self._connect, poolclass=NullPool, hide_parameters=True)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
        return engine

    def _connect(self) -> sqlite3.Connection:
        """Opened for each transaction, so that a file that was put aside or restored is seen. It holds what identifies
        consumers, so it is its owner's alone."""
        if not self._path.exists():
            os.close(open_private(self._path, os.O_RDWR))
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    async def close(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=True)
        if self._engine is not None:
            self._engine.dispose()
        self._thread = self._engine = None


class PostgresBackend:
    """A small pool of its own: a record that is busy, or waits, must not keep anybody from being let in."""

    def __init__(self, address: PostgresAddress, clock: Clock) -> None:
        self._address = address
        self._clock = clock
        self._engine: AsyncEngine | None = None
        self._parts: Any = _driver()

    async def run(self, work: Work[T]) -> T:
        if self._engine is None:
            self._engine = self._parts.make_engine(self._address, _POOL, self._clock)
        assert self._engine is not None
        try:
            async with self._clock.timeout(CALL_SECONDS), self._engine.begin() as connection:
                return await connection.run_sync(work)
        except self._parts.DATABASE_ERRORS as error:
            raise self._parts.store_error(error, self._address) from error

    async def close(self) -> None:
        if self._engine is not None:
            await self._engine.dispose()
        self._engine = None


def alone(connection: Connection) -> None:
    """Of several who start at once, one makes the tables. SQLite's transactions are alone anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(_MAKING_LOCK))


def _driver() -> Any:
    try:
        from longstop.store import postgres_engine
    except ImportError as error:
        raise driver_missing() from error
    return postgres_engine


def newer_schema(found: int, known: int) -> StoreError:
    return StoreError(
        f"The tables of keys and access are those of a newer Longstop ({found}) than this one, which knows {known}.",
        hint="Install that version; nothing was changed.",
    )
