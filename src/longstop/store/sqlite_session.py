"""The writing connection and what is done on it: batches in transactions, and checkpoints.

SQLite before 3.51.3 can damage a WAL file when two connections write or checkpoint at the same moment. So there is one
connection that does either, and this class owns it. It belongs to whichever single thread calls it.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import bindparam
from sqlalchemy.dialects import sqlite

from longstop.domain.errors import (
    DatabaseSyncError,
    PlaceLostError,
    StoreError,
    StoreUnavailableError,
    WritingOverError,
)
from longstop.store.cells import Row, moment_from_text
from longstop.store.queries import Selection, queries_for
from longstop.store.scripts import Script
from longstop.store.sql_text import for_sqlite
from longstop.store.sqlite_file import (
    close_quietly,
    connect_writer,
    is_waiting_worthwhile,
    leave_open,
    primary_code,
    rewrite_wal,
    store_error,
)
from longstop.store.writes import KINDS, Kind, Part, Rule, collision, differs, kind_key, unkeepable

T = TypeVar("T")

_CHECKPOINT_BYTES = 4 << 20
_CHECKPOINT_STEP_BYTES = 1 << 20
_EPOCH_MAX = 2**31 - 2
_ONLY_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


@cache
def insert_texts() -> Mapping[str, str]:
    return {kind.table.name: _insert(kind) for kind in KINDS}


@cache
def stored_texts() -> Mapping[str, str]:
    return {name: for_sqlite(query).text for name, query in queries_for("sqlite").stored.items()}


def _insert(kind: Kind) -> str:
    values: dict[str, Any] = {name: bindparam(name) for name in kind.columns}
    insert = for_sqlite(kind.on_conflict(sqlite.insert(kind.table).values(values)))
    assert insert.names == kind.columns
    return insert.text


class WriteSession:
    def __init__(
        self, path: Path | None, busy_seconds: float, connect: Callable[..., sqlite3.Connection] = connect_writer
    ):
        self._path = path
        self._busy_seconds = busy_seconds
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        self._breakage: WritingOverError | None = None
        self._epoch: int | None = None
        self._identity: tuple[int, int] | None = None
        self._was_open = False
        self._inserts = insert_texts()
        self._stored = stored_texts()
        self._checkpoint_at_bytes = _CHECKPOINT_BYTES
        self.wal_bytes = 0  # after the last write; others may look at it

    @property
    def connection(self) -> sqlite3.Connection:
        """Opened when first needed, and again after a fault; after a failed sync never again, so that nothing is
        acknowledged on top of what may not be on the disk."""
        if self._breakage is not None:
            raise self._breakage
        if self._connection is None:
            try:
                if self._path is not None and not self._was_open:
                    rewrite_wal(self._path)
                self._connection = self._connect(self._path, self._busy_seconds)
            except sqlite3.Error as error:
                raise self._told(error) from error
            self._was_open = True
        return self._connection

    def _told(self, error: sqlite3.Error) -> StoreError:
        told = store_error(error, self._path)
        if isinstance(told, DatabaseSyncError):
            self._breakage = told
            self.drop()
        return told

    def write(self, group: Sequence[Sequence[Part]]) -> None:
        """All batches of the group in one transaction. When it raises, none of it was kept, so far as is known."""

        def insert(connection: sqlite3.Connection) -> None:
            for parts in group:
                for part in parts:
                    self._insert(connection, part)

        self._transact(insert)

    def walk(self, steps: Script[T]) -> T:
        """All steps in one transaction; tells what they come to."""
        return self._transact(lambda connection: walked(connection, steps))

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self.connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            epoch = self._required_place(connection)
            answer = work(connection)
            connection.execute("COMMIT")
            self._epoch = epoch
        except sqlite3.Error as error:
            told = self._told(error)
            self._distrust(error)
            raise told from error
        except (OverflowError, UnicodeError) as error:
            raise unkeepable(error) from error
        finally:
            self._roll_back()
        return answer

    def take_place(self) -> None:
        """Who wrote before us writes no more, wherever it stands still and whatever became of its lock. Here it shows
        whether we may write at all. While some other program holds the file, this waits for the first write."""
        try:
            self._transact(lambda _: None)
        except StoreUnavailableError:
            return

    def _required_place(self, connection: sqlite3.Connection) -> int | None:
        """The epoch is in the file, and read within the transaction: no two can both be right about it. Ours is the one
        that was committed; after a commit of unknown fate it is the next."""
        if self._path is None:
            return None
        self._require_same_file(self._path)
        now = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if self._epoch is None:
            now = now % _EPOCH_MAX + 1
            connection.execute(f"PRAGMA user_version = {now}")
        elif now != self._epoch:
            raise self._ended(now)
        return now

    def _require_same_file(self, path: Path) -> None:
        """One that was removed or replaced lives on under our hands, and what is written to it is gone with us."""
        try:
            found = path.stat()
        except FileNotFoundError:
            raise self._without_place(f"The database {path} was removed while it was written.") from None
        identity = (found.st_dev, found.st_ino)
        self._identity = self._identity or identity
        if identity != self._identity:
            raise self._without_place(f"The database {path} was replaced by another file while it was written.")

    def _ended(self, now: int) -> PlaceLostError:
        return self._without_place(
            f"Another Longstop has taken over the database {self._path}: its epoch is {now}, ours was {self._epoch}."
        )

    def _without_place(self, told: str) -> PlaceLostError:
        lost = PlaceLostError(told)
        self._breakage = lost
        self._roll_back()
        self.drop()
        return lost

    def _insert(self, connection: sqlite3.Connection, part: Part) -> None:
        kind = part.kind
        written = connection.executemany(self._inserts[kind.table.name], part.rows).rowcount
        if kind.is_counted and written != len(part.rows):
            self._refuse_others(connection, part)

    def _refuse_others(self, connection: sqlite3.Connection, part: Part) -> None:
        """Some rows had no effect. That is well where the same row was there before, and a fault everywhere else."""
        if part.kind.rule is not Rule.APPEND:
            raise collision(part.kind, part.records[0])
        for record in part.records:
            cursor = connection.execute(self._stored[part.kind.table.name], kind_key(part.kind, record))
            if differs(part.kind, record, cursor.fetchone(), moment_from_text):
                raise collision(part.kind, record)

    def _distrust(self, error: sqlite3.Error) -> None:
        """After a fault of the file nothing is assumed: the connection is dropped, and the next batch opens it anew."""
        is_fault = isinstance(error, sqlite3.OperationalError) and primary_code(error) not in _ONLY_BUSY
        self._roll_back()  # a statement that somebody still holds would keep a closed connection, and its lock, alive
        if self._path is not None and is_fault:
            self.drop()

    def _roll_back(self) -> None:
        connection = self._connection
        if connection is None or not connection.in_transaction:
            return
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.drop()

    def ask(self, query: Selection, arguments: Mapping[str, Any]) -> list[Row]:
        return fetch(self.connection, query, arguments, self._path)

    def look(self, steps: Script[T]) -> T:
        return looked(self.connection, steps, self._path)

    def checkpoint_if_due(self) -> None:
        """Moves the WAL into the file when it has grown, after which the next commit starts the WAL anew and short.

        A reader who looks at the past is in the way of that; then the WAL grows, and it is tried again step by step.
        """
        if self._path is None:
            return
        size = _size_bytes(self._path)
        if size < self.wal_bytes:
            self._checkpoint_at_bytes = _CHECKPOINT_BYTES
        if size >= self._checkpoint_at_bytes:
            self._checkpoint("PASSIVE")
            self._checkpoint_at_bytes = size + _CHECKPOINT_STEP_BYTES
        self.wal_bytes = size

    def _checkpoint(self, mode: str) -> None:
        try:
            self.connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        except sqlite3.Error as error:
            if not is_waiting_worthwhile(error):
                raise self._told(error) from error

    def close(self) -> None:
        """The WAL is emptied first, so that the file alone is the whole database."""
        if self._connection is not None and self._path is not None:
            self._checkpoint("TRUNCATE")
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def drop(self) -> None:
        """Without a checkpoint, of whose sync nobody would hear."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._path is None:
            connection.close()
        elif self._breakage is None:
            close_quietly(connection, self._path)
        else:
            leave_open(connection, self._path)


