"""The journal of pushes: what was pushed is durable here before anybody is told 202, and waits here to be read.

A file of its own beside the record, as the spool is: it must take a push also while the database is away. What became
of a push stays to be looked up, and its keys stay known, within bounds.
"""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from longstop.domain.errors import PushConflictError, PushesFullError, StoreClosedError, StoreUnavailableError
from longstop.domain.push import KeptPush, PushedItem, PushedPayload, PushVerdict, WaitingPayload
from longstop.store.sqlite_file import open_private

WAITING_MAX: Final = 5_000
WAITING_BYTES_MAX: Final = 256 * 1024 * 1024
DONE_MAX: Final = 50_000
PUSHES_MAX: Final = 20_000
# Of what was rejected the bytes stay for whoever mends the reading.
REJECTED_BODIES_MAX: Final = 500
_PRUNE_EACH: Final = 500

ResultT = TypeVar("ResultT")

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS pushes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, consumer TEXT NOT NULL, digest TEXT NOT NULL,
    received_at TEXT NOT NULL, items BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS items (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, payload BLOB,
    verdict TEXT NOT NULL, reasons BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS items_waiting ON items (verdict, number);
"""


class NewItem(msgspec.Struct, frozen=True):
    id: str
    digest: str
    payload: PushedPayload


class NewPush(msgspec.Struct, frozen=True):
    id: str
    consumer: str
    digest: str
    items: tuple[NewItem, ...]


class PushJournal:
    def __init__(self, path: Path, waiting_max: int = WAITING_MAX, bytes_max: int = WAITING_BYTES_MAX) -> None:
        self._path = path
        self._most = (waiting_max, bytes_max)
        self._file: sqlite3.Connection | None = None
        # One at a time, also when whoever waited for the last one was cancelled.
        self._alone = threading.Lock()
        self._judged = 0
        self.waiting_count = 0
        self.waiting_bytes = 0

    async def open(self) -> None:
        await asyncio.to_thread(self._open)

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    async def accept(self, push: NewPush, now: datetime) -> KeptPush:
        """Durable when it returns. The same push again is the one that is kept already."""
        return await asyncio.to_thread(self._do, lambda file: self._accept(file, push, now))

    async def find(self, push_id: str, consumer: str | None) -> KeptPush | None:
        """`consumer` None may see those of all."""
        return await asyncio.to_thread(self._do, lambda file: _kept(file, push_id, consumer))

    async def waiting(self, limit: int) -> Sequence[WaitingPayload]:
        """The oldest first."""
        return await asyncio.to_thread(self._do, lambda file: _waiting(file, limit))

    async def judge(self, item_id: str, verdict: PushVerdict, reasons: Sequence[str] = ()) -> None:
        await asyncio.to_thread(self._do, lambda file: self._judge(file, item_id, verdict, reasons))

    def _open(self) -> None:
        try:
            _make_private(self._path)
            file = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
            for line in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA busy_timeout=5000"):
                file.execute(line)
            file.executescript(_TABLES)
            self._count(file)
        except (OSError, sqlite3.Error) as error:
            raise StoreUnavailableError(
                f"The journal of pushes cannot be opened: {error}.", hint=f"Look at {self._path} and its rights."
            ) from error
        self._file = file

    def _close(self) -> None:
        with self._alone:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _count(self, file: sqlite3.Connection) -> None:
        """What waits and how large it is, as it stands."""
        found = file.execute("SELECT count(*), coalesce(sum(length(payload)), 0) FROM items WHERE verdict = 'waiting'")
        self.waiting_count, self.waiting_bytes = found.fetchone()

    def _do(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        with self._alone:
            if self._file is None:
                raise StoreClosedError("The journal of pushes is closed.")
            try:
                with _transaction(self._file):
                    done = work(self._file)
                self._count(self._file)
                return done
            except sqlite3.Error as error:
                raise StoreUnavailableError(f"The journal of pushes does not answer: {error}.") from error

    def _accept(self, file: sqlite3.Connection, push: NewPush, now: datetime) -> KeptPush:
        before = file.execute("SELECT digest FROM pushes WHERE id = ?", (push.id,)).fetchone()
        if before is not None and before[0] != push.digest:
            raise PushConflictError("Another content was pushed under this Idempotency-Key.")
        if before is None:
            self._add(file, push, now)
        kept = _kept(file, push.id, None)
        assert kept is not None
        return kept

    def _add(self, file: sqlite3.Connection, push: NewPush, now: datetime) -> None:
        fresh = [item for item in push.items if not _is_known(file, item)]
        bodies = [msgspec.msgpack.encode(item.payload) for item in fresh]
        self._require_room(len(fresh), sum(map(len, bodies)))
        for item, body in zip(fresh, bodies, strict=True):
            if not _is_known(file, item):
                file.execute(
                    "INSERT INTO items (id, digest, payload, verdict, reasons) VALUES (?, ?, ?, 'waiting', ?)",
                    (item.id, item.digest, body, b"[]"),
                )
        ids = msgspec.json.encode([item.id for item in push.items])
        file.execute(
            "INSERT INTO pushes (id, consumer, digest, received_at, items) VALUES (?, ?, ?, ?, ?)",
            (push.id, push.consumer, push.digest, now.isoformat(), ids),
        )

    def _require_room(self, count: int, size: int) -> None:
        most, bytes_max = self._most
        if count and (self.waiting_count + count > most or self.waiting_bytes + size > bytes_max):
            raise PushesFullError(f"{self.waiting_count} payloads wait to be read already.")

    def _judge(self, file: sqlite3.Connection, item_id: str, verdict: PushVerdict, reasons: Sequence[str]) -> None:
        kept = "payload" if verdict is PushVerdict.REJECTED else "NULL"
        file.execute(
            f"UPDATE items SET verdict = ?, reasons = ?, payload = {kept} WHERE id = ?",  # noqa: S608 - two fixed words
            (verdict.value, msgspec.json.encode(reasons), item_id),
        )
        self._judged += 1
        if self._judged % _PRUNE_EACH == 0:
            _prune(file)


def _make_private(path: Path) -> None:
    """It holds what was pushed, as it came: nobody else reads it, nor what SQLite puts beside it.
    Mends also what an earlier Longstop left open to others."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        os.close(open_private(path, os.O_RDWR))
    for each in (path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm"))):
        if each.exists():
            each.chmod(0o600)


@contextmanager
def _transaction(file: sqlite3.Connection) -> Iterator[None]:
    file.execute("BEGIN IMMEDIATE")
    is_whole = False
    try:
        yield
        file.execute("COMMIT")
        is_whole = True
    finally:
        if not is_whole and file.in_transaction:
            file.execute("ROLLBACK")


def _is_known(file: sqlite3.Connection, item: NewItem) -> bool:
    found = file.execute("SELECT digest FROM items WHERE id = ?", (item.id,)).fetchone()
    if found is not None and found[0] != item.digest:
        raise PushConflictError(f"Another payload was pushed under the key {item.payload.key[:80]!r}.")
    return found is not None


def _kept(file: sqlite3.Connection, push_id: str, consumer: str | None) -> KeptPush | None:
    row = file.execute("SELECT consumer, received_at, items FROM pushes WHERE id = ?", (push_id,)).fetchone()
    if row is None or (consumer is not None and consumer != row[0]):
        return None
    items = tuple(_item(file, item_id) for item_id in msgspec.json.decode(row[2]))
    return KeptPush(push_id, datetime.fromisoformat(row[1]), items)


def _item(file: sqlite3.Connection, item_id: str) -> PushedItem:
    row = file.execute("SELECT verdict, reasons FROM items WHERE id = ?", (item_id,)).fetchone()
    return PushedItem(item_id, PushVerdict(row[0]), tuple(msgspec.json.decode(row[1])))


def _waiting(file: sqlite3.Connection, limit: int) -> list[WaitingPayload]:
    rows = file.execute("SELECT id, payload FROM items WHERE verdict = 'waiting' ORDER BY number LIMIT ?", (limit,))
    return [WaitingPayload(row[0], msgspec.msgpack.decode(row[1], type=PushedPayload)) for row in rows]


def _prune(file: sqlite3.Connection) -> None:
    """The oldest go. A push goes before its payloads do, so what can be looked up is whole."""
    oldest = "SELECT number FROM items WHERE verdict != 'waiting' ORDER BY number DESC LIMIT 1 OFFSET ?"
    file.execute(
        "DELETE FROM pushes WHERE number <= (SELECT number FROM pushes ORDER BY number DESC LIMIT 1 OFFSET ?)",
        (PUSHES_MAX,),
    )
    file.execute(
        f"DELETE FROM items WHERE verdict != 'waiting' AND number <= ({oldest}) "  # noqa: S608 - our own words
        "AND id NOT IN (SELECT value FROM pushes, json_each(CAST(pushes.items AS TEXT)))",
        (DONE_MAX,),
    )
    rejected = "SELECT number FROM items WHERE verdict = 'rejected' ORDER BY number DESC LIMIT 1 OFFSET ?"
    file.execute(
        f"UPDATE items SET payload = NULL WHERE verdict = 'rejected' AND number <= ({rejected})",  # noqa: S608 - as above
        (REJECTED_BODIES_MAX,),
    )