def walked(connection: sqlite3.Connection, steps: Script[T]) -> T:
    """Errors of SQLite go by: whoever owns the connection knows what they mean for it."""
    rows: list[Row] | None = None
    try:
        while True:
            statement, arguments = steps.send(rows) if rows is not None else next(steps)
            text = for_sqlite(statement)
            rows = connection.execute(text.text, text.arguments(arguments)).fetchall()
    except StopIteration as ended:
        answer: T = ended.value
        return answer


def looked(connection: sqlite3.Connection, steps: Script[T], path: Path | None) -> T:
    """A script that only asks, from one snapshot, which ends before the connection goes back."""
    try:
        connection.execute("BEGIN")
        try:
            return walked(connection, steps)
        finally:
            connection.execute("COMMIT")  # of nothing: it asked only
    except sqlite3.Error as error:
        raise store_error(error, path) from error


def fetch(
    connection: sqlite3.Connection, query: Selection, arguments: Mapping[str, Any], path: Path | None
) -> list[Row]:
    text = for_sqlite(query)
    try:
        return connection.execute(text.text, text.arguments(arguments)).fetchall()
    except sqlite3.Error as error:
        raise store_error(error, path) from error


def _size_bytes(path: Path) -> int:
    try:
        return path.with_name(path.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0
